// The command `adopt`, as a process, on the apps of `examples/adopt`, in SQLite, and with schemas of ORMs.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLocalService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { run } from '@eaas/test-kit/program';
import { requireTools } from '@eaas/test-kit/tools';
import { adopt, adopted, eaas, env, fill, oldKey, opened, sealed, sql } from './adopting.ts';

process.env['OLD_KEY'] = oldKey;
const { encrypt } = (await import(`${root}examples/adopt/connectors.mjs`)) as {
  readonly encrypt: (text: string) => string;
};
const old = ['--old-key', 'OLD_KEY', '--yes'];

test.each(['links', 'connectors', 'calendars', 'mailboxes'])(
  '%s: no value of the example is old afterwards, and none is lost',
  async (name) => {
    await run([process.execPath, 'examples/adopt/seed.mjs', name], { ...env, ROWS: '2000' });
    // In one run of bytes, a known value must prove where the iv of AES-CBC is.
    const proof = name === 'mailboxes' ? ['--iv-first', '--expect', '7'] : [];
    const options = ['DATABASE_URL', name, 'token', ...old, ...proof];
    expect(await adopted(options, root, {}, 'token 7\n')).toContain('nothing old was left');
    expect(await opened(name)).toEqual(Array.from({ length: 2_000 }, (_, at) => `token ${at + 1}`));
  },
);

test('the new keys can be in a variable that a key service locks, and the app can have a half', async () => {
  const program = join(await newDirectory(), 'kms.sh');
  await writeFile(program, '#!/bin/sh\nexec cat\n', { mode: 0o700 });
  const lock = [process.execPath, `${root}packages/local/bin/eaas-local.mjs`, 'lock'];
  const { stdout } = await run(lock, { EAAS_LOCAL: sealed, EAAS_LOCAL_NEW_KMS_COMMAND: program });
  const locked = { EAAS_LOCAL: stdout.trim().replace('EAAS_LOCAL=', '') };
  await fill('locked', [{ token: encrypt('a token') }]);
  const args = ['DATABASE_URL', 'locked', 'token', ...old];
  const { code, stderr } = await adopt(args, root, locked);
  expect([code, stderr]).toEqual([2, expect.stringContaining('EAAS_LOCAL_KMS_COMMAND')]);
  const half = 'eaas_half_VSKJF9dfAeJoWeuyFp5EkW3ZcrIIOfWJ7WBqHh7Q6GE4LQSsN';
  await adopted(args, root, { ...locked, EAAS_LOCAL_KMS_COMMAND: program, EAAS_HALF: half });
  const app = new EaasClient({ service: createLocalService({ sealed }), half });
  expect(await opened('locked', app)).toEqual(['a token']);
});

test('a schema of Drizzle names the columns of a table in SQLite, whose ids can be above 2^53', async () => {
  const tools = await requireTools('test/tools/drizzle');
  const load = createRequire(join(tools, 'index.js'));
  const folder = await newDirectory();
  const [file, schema] = [join(folder, 'app.db'), join(folder, 'schema.mjs')];
  const address = { DATABASE_URL: `file:${file}` };
  const large = 2n ** 53n + 1n;
  const Database = load('libsql') as new (path: string) => { exec(text: string): void };
  new Database(file).exec(`
    create table account (user_id text primary key, email text unique, access_token text);
    insert into account values ('ada', 'ada@example.com', '${encrypt('ya29.a0')}');
    create table numbers (id integer primary key, token text);
    insert into numbers values (${large}, '${encrypt('ya29.a2')}')`);
  const drizzle = JSON.stringify(pathToFileURL(load.resolve('drizzle-orm/sqlite-core')).href);
  await writeFile(
    schema,
    `import { sqliteTable, text } from ${drizzle};
    export const [version, none, accounts] = ['1', null, sqliteTable('account', {
      userId: text('user_id').primaryKey(), email: text(), accessToken: text('access_token'),
    })];`,
  );
  const byExport = await adopt([schema, 'accounts', 'accessToken', '--yes'], tools, address);
  expect(byExport.stderr).toContain('(it has account)');
  expect(await adopted([schema, 'account', 'accessToken', ...old], tools, address)).toContain(
    "accessToken: encrypted('access_token', field.text({ previous })),",
  );
  const { encrypted, encryptedTable, withEncryption } = await import(
    `${root}packages/drizzle/dist/sqlite.js`
  );
  const { text } = load('drizzle-orm/sqlite-core');
  const accessToken = encrypted('access_token', field.text());
  const accounts = encryptedTable('account', { userId: text('user_id').primaryKey(), accessToken });
  const app = withEncryption(load('drizzle-orm/libsql').drizzle(`file:${file}`), eaas);
  expect(await app.select().from(accounts)).toEqual([{ userId: 'ada', accessToken: 'ya29.a0' }]);

  await adopted([`file:${file}`, 'numbers', 'token', ...old], tools);
  const { rows } = await app.$client.execute('select token from numbers');
  const numbers = defineFields({ numbers: { token: field.text() } }).for(eaas);
  expect(await numbers.decryptRow('numbers', large, { ...rows[0] })).toEqual({ token: 'ya29.a2' });
});

test('a schema of Prisma names the columns of a table in PostgreSQL', async () => {
  await fill('accounts', [{ accessToken: encrypt('ya29.a1') }], '"accessToken" text');
  const schema = join(await newDirectory(), 'schema.prisma');
  await writeFile(
    schema,
    `model User {\n  id Int @id\n}\n
    model Account {\n  key Int @id @map("id")\n  token String? @map(name: "accessToken") // once @map("tok")\n  @@map("accounts")\n}`,
  );
  await adopted([schema, 'Account', 'token', ...old]);
  const [row] = await sql<{ token: string }[]>`select "accessToken" as token from accounts`;
  const records = defineFields({ Account: { token: field.text() } }).for(eaas);
  expect(row && (await records.decryptRow('Account', 1, row))).toEqual({ token: 'ya29.a1' });
});

test('a reader in a language that Node does not load is refused, with both remedies', async () => {
  const reader = join(await newDirectory(), 'old.tsx');
  await writeFile(reader, 'export default (stored: string) => stored;');
  await fill('refusals', [{ token: 'old:one' }]);
  const args = ['DATABASE_URL', 'refusals', 'token', '--reader', reader];
  const { code, stderr } = await adopt(args);
  const remedies = /extension "\.tsx".*pass a \.mjs file, or set NODE_OPTIONS="--import tsx"/;
  expect([code, stderr]).toEqual([2, expect.stringMatching(remedies)]);
  const loaded = await adopt(args, root, { NODE_OPTIONS: '--import tsx' });
  expect(loaded.stderr).toContain('row 1 has no known format');
});
