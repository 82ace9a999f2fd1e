import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import {
  checkConstraints,
  createIndexKey,
  defineFields,
  field,
  part,
  type Plaintext,
  plaintext,
} from './fields.ts';

const fail = (): never => {
  throw new Error('secret');
};
let writes = 0;
const reversed = (text: unknown) => Array.from(String(text)).toReversed().join('');
const older = plaintext(reversed, { write: reversed });
const random = plaintext<string>((stored) => String(stored).slice(1), {
  write: async (text) => `${writes++ % 10}${text}`,
});

const fields = defineFields({
  users: {
    lowEntropy: 'accepted',
    subject: 'person',
    email: field.text({ previous: older }).searchable().searchableBy({ words: part.words() }),
    token: field.text({ previous: random }).searchable(),
    name: field.text(),
  },
});

async function open() {
  const { client } = await observedClient();
  const index = await createIndexKey(client);
  return { client, index, records: fields.for(client, { index }) };
}

test('a field with `write` stores the older form with a fingerprint, without an id and a person, and reads both forms', async () => {
  const { client, index, records } = await open();
  const row = { email: 'ada@x', person: null as never };
  const stored = await records.encryptRow('users', undefined as never, row);
  expect(stored).toMatchObject({ email: 'x@ada', person: null });
  const { email_index } = await records.where('users', { email: 'ada@x' });
  expect(email_index).toEqual([stored.email_index]);

  const next = defineFields({
    users: { subject: 'person', email: field.text({ previous: plaintext(reversed) }) },
  });
  const { email } = await next.for(client, { index }).encryptRow('users', 7, { email: 'eve@x', person: 'p' });
  const rows = [
    { email: 'x@ada', person: 'p' },
    { email: email as string, person: 'p' },
  ];
  expect(await records.decryptRows('users', rows, () => 7)).toMatchObject([
    { email: 'ada@x' },
    { email: 'eve@x' },
  ]);
});

test('a row of a person needs one as soon as one of its fields is encrypted', async () => {
  const { records } = await open();
  const row = { email: 'ada@x', name: 'Ada', person: null };
  await expect(records.encryptRow('users', 7, row as never)).rejects.toThrow(
    '`users.person` must name the person',
  );
});

describe('while the version before changes values', () => {
  test('a search by a part is refused, and one for a text that differs each time', async () => {
    const { records } = await open();
    const byPart = records.where('users', { email: { words: ['ada'] } as never });
    await expect(byPart).rejects.toThrow('users.email: a search by a part would miss values');
    await expect(records.where('users', { token: 't' })).rejects.toThrow(
      'users.token: the version before stores',
    );
  });

  test('there is no constraint that would refuse what it writes', () => {
    expect(() => checkConstraints(fields, 'users')).toThrow(
      'users.email still writes what the version before reads',
    );
  });
});

test.each<[string, Plaintext<string>, string]>([
  ['throws', plaintext(String, { write: () => fail() }), '`write` of `plaintext` threw'],
  [
    'returns a number',
    plaintext(String, { write: () => 7 as never }),
    'must return text or bytes, because a column of',
  ],
  [
    'returns what `read` cannot read',
    plaintext((stored) => (stored === 'new' ? 'new' : fail()), { write: () => 'old' }),
    'or `read` for what it wrote',
  ],
])(
  'a value whose `write` %s is not stored, and the error does not quote it',
  async (_what, previous, message) => {
    const { client } = await observedClient();
    const records = defineFields({ users: { email: field.text({ previous }) } }).for(client);
    const error: unknown = await records
      .encryptRow('users', 7, { email: 'secret' })
      .catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/users\.email of row 7: /);
    expect(String(error)).toContain(message);
    expect(inspect(error)).not.toContain('secret');
  },
);

test('`read` gets the row, whose other columns it can need, and such a form cannot be written', async () => {
  const { client } = await observedClient();
  const read = (stored: unknown, { iv }: Readonly<Record<string, unknown>>) =>
    `${String(stored)}${String(iv)}`;
  const previous = plaintext(read, { columns: ['iv'] });
  const records = defineFields({ users: { email: field.text({ previous }) } }).for(client);
  expect(await records.decryptRow('users', 7, { email: 'a', iv: 'b' })).toEqual({ email: 'ab', iv: 'b' });
  expect(() => plaintext(read, { columns: ['iv'], write: String })).toThrow('has parts in other columns');
});
