// The command `check`, as a process, in each database: it finds nothing in what drizzle-kit makes, then each fault, and nothing in the
// databases of the examples.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { startMariaDb } from '@eaas/test-kit/mariadb';
import { root } from '@eaas/test-kit/markdown';
import { createClient } from '@eaas/test-kit/orms/client';
import { type Environment, run } from '@eaas/test-kit/program';
import { requireTools } from '@eaas/test-kit/tools';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { variablesOf } from './in-process.ts';

const cwd = await requireTools('test/tools/drizzle');
const load = createRequire(join(cwd, 'index.js'));
const folder = await newDirectory();
const ciphertext = await (await createClient()).eaas.encrypt('Ada');
type Entry = 'pg' | 'mysql' | 'sqlite';

/** Opens a database. Returns the variables that name it, and a function that runs a statement. */
const opening = {
  async pg() {
    const connection = (await closing(createDatabase(), (it) => it.drop())).connection('owner');
    const sql = await closing(postgres({ ...connection, max: 1, onnotice: () => {} }), (it) => it.end());
    return { env: variablesOf(connection), sql: (text: string): unknown => sql.unsafe(text) };
  },
  async mysql() {
    const { socket } = await closing(startMariaDb(), (it) => it.stop());
    const DATABASE_URL = `mysql://root@localhost/test?socketPath=${encodeURIComponent(socket)}`;
    const pool = load('mysql2/promise').createPool(DATABASE_URL);
    await closing(undefined, () => pool.end());
    return { env: { DATABASE_URL }, sql: (text: string): unknown => pool.query(text) };
  },
  async sqlite() {
    const file = join(await newDirectory(), 'app.db');
    const database = new (load('libsql'))(file);
    return { env: { DATABASE_URL: `file:${file}` }, sql: (text: string): unknown => database.exec(text) };
  },
};

/** Saves a module with a definition, and returns its path. */
function saved(entry: Entry, code: string): string {
  const path = join(folder, `${crypto.randomUUID()}.mjs`);
  const head = `import { encrypted, encryptedTable } from '${root}packages/drizzle/dist/${entry}.js';
    import { defineFields, field, part, plaintext, unencrypted } from '${root}packages/sdk/dist/fields/fields.js';
    import * as core from '${root}node_modules/drizzle-orm/${entry}-core/index.js';
    const [{ text }, randomUUID] = [core, undefined];`;
  writeFileSync(path, `${head}\nexport const defined = ${code};`);
  return path;
}

function members(entry: Entry, options = ''): string {
  const columns = `id: (core.varchar ?? text)({ length: 36 }).primaryKey(), name: encrypted(field.text()),
    email: encrypted(field.text(${options}).searchable()).unique(), createdAt: text(),
    bio: encrypted(field.text().searchableBy({ words: part.words() })),`;
  return saved(entry, `encryptedTable('members', { ${columns} }, { lowEntropy: 'accepted' })`);
}

async function check(env: Environment, ...args: readonly string[]) {
  const command = [process.execPath, `${root}packages/migrate/bin/eaas-migrate.mjs`, 'check', ...args];
  const { code, stdout, stderr } = await run(command, env, { cwd });
  return { code, lines: stdout.split('\n').filter(Boolean), stderr };
}

const [unique, constraint] = ['members_email_index_unique', 'alter table members drop constraint'];
const partial = "create index p on members (email_index) where id > '0'";
const failing = "case when not (name glob 'eaas*') then json_extract(json_quote(name), 'w') end";
const narrowing = "update sqlite_master set sql = replace(sql, 'email_index` text', 'email_index` blob')";
/** What drops a check, makes an index for words, a weaker check, an index that serves no search, and a shorter column. */
const own = {
  pg: `${constraint}
    create index words on members using gin (string_to_array(bio_words_index, ' '))
    alter table members add check (name like 'eaas%')
    ${constraint} ${unique}; ${partial}
    alter table members alter email_index type varchar(32)`,
  mysql: `${constraint}
    create fulltext index words on members (bio_words_index)
    alter table members add check (name like 'eaasA%')
    drop index ${unique} on members
    alter table members modify email_index varchar(32)`,
  sqlite: `drop index
    select 1
    create index w on members (name) where ${failing}
    drop index ${unique}; ${partial}
    pragma writable_schema = on; ${narrowing}; pragma writable_schema = reset`,
};

