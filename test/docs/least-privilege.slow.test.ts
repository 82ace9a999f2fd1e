import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedBinaries, type PostgresBinaries } from '../../packages/dev/src/binaries.ts';
import { launchPostgres, type RunningPostgres } from '../../packages/dev/src/launch.ts';
import { installedBinaries } from '@eaas/test-kit/installed-binaries';
import { newRootKey } from '@eaas/test-kit/command-line';
import { eaas, type Environment, run, serve, type ServerProcess } from '@eaas/test-kit/program';
import {
  blocksOf,
  codesIn,
  commandsOf,
  readManual,
  root,
  rowsUnder,
  tablesOf,
} from '@eaas/test-kit/markdown';

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

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(server.baseUrl + path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
    return (await answer.json()) as T;
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'eaas-test-'));
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
    await rm(directory, { recursive: true, force: true });
  });

  test('under the role that the manual creates, requests succeed and the server does not warn about its role', async () => {
    const { key_id } = await call<{ key_id: string }>('POST', '/v1/keys', { name: 'first' });
    await call('POST', `/v1/keys/${key_id}/rotate`);
    const bundle = await call<object>('POST', '/v1/encrypt', { plaintext: 'x', key_id });
    expect(await call('POST', '/v1/decrypt', bundle)).toEqual({ plaintext: 'x' });
    await call('POST', '/v1/hash', { value: 'x', key_id });
    await call('POST', `/v1/keys/${key_id}/disable`);
    await call('DELETE', `/v1/keys/${key_id}?grace_days=0`);
    expect(await call('GET', '/v1/audit/verify')).toMatchObject({ valid: true });
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
    for (const statement of rest.join('').split(';\n')) await superuser.unsafe(statement);
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

  test('/metrics has exactly the metrics and jobs that the manual lists', async () => {
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
    const answered = Array.from(metrics.matchAll(/^# TYPE (\w+ \w+)$/gm), ([, type]) => type);
    // The server of the test has no public log.
    const isHere = ([name = '']: readonly string[]): boolean => !/^`(?:eaas_)?log_/.test(name);
    const described = rowsUnder(manual, 'metric')
      .filter(isHere)
      .map(([name = '', type]) => `${codesIn(name)[0]} ${type}`);
    expect(new Set(described)).toEqual(new Set(answered));
    const jobs = new Set(Array.from(metrics.matchAll(/job="(\w+)"/g), ([, job]) => job));
    const table = tablesOf(manual).find(({ head }) => head[0] === '`job`');
    expect(new Set(table?.rows.filter(isHere).map(([job = '']) => codesIn(job)[0]))).toEqual(jobs);
  });

  test('the example program verifies an exported audit log without the service', async () => {
    const [log, checkpoint] = [join(directory, 'acme.ndjson'), join(directory, 'acme.checkpoint')];
    await command('audit', 'export', '--tenant', 'acme', '--out', log);
    const stated = await command<{ checkpoint: string; verifier_key: string }>(
      'audit',
      'checkpoint',
      '--tenant',
      'acme',
    );
    await writeFile(checkpoint, stated.checkpoint);
    const example = [join(root, 'examples/verify-audit/index.mjs'), log, checkpoint, stated.verifier_key];
    const options = { cwd: root };
    const node = (): Promise<{ stdout: string }> =>
      promisify(execFile)(
        process.execPath,
        ['--conditions=@eaas/source', '--import', 'tsx', ...example],
        options,
      );
    expect((await node()).stdout).toMatch(
      /^entries 1 to \d+ of tenant .* are a chain.*\nthe checkpoint proves these entries\n$/,
    );
    const lines = (await readFile(log, 'utf8')).split('\n');
    await writeFile(log, lines.toSpliced(2, 1, lines[2]?.replace('key.', 'kex.') ?? '').join('\n'));
    await expect(node()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^NOT VERIFIED: .*entry 3/),
    });
    await writeFile(log, lines.slice(0, -2).join('\n'));
    await expect(node()).rejects.toMatchObject({
      stderr: expect.stringMatching(/^NOT VERIFIED: entry \d+ is missing/),
    });
  });
});
