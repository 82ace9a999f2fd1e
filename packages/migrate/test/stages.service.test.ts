// A column that two versions of an app use at once: the one before Eaas, which writes its own form and no fingerprints, and the
// one that reads both forms.
import { createIndexKey, defineFields, field, plaintext } from '@eaas/sdk/fields';
import { inventory, migrate, type MigrateMode, type SqlDatabase } from '@eaas/migrate';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { afterAll, expect, test, vi } from 'vitest';

const place = await openServiceAndTable();
const { sql } = place;
afterAll(async () => place.close());

const turned = (text: unknown) => Array.from(String(text)).toReversed().join('');
const email = field.text({ previous: plaintext(turned, { write: turned }) }).searchable();
const fields = defineFields({ users: { email, note: field.text() } });
const database: SqlDatabase = { query: (statement, parameters) => sql.unsafe(statement, parameters) };

test('`index` fills, corrects and replaces fingerprints, and nothing is encrypted while the version before could read it', async () => {
  const { client } = await place.connect();
  const index = await createIndexKey(client);
  const run = async (mode: MigrateMode, more: object = {}) =>
    migrate(database, 'users', mode, { client, fields, index, ...more });
  const look = async () => inventory(database, 'users', { client, fields, index });
  const next = (text: string) => expect.stringContaining(text) as unknown;

  await sql`create table users (id int primary key, email text unique, email_index text, note text)`;
  // The notes do not open, and need not.
  await sql`insert into users select n, 'x@' || n, null, 'note' from generate_series(1, 30) n`;
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise ''touched''; end'`;
  await sql`create trigger touched before update of email on users for each row
    when (old.email = new.email) execute function refuse()`;
  expect(await look()).toMatchObject({ plaintexts: 60, unindexed: 30, next: next("mode 'index'") });
  expect(await run('index', { dryRun: true })).toMatchObject({ done: false, left: { count: 30 } });
  const filled = await run('index', { pageSize: 7 });
  const progress = { rewritten: 30, checked: 30 };
  expect(filled).toMatchObject({ done: true, progress, constraints: undefined });

  // The version before goes on.
  await sql`update users set email = null where id = 2`;
  await sql`update users set email = 'y@1' where id = 1`;
  expect(await look()).toMatchObject({ unindexed: 2 });
  expect(await run('index')).toMatchObject({ done: true, progress: { rewritten: 2 } });
  expect(await look()).toMatchObject({ unindexed: 0, next: next('stage 2 may begin') });
  const replaced = { index: [await createIndexKey(client), index] };
  expect(await run('index', replaced)).toMatchObject({ done: true, progress: { rewritten: 29 } });
  expect(await look()).toMatchObject({ unindexed: 29 });
  expect(await run('index')).toMatchObject({ done: true, progress: { rewritten: 29 } });
  for (const mode of ['encrypt', 'rewrap', 'reencrypt'] as const) {
    await expect(run(mode)).rejects.toThrow('users.email still has `write`');
  }
  await expect(inventory(database, 'users', { fields })).rejects.toThrow('pass `client`');

  // After a rollback from stage 2, with an API key that has only the rights of the app.
  const records = defineFields({ users: { email: field.text() } }).for(client);
  await sql`update users set ${sql(await records.encryptRow('users', 1, { email: 'z@1' }))} where id = 1`;
  vi.spyOn(client.keys, 'get').mockRejectedValue(new Error('permission_missing'));
  expect(await look()).toMatchObject({ unindexed: 1, keys: [{ versions: [{ values: 1 }] }] });
});
