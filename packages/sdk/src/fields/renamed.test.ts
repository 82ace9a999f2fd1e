// A field whose table or column has another name than before, while the version of the app before may still run.
import { createIndexKey, defineFields, field, type FieldsTables, part, unencrypted } from './fields.ts';
import { coreOf } from './core.ts';
import { observedClient, routesOf } from '../../test/observed-client.ts';
import { expect, test } from 'vitest';

const { client, make, service } = await observedClient();
const index = await createIndexKey(client);
const people = { table: 'people', field: 'mail' };
const accepted = { lowEntropy: 'accepted' } as const;
const words = () => ({ words: part.words() });

const before = defineFields({
  people: { ...accepted, mail: field.text().searchable().searchableBy(words()) },
});
const usersWith = (options: object) =>
  defineFields({
    users: { ...accepted, email: field.text(options).searchable().searchableBy(words()) },
  });
const renamed = usersWith({ renamedFrom: people });
const present = usersWith({ renamedFrom: people, write: 'present' });
const after = usersWith({});
const v1 = before.for(client, { index });
const [v2, v3, v4] = [renamed, present, after].map((each) => each.for(client, { index })) as [
  Version,
  Version,
  Version,
];
type Version = ReturnType<typeof after.for>;
/** A row as both versions of the app find it in the database. */
const asPeople = ({ email: mail, email_index, email_words_index }: Record<string, unknown>) => {
  return { mail, mail_index: email_index, mail_words_index: email_words_index };
};
const asUsers = ({ mail: email, mail_index, mail_words_index }: Record<string, unknown>) => {
  return { email, email_index: mail_index, email_words_index: mail_words_index } as never;
};
const row = { email: 'ada king' };

test('promise: what either version writes, both open, until the definition says that none before runs', async () => {
  const written = await v2.encryptRow('users', 7, row);
  expect(await v1.decryptRow('people', 7, asPeople(written as never) as never)).toEqual({ mail: 'ada king' });
  const old = await v1.encryptRow('people', 7, { mail: 'ada king' });
  for (const version of [v2, v3]) expect(await version.decryptRow('users', 7, asUsers(old))).toEqual(row);
  await expect(v4.decryptRow('users', 7, asUsers(old))).rejects.toThrow('Change your schema');

  const moved = await v3.encryptRow('users', 7, row);
  for (const version of [v2, v3, v4]) expect(await version.decryptRow('users', 7, moved)).toEqual(row);
  await expect(v2.decryptRow('users', 8, moved)).rejects.toThrow('users.email of row 8: decryption failed');
});

test('promise: a search finds what either version wrote, and what is written is found by the version that reads it', async () => {
  const [old, moved] = [await v2.encryptRow('users', 7, row), await v3.encryptRow('users', 7, row)];
  expect(asPeople(old as never)).toMatchObject(
    await v1
      .encryptRow('people', 7, { mail: 'ada king' })
      .then(({ mail_index, mail_words_index }) => ({ mail_index, mail_words_index })),
  );
  expect(moved.email_index).toBe((await v4.encryptRow('users', 7, row))?.email_index);
  for (const version of [v2, v3]) {
    const { email_index } = await version.where('users', row);
    expect(new Set(email_index)).toEqual(new Set([old.email_index, moved.email_index]));
    const { email_words_index: found } = await version.where('users', { email: { words: 'king' } });
    const stored = [old, moved].map((each) => String(each.email_words_index).split(' '));
    expect(stored.map((all) => found[0]?.filter((one) => all.includes(one)).length)).toEqual([1, 1]);
  }
});

test('values under several names need one request for their data keys, also without a cache', async () => {
  const rows = [
    await v1.encryptRow('people', 7, { mail: 'a' }).then(asUsers),
    await v3.encryptRow('users', 7, row),
  ];
  for (const cache of [{}, { decrypt: { maxEntries: 0 } }]) {
    const records = renamed.for(make({ cache }), { index });
    const before = service.requests.length;
    const opened = await records.decryptRows('users', rows as never[], () => 7);
    expect(opened).toEqual([{ email: 'a' }, row]);
    expect(
      routesOf(service)
        .slice(before)
        .filter((route) => route.includes('unwrap')),
    ).toHaveLength(1);
  }
});

