// The command `adopt`, as a process, on the apps of `examples/adopt`, in SQLite, and with schemas of ORMs.
import { createCipheriv, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { localService } from '@eaas/local';
import * as formats from '@eaas/migrate/formats';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { run } from '@eaas/test-kit/program';
import { requireTools } from '@eaas/test-kit/tools';
import { adopt, eaas, env, oldKey, sealed, sql } from './adopting.ts';

process.env['OLD_KEY'] = oldKey;
const appOf = async (name: string) =>
  (await import(`${root}examples/adopt/${name}.mjs`)) as { readonly encrypt: (text: string) => string };

test.each(['links', 'connectors', 'calendars', 'mailboxes'])(
  '%s: no value of the example is old afterwards, and none is lost',
  async (name) => {
    const rows = 2_000;
    await run([process.execPath, `examples/adopt/seed.mjs`, name], { ...env, ROWS: String(rows) });
    const args = ['DATABASE_URL', name, 'token', '--old-key', 'OLD_KEY', '--yes'];
    const { code, stdout, stderr } = await adopt(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('nothing old was left');
    const stored = await sql<{ id: number; token: string }[]>`select * from ${sql(name)} order by id`;
    const opened = await defineFields({ [name]: { token: field.text() } })
      .for(eaas)
      .decryptRows(name, stored, ({ id }) => id);
    const known = Array.from({ length: rows }, (_, at) => [at + 1, `token ${at + 1}`]);
    expect(opened.map(({ id, token }) => [id, token])).toEqual(known);
  },
);

/** Makes a table whose column has these values. */
async function fill(name: string, values: readonly string[]): Promise<void> {
  await sql`drop table if exists ${sql(name)}`;
  await sql`create table ${sql(name)} (id int primary key, token text)`;
  for (const [at, token] of values.entries())
    await sql`insert into ${sql(name)} values (${at + 1}, ${token})`;
}

test('the new keys can be in a variable that a key service locks, and the app can have a half', async () => {
  const program = join(await newDirectory(), 'kms.sh');
  await writeFile(program, '#!/bin/sh\nexec cat\n', { mode: 0o700 });
  const lock = [process.execPath, `${root}packages/local/bin/eaas-local.mjs`, 'lock'];
  const { stdout } = await run(lock, { EAAS_LOCAL: sealed, EAAS_LOCAL_NEW_KMS_COMMAND: program });
  const locked = { EAAS_LOCAL: stdout.trim().replace('EAAS_LOCAL=', '') };
  const { encrypt } = await appOf('connectors');
  await fill('locked', [encrypt('a token')]);
  const args = ['DATABASE_URL', 'locked', 'token', '--old-key', 'OLD_KEY', '--yes'];
  expect(await adopt(args, root, locked)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('EAAS_LOCAL_KMS_COMMAND') as string,
  });
  const half = 'eaas_half_VSKJF9dfAeJoWeuyFp5EkW3ZcrIIOfWJ7WBqHh7Q6GE4LQSsN';
  const opened = await adopt(args, root, { ...locked, EAAS_LOCAL_KMS_COMMAND: program, EAAS_HALF: half });
  expect([opened.code, opened.stderr]).toEqual([0, '']);
  const rows = await sql<{ id: number; token: string }[]>`select * from locked`;
  const app = new EaasClient({ service: localService({ sealed }), half });
  const reading = defineFields({ locked: { token: field.text() } }).for(app);
  expect(await reading.decryptRows('locked', rows, ({ id }) => id)).toMatchObject([{ token: 'a token' }]);
});

test('AES-CBC alone is believed after 32 values, and the lines that it prints read the values', async () => {
  const { encrypt } = await appOf('mailboxes');
  const key = Buffer.from(oldKey, 'hex');
  const alone = (text: string) => {
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    return `${iv.toString('hex')}:${cipher.update(text, 'utf8', 'hex')}${cipher.final('hex')}`;
  };
  const args = ['DATABASE_URL', 'alone', 'token', '--old-key', 'OLD_KEY', '--yes'];
  await fill(
    'alone',
    Array.from({ length: 31 }, (_, at) => alone(`token ${at}`)),
  );
  const few = await adopt(args);
  expect(few.stdout).toMatch(
    /31 {2}unknown: OLD_KEY opens all 31 as aes-256-cbc .*, so only 32 values .*`--reader`/,
  );
  expect(few.stderr).toContain('Nothing was changed: alone.token of row 1');
  await fill('alone', [encrypt('signed'), ...Array.from({ length: 32 }, (_, at) => alone(`token ${at}`))]);
  const { code, stdout } = await adopt(args);
  expect([code, stdout]).toEqual([0, expect.stringContaining('32  aes-256-cbc iv:ciphertext in hex')]);
  expect(stdout).toContain('not authenticated');
  const [, printed = ''] =
    /const previous = plaintext\(([^]*?), \{ write: encrypt \}\);\n/.exec(stdout) ?? [];
  const read = runInNewContext(printed, { ...formats, process }) as formats.Reader;
  expect([read(alone('one')), read(encrypt('two'))]).toEqual(['one', 'two']);
});

test('a schema of Drizzle names the columns of a table in SQLite, and one of Prisma those in PostgreSQL', async () => {
  const tools = await requireTools('test/tools/drizzle');
  const load = createRequire(join(tools, 'index.js'));
  const folder = await newDirectory();
  const file = join(folder, 'app.db');
  const { encrypt } = await appOf('connectors');
  const Database = load('libsql') as new (path: string) => { exec(text: string): void };
  new Database(file).exec(
    `create table account (user_id text primary key, email text unique, access_token text); ` +
      `insert into account values ('ada', 'ada@example.com', '${encrypt('ya29.a0')}')`,
  );
  const drizzle = JSON.stringify(pathToFileURL(load.resolve('drizzle-orm/sqlite-core')).href);
  await writeFile(
    join(folder, 'schema.mjs'),
    `import { sqliteTable, text } from ${drizzle};
    export const [version, none, accounts] = ['1', null, sqliteTable('account', {
      userId: text('user_id').primaryKey(), email: text(), accessToken: text('access_token'),
    })];`,
  );
  const byExport = [join(folder, 'schema.mjs'), 'accounts', 'accessToken', '--yes'];
  expect((await adopt(byExport, tools, { DATABASE_URL: `file:${file}` })).stderr).toContain(
    '(it has account)',
  );
  const inDrizzle = [join(folder, 'schema.mjs'), 'account', 'accessToken', '--old-key', 'OLD_KEY', '--yes'];
  const first = await adopt(inDrizzle, tools, { DATABASE_URL: `file:${file}` });
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(first.stdout).toContain("accessToken: encrypted('access_token', field.text({ previous })),");
  const { encrypted, encryptedTable, withEncryption } = await import(
    `${root}packages/drizzle/dist/sqlite.js`
  );
  const { text } = load('drizzle-orm/sqlite-core');
  const accessToken = encrypted('access_token', field.text());
  const accounts = encryptedTable('account', { userId: text('user_id').primaryKey(), accessToken });
  const app = withEncryption(load('drizzle-orm/libsql').drizzle(`file:${file}`), eaas);
  expect(await app.select().from(accounts)).toEqual([{ userId: 'ada', accessToken: 'ya29.a0' }]);

  const large = 2n ** 53n + 1n;
  new Database(file).exec(
    `create table numbers (id integer primary key, token text); insert into numbers values (${large}, '${encrypt('ya29.a2')}')`,
  );
  const byNumber = await adopt([`file:${file}`, 'numbers', 'token', '--old-key', 'OLD_KEY', '--yes'], tools);
  expect([byNumber.code, byNumber.stderr]).toEqual([0, '']);
  const { rows: found } = await load('@libsql/client')
    .createClient({ url: `file:${file}` })
    .execute('select token from numbers');
  const numbers = defineFields({ numbers: { token: field.text() } }).for(eaas);
  expect(await numbers.decryptRow('numbers', large, { token: found[0].token })).toEqual({ token: 'ya29.a2' });

  await sql`create table accounts (id int primary key, "accessToken" text)`;
  await sql`insert into accounts values (7, ${encrypt('ya29.a1')})`;
  await writeFile(
    join(folder, 'schema.prisma'),
    `model User {\n  id Int @id\n}\n
    model Account {\n  key Int @id @map("id")\n  token String? @map(name: "accessToken") // once @map("tok")\n  @@map("accounts")\n}`,
  );
  const inPrisma = `${join(folder, 'schema.prisma')} Account token --old-key OLD_KEY --yes`;
  const second = await adopt(inPrisma.split(' '));
  expect([second.code, second.stderr]).toEqual([0, '']);
  const [row] = await sql<{ id: number; token: string }[]>`select id, "accessToken" as token from accounts`;
  const records = defineFields({ Account: { token: field.text() } }).for(eaas);
  expect(row && (await records.decryptRow('Account', 7, row))).toEqual({ id: 7, token: 'ya29.a1' });
});

test.each([
  [['DATABASE_URL', 'nowhere', 'token'], 'the database has no table "nowhere"'],
  [['DATABASE_URL', 'refusals', 'tokn'], 'did you mean `token`?'],
  [['DATABASE_URL', 'refusals'], 'the columns to convert'],
  [['UNSET', 'refusals', 'token'], 'the first argument must be postgres://…'],
  [
    ['examples/adopt/links.mjs', 'refusals', 'token'],
    'names no table `refusals` in the database (it has none)',
  ],
  [
    ['DATABASE_URL', 'refusals', 'token', '--old-key', 'UNSET'],
    'the old key or salt must be a non-empty text',
  ],
  [['DATABASE_URL', 'refusals', 'token', '--plaintext', '--old-key', 'OLD_KEY'], 'no old key opens token'],
  [['DATABASE_URL', 'refusals', 'token', '--pace', '1'], "Unknown option '--pace'"],
])('%j is refused, with what to do', async (args, reason) => {
  await fill('refusals', ['ghp 16C7e42F']);
  const { code, stderr } = await adopt(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
});

test('a reader in a language that Node does not load is refused, with both remedies', async () => {
  const reader = join(await newDirectory(), 'old.tsx');
  await writeFile(reader, 'export default (stored: string) => stored;');
  await fill('refusals', ['old:one']);
  const { code, stderr } = await adopt(['DATABASE_URL', 'refusals', 'token', '--reader', reader]);
  const remedies = /extension "\.tsx".*pass a \.mjs file, or set NODE_OPTIONS="--import tsx"/;
  expect([code, stderr]).toEqual([2, expect.stringMatching(remedies)]);
  const options = { NODE_OPTIONS: '--import tsx' };
  const loaded = await adopt(['DATABASE_URL', 'refusals', 'token', '--reader', reader], root, options);
  expect(loaded.stderr).toContain('row 1 has no known format');
});
