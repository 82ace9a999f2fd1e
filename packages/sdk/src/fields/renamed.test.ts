// A field whose table or column has another name than before, while the version of the app before may still run.
import { createIndexKey, defineFields, field, type FieldOptions, type FieldsTables, part } from './fields.ts';
import { observedClient, routesOf } from '../../test/observed-client.ts';
import { expect, test } from 'vitest';

const { client, make, service } = await observedClient();
const index = await createIndexKey(client);
const namesIn = (table: string, name: string) => ({ table, field: name });
const [persons, people, users] = [
  namesIn('persons', 'mail'),
  namesIn('people', 'mail'),
  namesIn('users', 'email'),
];
const renamedFrom = [people, persons];

/** A version of the app. Its rows are lists, because columns have other names in each. */
function versionOf({ table, field: name }: typeof users, options: FieldOptions<string>, by = client) {
  const own = field.text(options).searchable().searchableBy({ words: part.words() });
  const fields = defineFields<FieldsTables>({ [table]: { lowEntropy: 'accepted', [name]: own } });
  const records = fields.for(by, { index });
  const row = { [name]: 'ada king' } as never;
  const find = async (query: unknown) =>
    String(Object.values(await records.where(table, { [name]: query } as never)));
  async function open(...all: readonly unknown[]) {
    const stored = all.map((value) => ({ [name]: value }));
    return (await records.decryptRows(table, stored, () => 7)).map((each) => Reflect.get(each, name));
  }
  return {
    open,
    write: async () => Object.values(await records.encryptRow(table, 7, row)).map(String),
    /** Whether it opens the value of a row, finds it as a whole, and by a word. */
    async reads([value, mark = '', marks = '']: readonly string[]) {
      const [whole, word] = [await find('ada king'), await find({ words: 'king' })];
      const opened = await open(value).then(String, () => '');
      const isFound = marks.split(' ').some((each) => word.includes(each));
      return [opened === 'ada king', whole.includes(mark), isFound].map(Number).join('');
    },
  };
}

test.each<[string, FieldOptions<string>['context']]>([
  ['row', 'row'],
  ['field', 'field'],
  ['of a function', ({ row, ...own }) => ({ ...own, id: row })],
])(
  'promise: those versions open and find a value that may run beside its writer: context %s',
  async (_, context) => {
    const versions = [
      versionOf(persons, { context }),
      versionOf(people, { context, renamedFrom: persons, write: 'present' }),
      versionOf(users, { context, renamedFrom }),
      versionOf(users, { context, renamedFrom, write: 'present' }),
      versionOf(users, { context }),
    ];
    const rows = await Promise.all(versions.map(async ({ write }) => write()));
    const read = versions.map(async (each) =>
      (await Promise.all(rows.map(async (row) => each.reads(row)))).join(' '),
    );
    expect(await Promise.all(read)).toEqual([
      '111 000 000 000 000',
      '111 111 111 000 000',
      '111 111 111 111 111',
      '111 111 111 111 111',
      '000 000 000 111 111',
    ]);
  },
);

test('values under several names need one request for their data keys, also without a cache', async () => {
  const stored = [(await versionOf(people, {}).write())[0], (await versionOf(users, {}).write())[0]];
  const { open } = versionOf(users, { renamedFrom }, make({ cache: { decrypt: { maxEntries: 0 } } }));
  const before = service.requests.length;
  expect(await open(...stored)).toEqual(['ada king', 'ada king']);
  expect(routesOf(service).slice(before)).toEqual(['batch/unwrap']);
});

test('promise: no two fields have a name in common, and no join misses, because such definitions are refused', () => {
  const define = (email: object, more: object = {}) => defineFields({ users: { email }, ...more } as never);
  const joinedTo = (boundTo: object) => ({
    guests: { email: field.text().searchable({ boundTo } as never) },
  });
  const bare = field.text({ renamedFrom: people });
  const [email, lasting] = [bare.searchable(), bare.searchable({ boundTo: people })];
  const twice = [
    [email, { people: { mail: field.text() } }],
    [email, { others: { mail: field.text({ renamedFrom }) } }],
    [field.text({ renamedFrom: users }), {}],
  ] as const;
  for (const [own, more] of twice) {
    expect(() => define(own, more)).toThrow(/contains the name (?:people.mail|users.email) twice/);
  }
  const differing = [
    [email, joinedTo(people)],
    [email, joinedTo(users)],
    [lasting, joinedTo(users)],
  ] as const;
  for (const [own, more] of differing) {
    expect(() => define(own, more)).toThrow(
      "write `searchable({ boundTo: { table: 'people', field: 'mail' } })` in both",
    );
  }
  for (const own of [lasting, bare]) define(own, joinedTo(people));
  for (const options of [
    { renamedFrom: { table: 'people' } },
    { renamedFrom: ['people.mail'] },
    { write: 'past' },
  ]) {
    expect(() => field.text(options as never)).toThrow(/non-empty|renamedFrom|write/);
  }
});
