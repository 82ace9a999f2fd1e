// The command `check` in this process, on PostgreSQL, with `defineFields`. check.slow.test.ts has Drizzle, and other databases.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineFields, field, part, plaintext, type FieldsTables, unencrypted } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { createClient } from '@eaas/test-kit/orms/client';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { command, setVariables, variablesOf } from '../../test/in-process.ts';

const connection = (await closing(createDatabase(), (it) => it.drop())).connection('owner');
setVariables(variablesOf(connection));
const sql = await closing(postgres({ ...connection, max: 1, onnotice: () => {} }), (it) => it.end());
const ciphertext = await (await createClient()).eaas.encrypt('Ada');
const folder = await newDirectory();

async function checked(...args: readonly string[]) {
  const { code, stdout, stderr } = await command('check', ...args);
  return { code, stdout, stderr, all: [code, stdout, stderr], lines: stdout.split('\n').filter(Boolean) };
}

/** Saves a module that exports these values, which only this process has. */
async function moduleOf(exported: object): Promise<string> {
  const name = `exported${crypto.randomUUID().replaceAll('-', '')}`;
  Object.assign(globalThis, { [name]: exported });
  await writeFile(join(folder, name), `export const { ${Object.keys(exported).join(', ')} } = ${name};`);
  return join(folder, name);
}

async function check(members: FieldsTables[string], ...more: readonly string[]) {
  return checked(await moduleOf({ fields: defineFields<FieldsTables>({ members }) }), ...more);
}

/** Makes the table anew. */
async function make(columns: string, ...names: readonly (string | null)[]): Promise<void> {
  await sql.unsafe(`drop table if exists members; create table members (id int primary key, ${columns})`);
  for (const [id, name] of names.entries()) await sql`insert into members ${sql({ id, name })}`;
}

const name = { name: field.text() };
const refused = (stderr: RegExp) => [2, '', expect.stringMatching(stderr)];

test.each([
  [0, `constraint whatever check ((("name") LIKE 'eaasA%'))`],
  [1, `check (name like 'eaas%')`],
  [1, `check (name ilike 'eaasA%')`],
  [1, `check (name not like 'eaasA%')`],
  [1, `check (note like 'eaasA%')`],
  [1, `check (name like 'eaasA%' or note is null)`],
  [1, `check (coalesce(name like 'eaasA%', note = 'x'))`],
])('%i checks are missing beside %s', async (missing, constraint) => {
  await make(`name text, note text default 'check (name like ''eaasA%'')', ${constraint}`);
  const { code, lines } = await check({ ...name, ...unencrypted('note') });
  const warning = /^warning: members\.name: expected check \( name like 'eaasA%' \), found /;
  expect([code, lines]).toEqual([0, Array<unknown>(missing).fill(expect.stringMatching(warning))]);
});

test('index columns of parts have checks', async () => {
  await make(`name text check (name like 'eaasA%'), name_last_index text unique`);
  const searched = {
    lowEntropy: 'accepted',
    name: field.text().searchableBy({ last: part.lastCharacters(4) }),
  };
  const [line] = (await check(searched)).lines;
  expect(line).toContain('members.name_last_index: expected check ( name_last_index ~ ');
  await sql`alter table members add check (name_last_index ~ '^[0-9a-f]{64}( [0-9a-f]{64})*$')`;
  expect((await check(searched)).lines).toEqual([]);
});

test('the first and the last 1,000 rows are read, or all, and the first other value is named', async () => {
  await make(`name text check (name like 'eaasA%')`);
  await sql`insert into members select n, ${ciphertext} from generate_series(1, 2002) n`;
  await sql`update members set name = 'eaasA cut' where id in (1001, 1002)`;
  const clean = '2000 rows of 1 tables: 0 errors, 0 warnings (search for old values: 0 ms)\n';
  expect(await check(name)).toMatchObject({ code: 0, stdout: '', stderr: clean });
  const { code, lines } = await check(name, '--all');
  expect([code, lines[0]]).toEqual([1, expect.stringContaining('found 2 others, first in row 1001')]);
  await sql`delete from members where id > 1500`;
  expect((await check(name)).stderr).toMatch(/^1500 rows of 1 tables: 1 errors/);
});

test.each([
  ['ciphertexts', [ciphertext, null], ['of `previous`, found none: remove it']],
  ['an old value', [ciphertext, 'Ada'], []],
  ['a value that was cut', [ciphertext, 'eaasAhead'], ['found 1 others']],
  ['nothing', [null], []],
])('of `previous` in a column with %s, it is said', async (_, values, said) => {
  await make('name text, iv text', ...values);
  const previous = plaintext((stored) => String(stored), { columns: ['iv'] });
  const { code, lines } = await check({ name: field.text({ previous }) });
  expect([code, lines]).toEqual([said.length, said.map((each) => expect.stringContaining(each))]);
});

test('of `previous` in a searchable column without old values, it is said that searches send values in clear', async () => {
  const searched = { name: field.text({ previous: plaintext() }).searchable() };
  for (const [value, isSaid] of Object.entries({ [ciphertext]: true, Ada: false })) {
    await make('name text, name_index text', ciphertext, value);
    const lines = (await check(searched)).lines.join();
    expect(lines.includes('remove it. Until then, searches send their values in clear')).toBe(isSaid);
  }
});

test('annotations and JSON have each finding in one line, whatever its names are', async () => {
  await make('name text, "a:b,c%\n" text');
  const message = 'expected no such column, found one (text): encrypt it, or define it unencrypted';
  const [error, warning] = (await check(name, '--github')).lines;
  expect(error).toBe(`::error title=members.a%3Ab%2Cc%25%0A::${message}`);
  expect(warning).toMatch(/^::warning title=members\.name::expected check \( name like 'eaasA%25' \), /);
  const json = (await check(name, '--json')).lines.map((line): unknown => JSON.parse(line));
  expect(json[0]).toEqual({ level: 'error', table: 'members', column: 'a:b,c%\n', message });
  expect([json.length, (await check(name)).lines.length]).toEqual([2, 2]);
});

test('who cannot read, or names a view, gets exit code 2', async () => {
  await make(`name text check (name like 'eaasA%')`);
  await sql.unsafe(
    'create schema clinic; create table clinic.members (id int primary key, name text, x text)',
  );
  vi.stubEnv('CLINIC', 'postgres://?schema=clinic');
  expect((await check(name, '--database', 'CLINIC')).lines[0]).toContain('members.x');
  await sql`revoke all on members from current_user`;
  expect((await check(name)).all).toEqual(refused(/\(code 42501\)/));
  await sql.unsafe('drop table members; create view members as select * from clinic.members');
  expect((await check(name)).all).toEqual(refused(/must be unique and not null/));
  await sql`drop view members`;
});

const guests = defineFields({ guests: name });
test.each([
  ['', /must define tables once: pass one export as `--export` \(guests, older, version\)/],
  ['--export version', /must define tables once/],
  ['--export guests', /the database has no table "guests"/],
  ['--export guests --database postgres://none@localhost:1/none', /\(code ECONNREFUSED\)/],
  ['--export guests --database nowhere', /the database must be postgres:/],
  ['more', /pass `check <definition>`/],
])('a module with several definitions, and the words "%s", is refused', async (words, reason) => {
  const several = await moduleOf({ guests, older: defineFields({ guests: name }), version: 1 });
  const { all } = await checked(several, ...words.split(' ').filter(Boolean));
  expect(all).toEqual(refused(reason));
});
