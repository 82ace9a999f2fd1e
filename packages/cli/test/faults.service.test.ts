import { openPool } from '@eaas/test-kit/server';
import { writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandLine, jsonLines, newRootKey } from '@eaas/test-kit/command-line';
import { migrated, type Template, createDatabase } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { listening } from '@eaas/test-kit/listening';
import { eaas, eaasImporting, type Environment, moduleOf, run, serve } from '@eaas/test-kit/program';

const { env, database } = await commandLine();
await run([...eaas, 'root-key', 'check'], env);
const { EAAS_ROOT_KEY: rootKey = '', ...keyless } = env;

const cert = join(await newDirectory(), 'cert.pem');
await writeFile(cert, 'no certificate');

const by = (changes: Environment) => ({ ...env, ...changes });
const at = (url: string) => by({ EAAS_DATABASE_URL: url, EAAS_MIGRATE_DATABASE_URL: url });
const local = (port: string) => at(`postgres://someone:hunter2@127.0.0.1:${port}/eaas`);

const listener = async (accept: (socket: Socket) => void): Promise<string> =>
  String(await listening(createServer((socket) => accept(socket.on('error', () => {})))));

/** A database that refuses each connection, as PostgreSQL refuses a wrong password. */
function refusing(): Promise<string> {
  const fields = Buffer.from('SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0');
  const refusal = Buffer.concat([Buffer.from('E\0\0\0'), Buffer.of(fields.length + 4), fields]);
  return listener((socket) => socket.once('data', () => socket.end(refusal)));
}

/** A database of its own, after the owner of its tables has run a statement. */
async function after(statement: string, template: Template | null = migrated): Promise<Environment> {
  const other = await createDatabase(template ?? undefined);
  const owner = openPool(other.connection('owner'), 1);
  await owner.unsafe(statement);
  await owner.end();
  return by({ EAAS_DATABASE_URL: other.url('server'), EAAS_MIGRATE_DATABASE_URL: other.url('owner') });
}

const version = (number: number) =>
  after(`with others as (delete from eaas.steps) insert into eaas.steps values (${number})`);
/** As in the database of commit f9f5f870. */
const migrations =
  'create schema eaas; grant usage on schema eaas to eaas_server; create table eaas.migrations as select 3 as version';
const unreleased = () => after(migrations, null);
const changed = () => after('drop index eaas.keys_by_name; alter table eaas.keys drop min_version');
const gone =
  /(?=.*column eaas\.keys\.min_version is missing)(?=.*index eaas\.keys\.keys_by_name is missing).*: .*1\.sql has/;

async function keyFile(mode: number, ...below: string[]): Promise<Environment> {
  const file = join(await newDirectory(), 'root.key');
  await writeFile(file, rootKey, { mode });
  return { ...keyless, EAAS_ROOT_KEY_FILE: join(file, ...below) };
}

async function findings(of: Environment, program = eaas) {
  const { stdout } = await run([...program, 'doctor', '--json'], of);
  return jsonLines<Record<'check' | 'status' | 'message', string>>(stdout);
}

const tls = { EAAS_TLS_CERT_FILE: cert, EAAS_TLS_KEY_FILE: cert };
const optional = (option: string) => at(`${database.url('server')}?${option}`);
const [connects, opens, serves] = ['serve,migrate,tenant list', 'serve,tenant list', 'serve'];

type Fault = [string, () => Environment | Promise<Environment>, check: string, line: RegExp];

