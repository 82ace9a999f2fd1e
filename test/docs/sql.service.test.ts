import postgres from 'postgres';
import { expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { files } from '../house-rules/files.ts';
import { testDatabase } from '@eaas/test-kit/database';
import { blocksOf, manualPages, read } from '@eaas/test-kit/markdown';

const migration = 'packages/sdk/docs/encrypt-a-table.md';
const job = 'packages/sdk/docs/reencrypt.md';
const elsewhere: Readonly<Record<string, string>> = {
  'packages/sdk/docs/orm.md': 'packages/sdk/test/orms/recipes.slow.test.ts',
  'packages/sdk/docs/from-pgsodium.md': 'test/docs/supabase.slow.test.ts',
  'docs/operating/citus.md': 'test/prove/machine/citus-cluster.ts',
};

const [addColumns = ''] = blocksOf(read(migration), 'sql');
const [writeMany = ''] = blocksOf(read(job), 'sql');

const database = await testDatabase();
const connection = { ...database.connection('owner'), max: 1 };
const sql = await closing(postgres(connection), (it) => it.end());
await sql`create table users (id bigint primary key, email text)`;
await sql`create table patients (id bigint primary key, email text, born date, notes jsonb)`;

test('for each document that contains SQL, a test runs its SQL', () => {
  const documents = files.filter(
    ({ path, text }) => path.endsWith('.md') && blocksOf(text, 'sql').length > 0,
  );
  // least-privilege.slow.test.ts runs the SQL of the whole manual.
  const others = documents.map(({ path }) => path).filter((path) => !manualPages.includes(path));
  expect(others.toSorted()).toEqual([migration, job, ...Object.keys(elsewhere)].toSorted());
  for (const [document, test] of Object.entries(elsewhere)) {
    const found = files.find(({ path }) => path.endsWith(test));
    expect(found?.text).toContain(document.replace('packages/sdk/docs/', ''));
  }
  for (const page of [migration, job]) expect(blocksOf(read(page), 'sql')).toHaveLength(1);
});

test('the statement for `writeMany` returns the ids of written rows', async () => {
  await sql`insert into users values (1, 'ada'), (2, 'Grace'), (3, null)`;
  const parameters = [
    [1, 2, 3],
    ['ada', 'grace', 'joan'],
    ['eaasA1', 'eaasA2', 'eaasA3'],
  ];
  expect(await sql.unsafe(writeMany, parameters)).toEqual([{ id: '1' }]);
  expect(await sql`select email from users order by id`.values()).toEqual([['eaasA1'], ['Grace'], [null]]);
});

test('the guide’s SQL adds new columns to a table, and an index', async () => {
  for (const statement of addColumns.split(/;\n/)) await sql.unsafe(statement);
  await sql`select email_new, email_index, born_new, notes_new from patients`;
  const indexes = await sql`select indexdef from pg_indexes where tablename = 'patients'`.values();
  expect(indexes.flat().join('\n')).toContain('(email_index)');
});
