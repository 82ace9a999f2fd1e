import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedBinaries, type PostgresBinaries } from '../../packages/dev/src/binaries.ts';
import { launchPostgres, type RunningPostgres } from '../../packages/dev/src/launch.ts';
import { EaasClient } from '@eaas/sdk';
import { newDirectory } from '@eaas/test-kit/directory';
import { installedBinaries } from '@eaas/test-kit/installed-binaries';
import { newRootKey } from '@eaas/test-kit/command-line';
import { eaas, type Environment, run, serve, type ServerProcess } from '@eaas/test-kit/program';
import { blocksOf, codesIn, commandsOf, readManual, root, rowsUnder } from '@eaas/test-kit/markdown';

const manual = readManual();
const installed = await installedBinaries(process.env['PATH'] ?? '');
const kinds: [string, PostgresBinaries][] = [
  ['the embedded PostgreSQL', await embeddedBinaries()],
  ...(installed ? ([[`PostgreSQL ${installed.version}`, installed]] as [string, PostgresBinaries][]) : []),
];

describe.each(kinds)('on %s', (_, binaries) => {
  let directory: string;
  let database: RunningPostgres;
  let superuser: postgres.Sql;
  let env: Environment;
  let server: ServerProcess;
  let token: string;

  const connect = (username: string, name: string): postgres.Sql =>
    postgres({
      host: database.socketDirectory,
      port: database.port,
      database: name,
      username,
      max: 1,
      onnotice: () => {},
    });

  async function command<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await run([...eaas, ...args, '--json'], env);
    if (code !== 0) throw new Error(`eaas ${args.join(' ')} failed (${code}): ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  beforeAll(async () => {
    directory = await newDirectory();
    database = await launchPostgres({ binaries, dataDirectory: join(directory, 'postgres'), durable: false });
    superuser = connect('postgres', 'postgres');
    const [roles = ''] = blocksOf(manual, 'sql');
    // Without what only psql understands.
    const plain = roles.replace(/^(?:--|\\).*$/gm, '').replace(/:'(\w+)_password'/g, "'$1'");
    for (const statement of plain.split(';')) await superuser.unsafe(statement);

    const place = `${encodeURIComponent(database.socketDirectory)}:${database.port}/eaas`;
    env = {
      EAAS_DATABASE_URL: `postgres://eaas_server:server@${place}`,
      EAAS_MIGRATE_DATABASE_URL: `postgres://eaas_owner:owner@${place}`,
      EAAS_ROOT_KEY: newRootKey(),
    };
    await command('migrate');
    await command('tenant', 'create', '--name', 'acme', '--envelope-only', 'false');
    const made = ['--tenant', 'acme', '--name', 'app', '--permissions', 'all'];
    token = (await command<{ api_key: string }>('api-key', 'create', ...made)).api_key;
    server = await serve(env);
  });

  afterAll(async () => {
    await server?.stop();
    await superuser?.end();
    await database?.stop();
  });

  test('under the role that the manual creates, requests succeed and the server does not warn about its role', async () => {
    const client = new EaasClient({ baseUrl: server.baseUrl, apiKey: token });
    const { key_id: keyId } = await client.keys.create({ name: 'first' });
    await client.keys.rotate(keyId);
    const bundle = await client.serverMode.encrypt({ key_id: keyId, plaintext: 'x' });
    expect(await client.serverMode.decrypt(bundle)).toMatchObject({ plaintext: 'x' });
    await client.hash('x', { keyId });
    await client.keys.disable(keyId);
    await client.keys.destroy(keyId, { grace_days: 0 });
    expect(await client.audit.verify()).toMatchObject({ valid: true });
    expect(server.log()).not.toContain('owns the tables');
  });

  test('the server’s role has no rights beyond those that the server needs', async () => {
    const sql = connect('eaas_server', 'eaas');
    const refused = [
      'delete from eaas.audit_entries',
      `update eaas.audit_entries set actor = 'x'`,
      'truncate eaas.audit_entries',
      'delete from eaas.audit_heads',
      'update eaas.audit_heads set id = 0',
      'delete from eaas.keys',
      'delete from eaas.api_keys',
      'drop trigger audit_entries_immutable on eaas.audit_entries',
      'alter table eaas.audit_entries disable trigger all',
      `set session_replication_role = 'replica'`,
      'select eaas.destroy_tenant(tenant_id) from eaas.tenants',
      'select eaas.purge_entries(tenant_id, 3) from eaas.tenants',
      'create table mine ()',
      'create temporary table mine ()',
      'create schema mine',
    ];
    const passed: string[] = [];
    for (const statement of refused) {
      await sql.unsafe(statement).then(
        () => passed.push(statement),
        () => {},
      );
    }
    await sql.end();
    expect(passed).toEqual([]);
  });

  test('another role cannot connect', async () => {
    await superuser`create role stranger login`;
    const sql = connect('stranger', 'eaas');
    await expect(sql`select`).rejects.toMatchObject({ code: '42501' });
    await sql.end();
  });

  test('the database ends the SQL statements of a server whose connection was lost', async () => {
    const sql = connect('eaas_server', 'eaas');
    expect(await sql`show client_connection_check_interval`).toEqual([
      { client_connection_check_interval: '1s' },
    ]);
    await sql.end();
  });

  test('the SQL blocks of the manual work, from the second block on (the setup runs the first)', async () => {
    const [, ...rest] = blocksOf(manual, 'sql');
    expect(rest.length).toBeGreaterThan(2);
    const owner = connect('eaas_owner', 'eaas');
    for (const statement of rest.join('').split(';\n')) {
      await (statement.includes('eaas.audit_blocks') ? owner : superuser).unsafe(statement);
    }
    await owner.end();
    await superuser`alter system reset synchronous_standby_names`;
    await superuser`select pg_reload_conf()`;
    // Unlocks the role `eaas_server` for later tests, because the statements of the manual lock the role.
    await superuser`alter role eaas_server login`;
  });

  test('the owner can run the psql statements in the manual', async () => {
    const statements = commandsOf(manual).flatMap((line) => /^psql .* -c '(.*)'$/.exec(line)?.[1] ?? []);
    expect(statements).toEqual(['vacuum full']);
    const sql = connect('eaas_owner', 'eaas');
    for (const statement of statements) await sql.unsafe(statement);
    await sql.end();
  });

  test('the data model in the manual lists exactly the tables of the database', async () => {
    const sql = connect('eaas_owner', 'eaas');
    const tables = await sql`select tablename from pg_tables where schemaname = 'eaas'`.values();
    await sql.end();
    const described = rowsUnder(manual, 'table').flatMap(([names = '']) => codesIn(names));
    expect(new Set(described)).toEqual(new Set(tables.flat()));
  });

  test('the manual lists exactly the jobs of /metrics', async () => {
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
    const jobs = new Set(Array.from(metrics.matchAll(/job="(\w+)"/g), ([, job]) => job));
    const described = rowsUnder(manual, '`job`').map(([job = '']) => codesIn(job)[0]);
    // The server of the test has no public log.
    expect(new Set(described.filter((job) => !job?.startsWith('log_')))).toEqual(jobs);
  });

  test('the example program verifies an exported audit log without the service', async () => {
    const [log, checkpoint] = [join(directory, 'acme.ndjson'), join(directory, 'acme.checkpoint')];
    await command('audit', 'export', '--tenant', 'acme', '--out', log);
    type Stated = Record<'checkpoint' | 'verifier_key', string>;
    const stated = await command<Stated>('audit', 'checkpoint', '--tenant', 'acme');
    await writeFile(checkpoint, stated.checkpoint);
    const example = [join(root, 'examples/verify-audit/index.mjs'), log, checkpoint, stated.verifier_key];
    const verifying = [process.execPath, '--conditions=@eaas/source', '--import', 'tsx', ...example];
    const node = () => run(verifying, {}, { cwd: root });
    expect((await node()).stdout).toMatch(
      /^entries 1 to \d+ of tenant .* are a chain.*\nthe checkpoint proves these entries\n$/,
    );
    const lines = (await readFile(log, 'utf8')).split('\n');
    await writeFile(log, lines.toSpliced(2, 1, lines[2]?.replace('key.', 'kex.') ?? '').join('\n'));
    expect(await node()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^NOT VERIFIED: .*entry 3/),
    });
    await writeFile(log, lines.slice(0, -2).join('\n'));
    expect(await node()).toMatchObject({
      stderr: expect.stringMatching(/^NOT VERIFIED: entry \d+ is missing/),
    });
  });
});
