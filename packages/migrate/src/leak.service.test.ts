// The command in this process, on PostgreSQL.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { expect, test, vi } from 'vitest';
import { command, setVariables, variablesOf } from '../test/in-process.ts';

const database = await closing(createDatabase(), (it) => it.drop());
const connection = database.connection('owner');
setVariables(variablesOf(connection));
const sql = postgres({ ...connection, max: 1 });
await sql`create schema wards`;
await sql`create table wards.patients (id int primary key, name_index text, name text)`;
await sql`
  insert into wards.patients select n, md5(name), name from generate_series(1, 10) n,
    lateral (select case when n <= 6 then 'Mary' when n <= 9 then 'Anna' else 'Zoe' end as name) names`;
await sql.end();

const names = join(await newDirectory(), 'names.csv');
writeFileSync(names, 'Mary\nAnna\nAlma\n');

async function leak(words: readonly string[], url = 'postgres://') {
  vi.stubEnv('CLINIC_URL', url);
  return command('leak', 'CLINIC_URL', ...words);
}

test('prints what the index columns of a table give away', async () => {
  const words = ['wards.patients', '--list', `name_index=${names}`];
  const { code, stdout, stderr } = await leak(words);
  expect([code, stderr]).toEqual([0, '']);
  const [head, , line] = stdout.split('\n');
  expect(head).toBe('patients: 10 rows');
  expect(line).toMatch(/^name_index +3 +60\.0 % +100\.0 %$/);
  const { stdout: json } = await leak([...words, '--json']);
  expect(JSON.parse(json)).toMatchObject({ columns: [{ distinct: 3, unique: 1 }] });
});

test.each([
  [['nobody'], 'the database has no table "nobody"'],
  [['wards.patients', '--list', 'name_index=/nowhere'], 'the list /nowhere cannot be read: ENOENT'],
  [['wards.patients', '--list', 'name_index'], 'pass a column and a value'],
  [['wards.patients', 'more'], 'pass `leak <place> <table>`'],
])('%j is refused', async (words, message) => {
  const { code, stdout, stderr } = await leak(words);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
});

test('a database that does not answer is an error without the address', async () => {
  const { code, stderr } = await leak(['patients'], 'postgres://reader:secret@localhost:1/none');
  expect([code, stderr]).toEqual([2, expect.stringContaining('(code ECONNREFUSED)')]);
  expect(stderr).not.toContain('secret');
});