test.for<[...Fault, commands: string]>([
  ['a wrong password', async () => local(await refusing()), 'database', /: correct the password/, connects],
  ['no database', () => local('1'), 'database', /ECONNREFUSED 127.*: start the database/, connects],
  ['no socket', () => at('postgres://a:hunter2@%2Fno/eaas'), 'database', /: start the database/, connects],
  ['a wrong name', () => at(`${database.url('server')}x`), 'database', /: create this database/, connects],
  ['a misspelt option', () => optional('sslmod=1'), 'database', /: check the name and value/, connects],
  ['a wrong option', () => optional('lock_timeout=x'), 'database', /: check the name and value/, connects],
  ['a wrong value', () => by({ EAAS_ROOT_KEY: 'hunter2' }), 'configuration', /^EAAS_ROOT_KEY/, connects],
  ['no root key', () => keyless, 'root_key', /set EAAS_ROOT_KEY_FILE, .*`eaas root-key generate`/, opens],
  ['an unreadable root key', () => keyFile(0o600, 'x'), 'root_key', /^EAAS_ROOT_KEY_FILE: .*`chown /, opens],
  ['a root key for all', () => keyFile(0o644), 'root_key', /^EAAS_ROOT_KEY_FILE: .*`chmod 600 /, opens],
  ['another root key', () => by({ EAAS_ROOT_KEY: newRootKey() }), 'root_key', /Set EAAS_ROOT_KEY_/, opens],
  ['an old schema', () => version(0), 'schema', /not yet migrated .*: run `eaas migrate` first/, opens],
  ['older data', unreleased, 'schema', /before the first .*: export .* `drop schema eaas/, connects],
  ['a changed schema', changed, 'schema', gone, 'serve,migrate'],
  ['no schema', () => after('select', null), 'schema', /tables of Eaas yet: run `eaas migrate`/, opens],
  ['no rights', () => after('create schema eaas', null), 'schema', /denied .*: set EAAS_MIGRATE_/, opens],
  ['no certificate', () => by(tls), 'listening', /_FILE cannot be used: .* Set them to/, serves],
  ['a taken port', async () => by({ EAAS_PORT: await listener(() => {}) }), 'port', /^EAAS_PORT/, serves],
])('with %s, nothing starts, one line says what to do, and doctor says the same', async (row) => {
  const [, prepare, check, line, commands] = row;
  const of = await prepare();
  const found = (await findings(of)).find((one) => one.check === check);
  expect(found?.status).toBe(check === 'port' ? 'warning' : 'failed');
  for (const command of commands.split(',')) {
    const { code, stdout, stderr } = await run([...eaas, ...command.split(' ')], of);
    expect({ command, code, stdout }).toEqual({ command, code: 3, stdout: '' });
    expect(stderr).toMatch(line);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).not.toContain('hunter2');
    // `migrate` uses the owner's URL.
    expect(found?.message).toContain(
      stderr.trim().replace('EAAS_MIGRATE_DATABASE_URL can', 'EAAS_DATABASE_URL can'),
    );
  }
});

const plain = { EAAS_HOST: '0.0.0.0', EAAS_INSECURE_HTTP: '1' };
const anHourAhead = eaasImporting(moduleOf('const { now } = Date; Date.now = () => now() + 3_600_000;'));

test.for<[...Fault, program: readonly string[], status: string]>([
  ['a newer schema', () => version(9), 'schema', /version 9, .*: install the version of/, eaas, 'warning'],
  ['a powerful role', () => at(database.url('owner')), 'role', /owns the tables/, eaas, 'warning'],
  ['plain HTTP', () => by(plain), 'listening', /^Secrets .*in plain HTTP/, eaas, 'warning'],
  ['a clock an hour off', () => env, 'clock', /3600 s ahead .*: run NTP on both/, anHourAhead, 'failed'],
])('with %s, a server starts, its log says what to do, and doctor says the same', async (row) => {
  const [, prepare, check, line, program, status] = row;
  const of = await prepare();
  const server = await serve(of, { program });
  onTestFinished(() => server.stop());
  const lines = server.log().match(/^\{.*\n/gm) ?? [];
  const warned = jsonLines<{ msg: string; level: string }>(lines.join('')).find(({ msg }) => line.test(msg));
  expect(warned).toMatchObject({ level: 'warn' });
  expect(await findings(of, program)).toContainEqual({ check, message: warned?.msg, status });
  const { code, stderr } = await run([...eaas, 'migrate'], of);
  expect({ code, isSaid: stderr.includes(warned?.msg ?? '') }).toEqual({
    code: 0,
    isSaid: check === 'schema',
  });
});