async function expectAllFound(entry: Entry): Promise<void> {
  const { env, sql } = await opening[entry]();
  const [drop, words = '', weaker, unindexed, narrowed] = own[entry].split('\n');
  const kit = [process.execPath, join(load.resolve('drizzle-kit'), '../bin.cjs'), 'export'];
  const options = [`--dialect=${entry.replace('pg', 'postgresql')}`, `--schema=${members(entry)}`];
  const { stdout } = await run([...kit, ...options], {}, { cwd });
  const made = stdout.slice(stdout.indexOf('CREATE')).split(/;\s+/).filter(Boolean);
  const row = `insert into members (id, name, email) values ('1', '${ciphertext}', '${ciphertext}')`;
  const make = async (more = '') => {
    const statements = ['drop table if exists members', ...made, words, row, ...more.split('; ')];
    for (const each of statements.filter(Boolean)) await sql(each);
  };
  await make();
  const nothing = expect.stringContaining('1 rows of 1 tables: 0 errors, 0 warnings');
  // As the option `casing` of Drizzle would name it.
  if (entry !== 'pg') await sql('alter table members rename column createdAt to created_at');
  expect(await check(env, members(entry), '--all')).toEqual({ code: 0, lines: [], stderr: nothing });
  const cut = `insert into members (id, name) values ('2', '${ciphertext.slice(0, 99)}')`;
  for (const [found, more] of [
    ['extra: expected no such column, found one', 'alter table members add column extra text'],
    ['name: expected check', `${drop} members_name_encrypted`],
    ['name: expected check', `${drop} members_name_encrypted; ${weaker}`],
    ['email: expected check', `${drop} members_email_index_check`],
    ['email_index: expected an index', `create index a on members (id, email_index); ${unindexed}`],
    ['email_index: expected text of 64 characters', narrowed],
    ['name: expected ciphertexts, found 1 others, first in row 2', cut],
  ] as const) {
    await make(more);
    const lines = [expect.stringContaining(`error: members.${found}`)];
    expect(await check(env, members(entry))).toMatchObject({ code: 1, lines });
  }
  await make();
  const { code, lines } = await check(env, members(entry, '{ previous: plaintext() }'));
  expect([code, lines]).toEqual([1, [expect.stringContaining('members.email: expected old values')]]);
}

test.each(['pg', 'sqlite'] as const)('%s: the command finds each fault, and nothing else', expectAllFound);
whereAvailable('MariaDB', isInstalled('mariadbd', '/usr/sbin'), () => {
  test.each(['mysql'] as const)('%s: the command finds each fault, and nothing else', expectAllFound);
});

/** A file with a definition, and one with the statement that makes its table. The ORMs of the last two make no checks. */
test.each<[Entry, number, string, string?]>([
  ['sqlite', 0, 'start/next/lib/patients.ts'],
  ['sqlite', 0, 'start/sveltekit/src/lib/server/patients.ts'],
  ['sqlite', 0, 'start/intake/read.js'],
  ['pg', 0, 'clinic/table.mjs', 'clinic/server.mjs'],
  ['pg', 3, 'start/nestjs/src/patient.ts', 'start/intake/read.js'],
  ['pg', 3, 'start/express/db.ts', '../test/docs/quick-start.ts'],
] as const)(
  '%s: %i warnings are found in an example, %s',
  async (entry, warnings, definition, made = definition) => {
    const textOf = (path: string) => readFileSync(`${root}examples/${path}`, 'utf8');
    const [defined = ''] = /(?:encryptedTable|defineFields)\([^]*?\n\}\)/.exec(textOf(definition)) ?? [];
    const [statement = ''] = /create table[^`]*/.exec(textOf(made)) ?? [];
    const { env, sql } = await opening[entry]();
    await sql(statement);
    const { code, stderr } = await check(env, saved(entry, defined));
    expect([code, stderr]).toEqual([0, expect.stringContaining(`: 0 errors, ${warnings} warnings`)]);
  },
);

test.each([
  ['schema.tsx', 'NODE_OPTIONS="--import tsx"'],
  ['schema.mjs', 'Unable to open'],
])('what cannot be loaded or opened is refused with exit code 2: %s', async (file, reason) => {
  writeFileSync(join(folder, file), readFileSync(members('sqlite')));
  const refused = { code: 2, lines: [], stderr: expect.stringContaining(reason) };
  expect(await check({}, join(folder, file), '--database', 'file:/')).toEqual(refused);
});
