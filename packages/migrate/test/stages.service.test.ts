// A column that two versions of an app use at once: the one before Eaas, which writes its own form and no fingerprints, and the
// one that reads both forms.
import { createIndexKey, defineFields, field, plaintext } from '@eaas/sdk/fields';
import { inventory, migrate, type MigrateMode, type SqlDatabase } from '@eaas/migrate';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { afterAll, expect, test } from 'vitest';

const place = await openServiceAndTable();
const { sql } = place;
afterAll(async () => place.close());

const turned = (text: unknown) => Array.from(String(text)).toReversed().join('');
const fieldsWith = (options: object) =>
  defineFields({ users: { email: field.text({ previous: plaintext(turned, options) }).searchable() } });
const [first, second] = [fieldsWith({ write: turned }), fieldsWith({})];
const database: SqlDatabase = { query: (statement, parameters) => sql.unsafe(statement, parameters) };

test('`index` fills and corrects fingerprints, before anything is encrypted, and `encrypt` keeps them', async () => {
  const { client } = await place.connect();
  const index = await createIndexKey(client);
  const run = async (mode: MigrateMode, fields = first, more: object = {}) =>
    migrate(database, 'users', mode, { client, fields, index, ...more });
  const look = async (fields = first) => inventory(database, 'users', { client, fields, index });
  const rows = async () =>
    sql<{ id: number; email: string | null; email_index: string | null }[]>`select * from users order by id`;
  const next = (text: string) => expect.stringContaining(text) as unknown;

  await sql`create table users (id int primary key, email text unique, email_index text)`;
  await sql`insert into users select n, 'x@' || n from generate_series(1, 30) n`;
  expect(await look()).toMatchObject({ plaintexts: 30, unindexed: 30, next: next("mode 'index'") });
  const dry = await run('index', first, { dryRun: true });
  expect(dry).toMatchObject({ done: false, left: { count: 30 } });
  const filled = await run('index', first, { pageSize: 7 });
  expect(filled).toMatchObject({ done: true, progress: { rewritten: 30, checked: 30 } });
  expect(filled.constraints).toBeUndefined();

  // The version before goes on.
  await sql`update users set email = null where id = 2`;
  await sql`update users set email = 'y@1' where id = 1`;
  expect(await look()).toMatchObject({ unindexed: 2 });
  expect(await run('index')).toMatchObject({ done: true, progress: { rewritten: 2 } });
  expect(await look()).toMatchObject({ unindexed: 0, next: next('stage 2 may begin') });
  const before = await rows();
  const { email_index } = await first.for(client, { index }).where('users', { email: '1@y' });
  expect(before.slice(0, 3)).toMatchObject([
    { email: 'y@1', email_index: email_index[0] },
    { email_index: null },
    { email: 'x@3' },
  ]);
  for (const mode of ['encrypt', 'rewrap', 'reencrypt'] as const)
    await expect(run(mode)).rejects.toThrow('users.email still has `write`');
  await expect(inventory(database, 'users', { fields: first })).rejects.toThrow('pass `client`');

  expect(await look(second)).toMatchObject({ next: next("mode 'encrypt'") });
  expect(await run('encrypt', second)).toMatchObject({ done: true, progress: { rewritten: 29 } });
  expect(await look(second)).toMatchObject({ plaintexts: 0, next: next('remove `previous`') });
  expect(await look()).toMatchObject({ unindexed: 0 });
  const marks = (of: typeof before) => of.map(({ email_index }) => email_index);
  expect(marks(await rows())).toEqual(marks(before));
});
