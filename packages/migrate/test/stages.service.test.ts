// A column that two versions of an app use at once: the one before Eaas, which writes its own form and no fingerprints, and the
// one that reads both forms.
import type { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, field, plaintext, unencrypted } from '@eaas/sdk/fields';
import { inventory, migrate, type SqlDatabase } from '@eaas/migrate';
import { openServiceAndTable, type ServiceAndTable } from '@eaas/test-kit/service-and-table';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const turned = (text: unknown) => Array.from(String(text)).toReversed().join('');
const fieldsWith = (options: object) =>
  defineFields({
    users: {
      ...unencrypted('id'),
      lowEntropy: 'accepted',
      email: field.text({ previous: plaintext(turned, options) }).searchable(),
    },
  });
const [first, second] = [fieldsWith({ write: turned }), fieldsWith({})];

let place: ServiceAndTable;
let client: EaasClient;
let index: string;
let database: SqlDatabase;

beforeAll(async () => {
  place = await openServiceAndTable();
  ({ client } = await place.connect());
  index = await createIndexKey(client);
  database = { query: (statement, parameters) => place.sql.unsafe(statement, parameters) };
});
afterAll(async () => place.close());
beforeEach(async () => {
  await place.sql`drop table if exists users`;
  await place.sql`create table users (id int primary key, email text unique, email_index text)`;
  await place.sql`insert into users select n, 'x@' || n from generate_series(1, 30) n`;
});

const options = (fields = first) => ({ client, fields, index });
const look = async (fields = first) => inventory(database, 'users', options(fields));
const marks = async () =>
  (await place.sql`select email_index from users order by id`).map((row) => row['email_index'] as unknown);

test('`index` fills fingerprints over old values, and corrects those that the version before left behind', async () => {
  expect(await look()).toMatchObject({
    plaintexts: 30,
    unindexed: 30,
    next: expect.stringContaining("mode 'index'") as unknown,
  });
  const dry = await migrate(database, 'users', 'index', { ...options(), dryRun: true });
  expect(dry).toMatchObject({ done: false, left: { count: 30 } });
  const filled = await migrate(database, 'users', 'index', { ...options(), pageSize: 7 });
  expect(filled).toMatchObject({
    done: true,
    progress: { rewritten: 30, checked: 30 },
    constraints: undefined,
  });
  await place.sql`update users set email = null where id = 2`;
  await place.sql`update users set email = 'y@1' where id = 1`;
  expect(await look()).toMatchObject({ unindexed: 2 });
  expect(await migrate(database, 'users', 'index', options())).toMatchObject({
    done: true,
    progress: { rewritten: 2 },
  });
  expect(await look()).toMatchObject({
    unindexed: 0,
    next: expect.stringMatching(/^stage 2 may begin: .*cannot be seen/) as unknown,
  });
  const [one, two] = await marks();
  expect([one, two]).toEqual([
    (await first.for(client, { index }).where('users', { email: '1@y' })).email_index[0],
    null,
  ]);
  expect(await place.sql`select email from users where email like 'eaasA%'`).toEqual([]);
});

test('no value is encrypted while the version before could read it', async () => {
  for (const mode of ['encrypt', 'rewrap', 'reencrypt'] as const)
    await expect(migrate(database, 'users', mode, options())).rejects.toThrow(
      'users.email still has `write`',
    );
  await expect(inventory(database, 'users', { fields: first })).rejects.toThrow('pass `client`');
});

test('after the second stage all values are ciphertexts under the same fingerprints, and after a rollback both forms are read', async () => {
  await migrate(database, 'users', 'index', options());
  const before = await marks();
  expect(await look(second)).toMatchObject({ next: expect.stringContaining("mode 'encrypt'") as unknown });
  await place.sql`update users set email = null, email_index = null where id > 20`;
  expect(await migrate(database, 'users', 'encrypt', options(second))).toMatchObject({
    done: true,
    progress: { rewritten: 20 },
  });
  expect(await marks()).toEqual(before.map((mark, at) => (at < 20 ? mark : null)));
  expect(await look(second)).toMatchObject({
    plaintexts: 0,
    next: expect.stringContaining('remove `previous`') as unknown,
  });
  const rows = await place.sql<{ id: number; email: never }[]>`select id, email from users order by id`;
  const opened = await first.for(client, { index }).decryptRows('users', rows, ({ id }) => id);
  expect(opened.slice(0, 20).map(({ email }) => email)).toEqual(
    Array.from({ length: 20 }, (_, at) => turned(`x@${at + 1}`)),
  );
  expect(await look(first)).toMatchObject({ unindexed: 0 });
});
