import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { commandLine, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

const eaas = await commandLine();
const leak = eaas.with({ EAAS_LEAK_DATABASE_URL: eaas.database.url('owner') });
const sql = postgres({ ...eaas.database.connection('owner'), max: 1 });
await sql`create table patients (id int primary key, name_index text, name text)`;
await sql`
  insert into patients select n, md5(name), name from generate_series(1, 10) n,
    lateral (select case when n <= 6 then 'Mary' when n <= 9 then 'Anna' else 'Zoe' end as name) names`;
await sql.end();

const mixed = join(await newDirectory(), 'mixed.csv');
writeFileSync(mixed, 'Mary,3\nAnna\n');

test('eaas leak prints what the index columns of a table give away', async () => {
  const names = join(await newDirectory(), 'names.csv');
  writeFileSync(names, 'Mary,50\nAnna,30\nAlma,20\n');
  const words = ['leak', 'patients', '--list', `name_index=${names}`, '--truth', 'name_index=name'];
  const { code, stdout } = await leak(...words);
  expect(code).toBe(0);
  const [head, , line] = stdout.split('\n');
  expect(head).toBe('patients: 10 rows');
  expect(line).toMatch(/^name_index +3 +60\.0 % +100\.0 % +90\.0 %$/);
  expect(await leak.json(...words)).toMatchObject([{ columns: [{ distinct: 3, unique: 1 }] }]);
});

test.each([
  [2, ['nobody'], 'the database has no table "nobody"'],
  [2, ['patients', '--list', 'name_index=/nowhere'], 'ENOENT'],
  [2, ['patients', '--list', `name_index=${mixed}`], `${mixed} cannot be used: a list must have a frequency`],
])('exit code %i for %j', async (code, words, message) => {
  const result = await leak('leak', ...words);
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toContain(message);
});

test('without the variable, and for a database that does not answer, eaas leak names the variable', async () => {
  for (const [place, message] of [
    [eaas, 'EAAS_LEAK_DATABASE_URL is not set'],
    [
      eaas.with({ EAAS_LEAK_DATABASE_URL: 'postgres://localhost:1/none' }),
      'EAAS_LEAK_DATABASE_URL cannot be used',
    ],
  ] as const) {
    expect(await refusalOf(place('leak', 'patients'), 3)).toContain(message);
  }
});