test('contexts without a row, and those of a function, have the names too', async () => {
  for (const context of [
    'field',
    ({ table, row: id }: { table: string; row: string }) => ({ table, id }),
  ] as const) {
    const old = defineFields({ people: { mail: field.text({ context }) } }).for(client);
    const now = defineFields({ users: { email: field.text({ context, renamedFrom: [people] }) } }).for(
      client,
    );
    const { mail } = await old.encryptRow('people', 7, { mail: 'ada' });
    expect(await now.decryptRow('users', 7, { email: mail as never })).toEqual({ email: 'ada' });
    const { email } = await now.encryptRow('users', 7, { email: 'ada' });
    expect(await old.decryptRow('people', 7, { mail: email as never })).toEqual({ mail: 'ada' });
  }
});

test('of several earlier names, the first is the newest, which the version before reads', async () => {
  const older = { table: 'persons', field: 'mail' };
  const named = defineFields({ users: { email: field.text({ renamedFrom: [people, older] }) } }).for(client);
  const { email } = await named.encryptRow('users', 7, row);
  expect(await v1.decryptRow('people', 7, { mail: email as never })).toEqual({ mail: 'ada king' });
  const oldest = defineFields({ persons: { mail: field.text() } }).for(client);
  const { mail } = await oldest.encryptRow('persons', 7, { mail: 'ada' });
  expect(await named.decryptRow('users', 7, { email: mail as never })).toEqual({ email: 'ada' });
});

test('with `boundTo`, fingerprints keep one name for ever', async () => {
  const bound = (options: object) =>
    defineFields({ users: { email: field.text(options).searchable({ boundTo: people }) } }).for(client, {
      index,
    });
  const { mail_index } = await v1.where('people', { mail: 'ada' });
  for (const options of [{ renamedFrom: people }, { renamedFrom: people, write: 'present' }, {}]) {
    expect(await bound(options).where('users', { email: 'ada' })).toEqual({ email_index: mail_index });
    expect(await bound(options).encryptRow('users', 7, { email: 'ada' })).toMatchObject({
      email_index: mail_index[0],
    });
  }
});

const email = field.text({ renamedFrom: people }).searchable();
const lasting = field.text({ renamedFrom: people }).searchable({ boundTo: people });
const joinedTo = (table: string, name: string) =>
  field.text().searchable({ boundTo: { table, field: name } });
const write = /write `searchable\({ boundTo: { table: 'people', field: 'mail' } }\)`/;

test('promise: no two fields have a name in common, and no join misses, because such definitions are refused', () => {
  const define = (users: object, more: object = {}) => defineFields({ users, ...more } as never);
  const twice = 'with `renamedFrom` contains the name people.mail twice';
  expect(() => define({ email }, { people: { mail: field.text() } })).toThrow(twice);
  expect(() => define({ email, other: field.text({ renamedFrom: [people] }) })).toThrow(twice);
  expect(() => define({ email: field.text({ renamedFrom: { table: 'users', field: 'email' } }) })).toThrow(
    'twice',
  );

  expect(() => define({ email }, { guests: { email: joinedTo('people', 'mail') } })).toThrow(write);
  expect(() => define({ email }, { guests: { email: joinedTo('users', 'email') } })).toThrow(write);
  const late = () => define({ email: lasting }, { guests: { email: joinedTo('users', 'email') } });
  expect(late).toThrow(write);
  expect(late).toThrow('so fingerprints of guests.email keep');
  define({ email: lasting }, { guests: { email: joinedTo('people', 'mail') } });
  define({ email: field.text({ renamedFrom: people }) }, { guests: { email: joinedTo('people', 'mail') } });

  for (const [given, says] of [
    [{ table: 'people' }, 'must have a non-empty'],
    [{ table: 'people', field: 'mail', row: '7' }, 'row'],
    [['people.mail'], 'renamedFrom'],
  ] as const)
    expect(() => field.text({ renamedFrom: given as never })).toThrow(says);
  expect(() => field.text({ write: 'past' as never })).toThrow('write');
});

test('promise: no duplicate passes a unique index, and adapters see the names of all their tables', () => {
  const tableOf = (given: object, table = 'users', core = coreOf(client, { index }, 'test')) =>
    core.table(defineFields<FieldsTables>({ [table]: given as never }), table, undefined, ['email_index']);
  expect(() => tableOf({ ...unencrypted('id'), email })).toThrow(write);
  expect(() => tableOf({ email: lasting })).not.toThrow();
  expect(() => tableOf({ name: field.text({ renamedFrom: people }).searchable() })).not.toThrow();
  const core = coreOf(client, { index }, 'test');
  tableOf({ email: lasting }, 'users', core);
  tableOf({ email: lasting }, 'users', core);
  expect(() => tableOf({ mail: field.text() }, 'people', core)).toThrow('people.mail twice');
});
