import { openPool } from '@eaas/test-kit/server';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eaas as program, type Environment, run, serve } from '@eaas/test-kit/program';
import { createDatabase, type TestDatabase, testDatabase } from '@eaas/test-kit/database';
import { inTerminal, newRootKey, refusalOf } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';

// An app has a database, and names it in DATABASE_URL, as most apps and hosts do.
let folder: string;
const app = await testDatabase();
await withOwner(app, (sql) => sql`create table patients (name text)`);

const place = async (): Promise<void> => void (folder = await newDirectory());
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

const commands = ['serve', 'migrate', 'migrate --yes', 'tenant list', 'key create --tenant dev --name app'];

test.each(commands)(
  'in a folder with data of the service, `eaas %s` names the database of the app, and changes nothing',
  async (line) => {
    await place();
    await mkdir(join(folder, '.eaas'), { mode: 0o700 });
    const url = withPassword(app.url('owner'));
    const stderr = await refusalOf(
      type({ DATABASE_URL: url, EAAS_ROOT_KEY: newRootKey() }, ...line.split(' ')),
      3,
    );
    expect(stderr).toContain(`DATABASE_URL names the database "${app.name}" on `);
    expect(stderr).toContain(`set EAAS_DATA_DIR=${join(folder, '.eaas')}`);
    expect(stderr).not.toContain('hunter2');
    expect(await hasSchema(app)).toBe(false);
  },
);

test('the doctor names the database of the app, in a folder with data of the service and without', async () => {
  await place();
  const env = { DATABASE_URL: withPassword(app.url('owner')), EAAS_ROOT_KEY: newRootKey() };
  for (const before of [async () => {}, () => mkdir(join(folder, '.eaas'), { mode: 0o700 })]) {
    await before();
    const { code, stdout } = await type(env, 'doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^failed +(?:schema|configuration) /m);
    expect(stdout).toContain(`database "${app.name}" on `);
    expect(stdout).toContain('EAAS_DATABASE_URL');
    expect(stdout).not.toContain('hunter2');
  }
});

test.each(['serve', 'tenant list', 'tenant create --name acme'])(
  'elsewhere, `eaas %s` names the database that is not the service’s, and changes nothing',
  async (line) => {
    await place();
    const env = { DATABASE_URL: withPassword(app.url('owner')), EAAS_ROOT_KEY: newRootKey(), EAAS_PORT: '0' };
    const stderr = await refusalOf(type(env, ...line.split(' ')), 3);
    expect(stderr).toContain(`The database "${app.name}" on `);
    expect(stderr).toContain('has no tables of Eaas, and was not changed');
    expect(stderr).toContain('set EAAS_DATABASE_URL');
    expect(stderr).not.toContain('hunter2');
    expect(await hasSchema(app)).toBe(false);
  },
);

test('a DATABASE_URL alone is accepted by `eaas migrate`, `eaas serve` and the commands', async () => {
  await place();
  const own = await testDatabase();
  const env = {
    DATABASE_URL: own.url('server'),
    EAAS_MIGRATE_DATABASE_URL: own.url('owner'),
    EAAS_ROOT_KEY: newRootKey(),
  };
  expect(await type(env, 'migrate')).toMatchObject({ code: 0 });
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
  expect(await type(env, 'migrate')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^applied +0$/m) as string,
  });
});

test('`eaas migrate --yes` uses a database with tables of somebody else without asking', async () => {
  await place();
  const shared = await testDatabase();
  await withOwner(shared, (sql) => sql`create view public.numbers as select 1 as number`);
  expect(await type({ DATABASE_URL: shared.url('owner') }, 'migrate', '--yes', '--json')).toMatchObject({
    code: 0,
  });
});
