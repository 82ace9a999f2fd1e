// Follows docs/start/tokens.md as its reader does, and runs what its table says: what sixty typical lines lack, and that
// Eaas has it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { localService } from '@eaas/local';
import { inventory, migrate } from '@eaas/migrate';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { testDatabase } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { installPackages } from '@eaas/test-kit/installed-packages';
import { blocksOf, read, root, rowsUnder } from '@eaas/test-kit/markdown';
import { requireTools } from '@eaas/test-kit/tools';
import { expect, onTestFinished, test, vi } from 'vitest';
import { formatSealed, newSealed, openSealed, rotated } from '../../packages/local/src/sealed.ts';
import { openPrograms } from '../../packages/prisma/test/programs.ts';
import { follow } from './quick-start.ts';
import { decrypt, encrypt, rotate } from './sixty-lines.ts';

const page = read('docs/start/tokens.md');

interface Driver {
  readonly createClient: (options: { url: string }) => {
    execute(statement: { sql: string; args: readonly unknown[] }): Promise<{ rows: object[] }>;
    close(): void;
  };
}

test('the page works as its reader types it: the token is encrypted, rotated and read again', async () => {
  const app = await closing(installPackages(), (it) => it.remove());
  const homes = [root, join(await requireTools('test/tools/drizzle'), '..')];
  const browse = (): never => expect.unreachable('the page has no browser');
  const { folder } = await follow('docs/start/tokens.md', {
    app,
    homes,
    database: await testDatabase(),
    browse,
  });
  const stored = readFileSync(join(folder, 'app.db'), 'latin1');
  expect(stored).toContain('eaasA');
  expect(stored).not.toContain('sk-ada');
});

test('the code for Prisma compiles, and does what the code for Drizzle does', async () => {
  const code = /```ts prisma\.mts\n(.*?)```/s.exec(page)?.[1] ?? '';
  const before = `
import { PrismaPg } from '@prisma/adapter-pg';
import { localService } from '@eaas/local';
import { encrypted } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { PrismaClient } from './client/client.ts';
const prisma = new PrismaClient({ adapter: new PrismaPg(JSON.parse(process.env.DATABASE!)) });
const eaas = new EaasClient({ service: localService({ sealed: process.env.EAAS_LOCAL }) });
`;
  const model =
    'model Connector {\n id String @id @default(uuid())\n user String\n key String\n key_index String?\n}\n';
  const files = { 'app.mts': `${before}${code}\nawait prisma.$disconnect();` };
  const programs = await closing(openPrograms(7, 'tokens', model, files), (it) => it.close());
  await programs.sql`create table "Connector" (id text primary key, "user" text, key text, key_index text)`;
  expect(await programs.compile()).toBe('');
  expect(await programs.run('app.mts', { EAAS_LOCAL: sealed })).toBe('ada sk-ada-1\n');
  const [stored] = await programs.sql`select key from "Connector"`;
  expect(stored).toMatchObject({ key: expect.stringMatching(/^eaasA/) as string });
});

const sealed = formatSealed(newSealed(Date.now()));
const fields = defineFields({ connectors: { token: field.text().searchable() } });

/** The records of a process with this variable. */
function openVariable(variable: string) {
  const client = new EaasClient({ service: localService({ sealed: variable }) });
  return { client, records: fields.for(client, { index: 'service' }) };
}

const next = (): string => formatSealed(rotated(openSealed(sealed), Date.now(), Date.now()));

async function openTable() {
  const load = createRequire(join(await requireTools('test/tools/drizzle'), 'tokens.cjs'));
  const { createClient } = load('@libsql/client') as Driver;
  const driver = createClient({ url: `file:${join(await newDirectory(), 'app.db')}` });
  onTestFinished(() => driver.close());
  const query = async (statement: string, values: readonly unknown[] = []): Promise<never[]> => {
    const { rows } = await driver.execute({ sql: statement, args: values });
    // Rows of libsql are lists too.
    return rows.map((row) => Object.fromEntries(Object.entries(row))) as never[];
  };
  await query('create table connectors (id text primary key, token text, token_index text)');
  const insert = async (id: string, variable: string, token: string) => {
    const row = await openVariable(variable).records.encryptRow('connectors', id, { token });
    return query('insert into connectors values (?, ?, ?)', [id, row.token, row.token_index]);
  };
  return { query, insert };
}

