// Links accounts in apps made of the code of docs/start/better-auth.md, as a sign-in does, and reads what their databases
// have: the tokens only as ciphertexts, which the apps open, refresh and use.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDatabase } from '@eaas/test-kit/database';
import { read, root } from '@eaas/test-kit/markdown';
import { requireTools } from '@eaas/test-kit/tools';
import { afterAll, expect, test, vi } from 'vitest';
import { formatSealed, newSealed } from '../../packages/local/src/sealed.ts';

type Row = Readonly<Record<string, string>>;
type Api = Readonly<Record<string, (call: object) => Promise<{ accessToken: string }>>>;
interface Adapter {
  linkAccount(account: object): Promise<unknown>;
}
interface Accounts {
  createOAuthUser(user: object, account: object): Promise<{ user: Row; account: Row }>;
  updateAccount(id: string, tokens: object): Promise<unknown>;
}
type Columns = readonly (readonly [name: string, type: string])[];

const page = read('docs/start/better-auth.md');
const generated = join(root, 'packages/drizzle/test/accounts/generated');
const load = createRequire(join(await requireTools('packages/drizzle/test/accounts'), 'x.cjs'));
const importOf = <T>(name: string) => import(pathToFileURL(load.resolve(name)).href) as Promise<T>;
const { symmetricEncrypt } = await importOf<{
  symmetricEncrypt: (options: { key: unknown; data: string }) => Promise<string>;
}>('better-auth/crypto');
const { getAuthTables } = await importOf<{
  getAuthTables: (options: object) => Record<string, { fields: Record<string, { type: string }> }>;
}>('better-auth/db');

const [secret, versioned] = ['a-secret-of-at-least-32-characters', 'another-secret-of-32-characters-1'];
vi.stubEnv('EAAS_LOCAL', formatSealed(newSealed(Date.now())));
vi.stubEnv('BETTER_AUTH_SECRET', secret);
afterAll(() => rmSync(generated, { recursive: true, force: true }));

