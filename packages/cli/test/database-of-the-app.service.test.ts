import { openPool } from '@eaas/test-kit/server';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eaas as program, type Environment, run, serve } from '@eaas/test-kit/program';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { inTerminal, newRootKey, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

// An app has a database, and names it in DATABASE_URL, as most apps and hosts do.
let folder: string;
const app = await createDatabase();
await withOwner(app, (sql) => sql`create table patients (name text)`);

const place = async (): Promise<void> => {
  folder = await newDirectory();
};
const withPassword = (url: string): string => url.replace('@', ':hunter2@');
const type = (env: Environment, ...args: string[]) => run([...program, ...args], env, { cwd: folder });

async function withOwner<T>(
  database: TestDatabase,
  work: (sql: ReturnType<typeof openPool>) => Promise<T>,
): Promise<T> {
  const sql = openPool(database.connection('owner'), 1);
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

const hasSchema = (database: TestDatabase): Promise<boolean> =>
  withOwner(database, async (sql) => (await sql`select from pg_namespace where nspname = 'eaas'`).count > 0);

test.each([
  [
    'in a folder with data of the service',
    ['serve', 'migrate --yes', 'tenant list'],
    'DATABASE_URL names the',
  ],
  ['elsewhere', ['serve', 'tenant create --name acme'], 'has no tables of Eaas, and was not changed'],
])('%s, %j name the database of the app, and change nothing', async (where, lines, message) => {
  await place();
  if (where !== 'elsewhere') await mkdir(join(folder, '.eaas'), { mode: 0o700 });
  const env = { DATABASE_URL: withPassword(app.url('owner')), EAAS_ROOT_KEY: newRootKey(), EAAS_PORT: '0' };
  for (const line of lines) {
    const stderr = await refusalOf(type(env, ...line.split(' ')), 3);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`database "${app.name}" on `);
    expect(stderr).toContain(where === 'elsewhere' ? 'set EAAS_DATABASE_URL' : `set EAAS_DATA_DIR=${folder}`);
    expect(stderr).not.toContain('hunter2');
  }
  const doctor = await type(env, 'doctor');
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining(`database "${app.name}" on `) });
  expect(doctor.stdout).not.toContain('hunter2');
  expect(await hasSchema(app)).toBe(false);
});

test('a DATABASE_URL alone is accepted by `eaas migrate`, `eaas serve` and the commands', async () => {
  await place();
  const own = await createDatabase();
  const { url } = own;
  const env = {
    DATABASE_URL: url('server'),
    EAAS_MIGRATE_DATABASE_URL: url('owner'),
    EAAS_ROOT_KEY: newRootKey(),
  };
  await withOwner(own, (sql) => sql`create view public.numbers as select 1 as number`);
  expect(await type(env, 'migrate', '--yes')).toMatchObject({ code: 0 });
  expect(await type(env, 'tenant', 'create', '--name', 'acme')).toMatchObject({ code: 0 });
  const server = await serve(env, { cwd: folder });
  onTestFinished(() => server.stop());
  expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
});

test('`eaas migrate` asks before it adds its schema to a database with tables of somebody else', async () => {
  await place();
  const shared = await createDatabase();
  onTestFinished(() => shared.drop());
  await withOwner(shared, async (sql) => {
    await sql`create schema shop`;
    for (const name of ['a', 'b', 'c', 'd']) await sql`create table shop.${sql(name)} (id int)`;
  });
  const env = {
    EAAS_DATABASE_URL: withPassword(shared.url('server')),
    EAAS_MIGRATE_DATABASE_URL: withPassword(shared.url('owner')),
  };
  const refused = await type(env, 'migrate');
  expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/^Nothing was changed\. /);
  expect(refused.stderr).toContain(`the database "${shared.name}" on `);
  expect(refused.stderr).toContain('has 4 tables of somebody else (shop.a, shop.b, shop.c, …)');
  expect(refused.stderr).toContain('add --yes');
  expect(refused.stderr).not.toContain('hunter2');

  const answered = await run(inTerminal(['migrate']), env, { cwd: folder, input: 'no\n' });
  expect(answered.code).toBe(2);
  expect(answered.stdout).toMatch(/Type yes to continue: [^]*Nothing was changed\./);
  expect(await hasSchema(shared)).toBe(false);

  const agreed = await run(inTerminal(['migrate']), env, { cwd: folder, input: 'yes\n' });
  expect(agreed).toMatchObject({ code: 0 });
});