const lacks: Readonly<Record<string, () => Promise<void>>> = {
  async 'the key changes'() {
    const old = encrypt('1//old');
    vi.stubEnv('ENCRYPTION_KEY', 'the new secret');
    expect(() => decrypt(old)).toThrow('unable to authenticate data');

    const stored = await openVariable(sealed).records.encryptRow('connectors', 1, { token: '1//old' });
    const { records } = openVariable(next());
    expect(await records.decryptRow('connectors', 1, stored)).toMatchObject({ token: '1//old' });
  },

  async 'you ask what is left under the old key'() {
    const partsOf = (stored: string) => stored.split(':').map((part) => part.length);
    const old = encrypt('1//one');
    vi.stubEnv('ENCRYPTION_KEY', 'the new secret');
    expect([encrypt('1//one').slice(0, 7), partsOf(encrypt('1//one'))]).toEqual(['enc:v1:', partsOf(old)]);

    const { query, insert } = await openTable();
    for (const [id, variable] of [sealed, sealed, next()].entries())
      await insert(`${id}`, variable, '1//one');
    const { keys } = await inventory({ dialect: 'sqlite', query }, 'connectors', { fields });
    const counted = keys[0]?.versions.map(({ key_version, values }) => `${values} under ${key_version}`);
    expect(counted?.toSorted()).toEqual(['1 under 2', '2 under 1']);
  },

  async 'a token is refreshed during a re-encryption'() {
    const table = new Map([['1', encrypt('1//before')]]);
    vi.stubEnv('ENCRYPTION_KEY', 'the new secret');
    const read = async () => {
      const rows = [...table];
      table.set('1', encrypt('1//refreshed'));
      return rows;
    };
    await rotate('the old secret', read, async (id, token) => table.set(id, token));
    expect(decrypt(table.get('1') ?? '')).toBe('1//before');

    const { query, insert } = await openTable();
    await insert('1', sealed, '1//before');
    const { client, records } = openVariable(next());
    const { token } = await records.encryptRow('connectors', '1', { token: '1//refreshed' });
    const refreshing = async (statement: string, values: readonly unknown[]) => {
      if (/^\s*update/i.test(statement)) await query('update connectors set token = ?', [token]);
      return query(statement, values);
    };
    const db = { dialect: 'sqlite', query: refreshing } as const;
    const { done, progress } = await migrate(db, 'connectors', 'rewrap', { client, fields });
    expect([done, progress.rewritten]).toEqual([true, 0]);
    expect(await query('select token from connectors')).toEqual([{ token }]);
  },

  async 'a value is copied to another row'() {
    const ofEve = { id: 'eve', token: encrypt('1//of-ada') };
    expect(decrypt(ofEve.token)).toBe('1//of-ada');

    const { records } = openVariable(sealed);
    const stored = await records.encryptRow('connectors', 'ada', { token: '1//of-ada' });
    await expect(records.decryptRow('connectors', 'eve', stored)).rejects.toMatchObject({
      code: 'decryption',
    });
  },

  async 'a code path forgets to encrypt'() {
    expect(decrypt('1//never-encrypted')).toBe('1//never-encrypted');

    const { records } = openVariable(sealed);
    const forgotten = records.decryptRow('connectors', 'ada', { token: '1//never-encrypted' });
    await expect(forgotten).rejects.toMatchObject({ name: 'FieldError', row: 'ada' });
  },

  async 'the variable is pasted with its quotes'() {
    vi.stubEnv('ENCRYPTION_KEY', '"the old secret"');
    const stored = encrypt('1//one');
    vi.stubEnv('ENCRYPTION_KEY', 'the old secret');
    expect(() => decrypt(stored)).toThrow('unable to authenticate data');

    for (const pasted of [`"${sealed}"`, sealed.slice(0, -9), '', undefined])
      await expect(async () => openVariable(pasted as string)).rejects.toThrow(/sealed/);
  },

  async 'a leaked key must be found'() {
    expect(encrypt('sk-leaked')).not.toBe(encrypt('sk-leaked'));

    const { records } = openVariable(sealed);
    const stored = await records.encryptRow('connectors', '1', { token: 'sk-leaked' });
    const { token_index } = await records.where('connectors', { token: 'sk-leaked' });
    expect(token_index).toEqual([stored.token_index]);
  },
};

test.each(Object.entries(lacks))('sixty typical lines lack what Eaas has, when %s', async (_, run) => {
  vi.stubEnv('ENCRYPTION_KEY', 'the old secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  await run();
  expect.hasAssertions();
});

test('the table of the page has what these tests show, and the pages are short', () => {
  expect(rowsUnder(page, 'what happens').map(([title]) => title)).toEqual(Object.keys(lacks));
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(1_200);
  expect(read('docs/start/better-auth.md').split(/\s+/).length).toBeLessThanOrEqual(500);
  const [six = ''] = blocksOf(page, 'js token\\.mjs');
  expect(six.split('\n').filter((line) => line !== '')).toHaveLength(6);
});
