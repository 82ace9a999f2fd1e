import postgres from 'postgres';
import { expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { files } from '../house-rules/files.ts';
import { createDatabase } from '@eaas/test-kit/database';
import { blocksOf, manualPages, read } from '@eaas/test-kit/markdown';

const migration = 'packages/migrate/docs/tables.md';
const elsewhere: Readonly<Record<string, string>> = {
  'packages/sdk/docs/orm.md': 'packages/sdk/test/orms/recipes.slow.test.ts',
  'packages/sdk/docs/from-pgsodium.md': 'test/docs/supabase.slow.test.ts',
  'packages/migrate/docs/leave.md': 'packages/migrate/test/leave.service.test.ts',
};

const blocks = blocksOf(read(migration), 'sql');
const [addColumns = '', copy = ''] = blocks;

const database = await createDatabase();
const connection = { ...database.connection('owner'), max: 1 };
const sql = await closing(postgres(connection), (it) => it.end());
await sql`create table patients (id bigint primary key, email text, born date, notes jsonb)`;

test('for each document that contains SQL, a test runs its SQL', () => {
  const documents = files.filter(
    ({ path, text }) => path.endsWith('.md') && blocksOf(text, 'sql').length > 0,
  );
  // least-privilege.slow.test.ts runs the SQL of the whole manual.
  const others = documents.map(({ path }) => path).filter((path) => !manualPages.includes(path));
  expect(others.toSorted()).toEqual([migration, ...Object.keys(elsewhere)].toSorted());
  for (const [document, test] of Object.entries(elsewhere)) {
    const found = files.find(({ path }) => path.endsWith(test));
    expect(found?.text).toContain(document.replace('packages/sdk/docs/', ''));
  }
  expect(blocks).toHaveLength(2);
});

test('the guide’s SQL adds new columns to a table, and an index', async () => {
  for (const statement of addColumns.split(/;\n/)) await sql.unsafe(statement);
  await sql`select email_new, email_index, born_new, notes_new from patients`;
  const indexes = await sql`select indexdef from pg_indexes where tablename = 'patients'`.values();
  expect(indexes.flat().join('\n')).toContain('(email_index)');
});

test('the guide’s SQL copies all old values, also where the app has written', async () => {
  await sql`insert into patients (id, email, born, email_new) values (1, 'ada', '1815-12-10', null), (2, 'grace', null, 'new')`;
  await sql.unsafe(copy);
  expect(await sql`select email_new, born_new from patients order by id`.values()).toEqual([
    ['ada', '1815-12-10'],
    ['grace', null],
  ]);
});