/** The page's code of a file, with what the reader's app has at `// …`. */
function codeOf(file: string, rest = ''): string {
  const [, code = ''] = new RegExp(`^\`\`\`\\w+ ${file}\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  return code
    .replace('SECRET! }', `SECRET!, secrets: [{ version: 1, value: '${versioned}' }] }`)
    .replace(/^ *\/\/ … .*$/m, rest);
}

const builders = `import { pgTable as table, text as string, timestamp as date, boolean } from 'drizzle-orm/pg-core';`;
const types: Row = { string: 'text', date: 'timestamp', boolean: 'boolean' };
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** The tables that Better Auth's command writes. */
const tables = Object.entries(getAuthTables({})).map(([name, { fields }]) => {
  const columns: Columns = Object.entries(fields).map(([column, { type }]) => [column, type]);
  return { name, columns };
});
const linesOf = (columns: Columns): string =>
  `id: string('id').primaryKey(), ${columns.map(([name, type]) => `${name}: ${type}('${snake(name)}')`).join()}, `;

/** Saves the files of an app with a database, and returns what the last exports. */
async function appOf(files: Readonly<Record<string, string>>) {
  const { connection, name } = await createDatabase();
  const folder = join(generated, name);
  mkdirSync(folder, { recursive: true });
  const opening = `import postgres from 'postgres'; import { drizzle } from 'drizzle-orm/postgres-js';
export const db = drizzle(postgres({ ...${JSON.stringify(connection('owner'))}, max: 1 }));
export const query = (statement) => db.execute(statement);`;
  for (const [file, code] of Object.entries({ 'db.ts': opening, ...files })) {
    writeFileSync(join(folder, file), code);
  }
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href);
  const { query } = (await load('db.ts')) as { query: (statement: string) => Promise<Row[]> };
  return { query, app: await load(Object.keys(files).at(-1) ?? '') };
}

const ofEaas = `
import { createLocalService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
const eaas = new EaasClient({ service: createLocalService({ sealed: process.env.EAAS_LOCAL }) });`;

/** An app of Better Auth with the tables of its command, but those of `schema`. */
async function betterAuthApp(code: string, schema = '') {
  const others = tables.filter(({ name }) => !schema.includes(`const ${name} =`));
  const plain = others.map(
    ({ name, columns }) => `export const ${name} = table('${name}', {${linesOf(columns)}});`,
  );
  const imports = `
import { betterAuth } from 'better-auth';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { db } from './db.ts';
import * as schema from './schema.ts';
const refreshAccessToken = async () => ({ accessToken: 'ya29.refreshed' });
const google = { clientId: 'web', clientSecret: 'x', refreshAccessToken };
const settings = { secret: '${secret}', baseURL: 'http://app.example', socialProviders: { google } };`;
  const files = { 'schema.ts': [builders, schema, ...plain].join('\n'), 'auth.ts': imports + code };
  const { query, app } = await appOf(files);
  const { auth } = app as { auth: { api: Api; $context: Promise<{ internalAdapter: Accounts }> } };
  for (const { name, columns } of tables) {
    const lines = columns.map(([column, type]) => `, ${snake(column)} ${types[type]}`);
    await query(`create table "${name}" (id text primary key${lines.join('')})`);
  }
  const stored = () => query('select access_token, refresh_token, id_token from account');
  const { internalAdapter: accounts } = await auth.$context;
  return { api: auth.api, accounts, query, stored };
}

const columnsOfAccount = tables.find(({ name }) => name === 'account')?.columns ?? [];
const withDrizzle = () => {
  const others = columnsOfAccount.filter(([name]) => !/^(?:access|refresh|id)Token$/.test(name));
  return betterAuthApp(ofEaas + codeOf('auth.ts', '...settings,'), codeOf('schema.ts', linesOf(others)));
};
const wrapped = () => {
  const [previous = ''] = /const previous.*/.exec(codeOf('schema.ts')) ?? [];
  const [, database = ''] = /`(database: \(options\).*?)`/.exec(page) ?? [];
  const adapter = database.replace('yourAdapter', `drizzleAdapter(db, { provider: 'pg', schema })`);
  const code = `${ofEaas}
import { asIs, betterAuth as ofBetterAuth, firstOf } from '@eaas/migrate/formats';
import { plaintext } from '@eaas/sdk/fields';
${previous.replace('betterAuth(', 'ofBetterAuth(')}
${codeOf('encrypt-tokens.js')}
export const auth = betterAuth({ ${adapter}, ...settings });`;
  return betterAuthApp(code);
};

const ciphertext = expect.stringMatching(/^eaasA/) as string;
const sealedTokens = { access_token: ciphertext, refresh_token: ciphertext, id_token: ciphertext };

test.each([
  ['with Drizzle', withDrizzle],
  ['with a wrapped adapter', wrapped],
])('Better Auth %s stores ciphertexts, and uses the tokens', async (_, open) => {
  const { api, accounts, query, stored } = await open();
  const tokens = { accessToken: 'ya29.first', refreshToken: '1//first', idToken: 'eyJ.first' };
  const ann = { name: 'Ann', email: 'ann@example.com', emailVerified: true };
  const linked = { providerId: 'google', accountId: 'ann', ...tokens };
  const { user, account } = await accounts.createOAuthUser(ann, linked);
  expect(await stored()).toMatchObject([sealedTokens]);
  const call = { body: { accountId: account['id'], userId: user['id'] } };
  expect(await api['getAccessToken']?.(call)).toMatchObject({ accessToken: 'ya29.first' });
  await accounts.updateAccount(account['id'] ?? '', { ...tokens, accessToken: 'ya29.second' });
  expect(await stored()).toMatchObject([sealedTokens]);
  expect(await api['getAccessToken']?.(call)).toMatchObject({ accessToken: 'ya29.second' });
  expect(await api['refreshToken']?.(call)).toMatchObject({ accessToken: 'ya29.refreshed' });
  expect(await api['getAccessToken']?.(call)).toMatchObject({ accessToken: 'ya29.refreshed' });
  expect(await stored()).toMatchObject([sealedTokens]);

  const hex = await symmetricEncrypt({ key: secret, data: 'ya29.old' });
  const keys = { keys: new Map([[1, versioned]]), currentVersion: 1 };
  const named = await symmetricEncrypt({ key: keys, data: 'ya29.old' });
  expect([hex, named]).toEqual([expect.stringMatching(/^[\da-f]+$/), expect.stringMatching(/^\$ba\$1\$/)]);
  for (const text of [hex, named, 'ya29.old']) {
    await query(`update account set access_token = '${text}'`);
    expect(await api['getAccessToken']?.(call)).toMatchObject({ accessToken: 'ya29.old' });
  }
});

test('Auth.js stores ciphertexts, which its app opens', async () => {
  const code = `${ofEaas}
import { db } from './db.ts';
import { DrizzleAdapter } from '@auth/drizzle-adapter';
const adapter = DrizzleAdapter(db);
${codeOf('encrypted-adapter.js')}`;
  const { query, app: made } = await appOf({ 'auth.js': code });
  const app = made as { encryptedAdapter: Adapter; openTokens: (row: Row) => Promise<Row> };
  await query(`create table account ("userId" text, type text, provider text, "providerAccountId" text, scope text,
    access_token text, refresh_token text, id_token text, expires_at integer, token_type text, session_state text)`);
  const tokens = { access_token: 'ya29.first', refresh_token: '1//first', id_token: 'eyJ.first' };
  const ofAnn = { userId: '1', type: 'oidc', provider: 'google', providerAccountId: 'ann' };
  await app.encryptedAdapter.linkAccount({ ...ofAnn, ...tokens });

  const [account = {}] = await query('select * from account');
  expect(account).toMatchObject({ ...sealedTokens, ...ofAnn });
  expect(await app.openTokens(account)).toMatchObject(tokens);

  const ofBob = { ...account, providerAccountId: 'bob' };
  await expect(app.openTokens(ofBob)).rejects.toMatchObject({ code: 'decryption' });
  expect(await app.openTokens({ ...account, access_token: 'old' })).toMatchObject({ access_token: 'old' });
});
