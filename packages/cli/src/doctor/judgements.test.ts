import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { whereAvailable } from '@eaas/test-kit/available';
import { readConfig } from '../config.ts';
import { judgeDatabaseTls, judgeRights, judgeSettings, judgeState } from './database.ts';
import { judgeClock } from './examine.ts';
import { judgePublishers } from './issuers.ts';
import { judgeFiles, judgeNode } from './machine.ts';

test.each([
  [null, 'ok'],
  ['postgres://server@localhost/eaas', 'ok'],
  ['postgres://server@127.0.0.1:5432/eaas', 'ok'],
  ['postgres://server@[::1]:5432/eaas', 'ok'],
  ['postgres://server@%2Frun%2Fpostgresql/eaas', 'ok'],
  ['postgres://server@db.example/eaas', 'failed'],
  ['postgres://server@10.0.0.5/eaas?prepare=false', 'failed'],
  ['postgres://server@db.example/eaas?sslmode=disable', 'warning'],
  ['postgres://server@db.example/eaas?sslmode=prefer', 'warning'],
  ['postgres://server@db.example/eaas?sslmode=require', 'warning'],
  ['postgres://server@db.example/eaas?sslmode=verify-full', 'ok'],
  ['postgres://server@db.example/eaas?prepare=false&sslmode=verify-full', 'ok'],
])('doctor reports a EAAS_DATABASE_URL of %s as %s', (url, status) => {
  const finding = judgeDatabaseTls(url);
  expect(finding).toMatchObject({ check: 'database_tls', status });
  expect(finding.message.includes('?sslmode=verify-full')).toBe(status !== 'ok');
});

test('doctor does not say where the database is if a proxy on this machine could lead elsewhere', () => {
  const { message } = judgeDatabaseTls('postgres://server@127.0.0.1:6432/eaas');
  expect(message).toMatch(/^The connection ends on this machine\. If a proxy or pooler listens there, check/);
});

const usable = { version: { name: '15.20', number: 150_020 }, standby: false, readOnly: false };

test.each([
  [{}, 'ok', 'PostgreSQL 15.20 responds'],
  [{ version: { name: '15.0', number: 150_000 } }, 'ok', 'PostgreSQL 15.0 responds'],
  [{ version: { name: '14.19', number: 140_019 } }, 'failed', 'needs PostgreSQL 15 or later (got 14.19)'],
  [{ standby: true, readOnly: true }, 'failed', 'is a standby'],
  [{ readOnly: true }, 'failed', 'accepts no changes'],
])('doctor reports a database with %j as %s', (state, status, message) => {
  expect(judgeState({ ...usable, ...state })).toMatchObject({
    check: 'database',
    status,
    message: expect.stringContaining(message) as string,
  });
});

const durable = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

test.each([
  [{}, ['ok', 'ok', 'ok']],
  [{ fsync: 'off' }, ['failed', 'ok', 'ok']],
  [{ full_page_writes: 'off' }, ['ok', 'failed', 'ok']],
  [{ synchronous_commit: 'off' }, ['ok', 'ok', 'failed']],
  [{ synchronous_commit: 'local' }, ['ok', 'ok', 'warning']],
  [{ synchronous_commit: 'remote_write' }, ['ok', 'ok', 'warning']],
  [{ synchronous_commit: 'remote_apply' }, ['ok', 'ok', 'ok']],
])('doctor reports the durability settings %j', (settings, statuses) => {
  const findings = judgeSettings({ ...durable, ...settings });
  expect(findings.map(({ check }) => check)).toEqual(['fsync', 'full_page_writes', 'synchronous_commit']);
  expect(findings.map(({ status }) => status)).toEqual(statuses);
});

const rights = {
  role: 'eaas_server',
  superuser: false,
  owns: false,
  unreadable: [],
  appends: true,
  changesLog: false,
};

test.each([
  [{}, 'ok', 'cannot change the audit log'],
  [{ owns: true, changesLog: true }, 'warning', 'owns the tables'],
  [{ changesLog: true }, 'warning', 'can change or delete audit entries'],
  [{ unreadable: ['keys'] }, 'failed', 'cannot read keys'],
  [{ appends: false }, 'failed', 'cannot write audit entries'],
  [{ superuser: true, owns: true, changesLog: true }, 'failed', 'is a superuser'],
])('doctor reports the rights of the role %j', (given, status, message) => {
  const finding = judgeRights({ ...rights, ...given });
  expect(finding.status).toBe(status);
  expect(finding.message).toContain(message);
});

test.each([
  ['18.20.0', 'failed'],
  ['20.18.3', 'failed'],
  ['20.19.0', 'warning'],
  ['22.0.0', 'ok'],
  ['23.4.0', 'warning'],
  ['24.1.0', 'ok'],
])('doctor reports Node %s as %s', (version, status) => {
  expect(judgeNode(version)).toMatchObject({ check: 'node', status });
});

test.each([
  [0, 'ok'],
  [60_000, 'ok'],
  [-60_001, 'failed'],
  [86_400_000, 'failed'],
])('doctor reports a clock difference of %i ms as %s', (milliseconds, status) => {
  expect(judgeClock(milliseconds)).toMatchObject({ check: 'clock', status });
});

async function found(env: Record<string, string>): Promise<Record<string, string>> {
  const config = readConfig({ EAAS_DATABASE_URL: 'postgres://server@localhost/eaas', ...env });
  const findings = await judgeFiles(config);
  return Object.fromEntries(findings.map(({ check, status }) => [check, status]));
}

async function newFile(name: string, mode: number): Promise<string> {
  const directory = await newDirectory();
  const path = join(directory, name);
  await writeFile(path, '');
  await chmod(path, mode);
  return path;
}

test.each([
  [0o600, 'ok'],
  [0o400, 'ok'],
  [0o660, 'failed'],
  [0o604, 'failed'],
  [0o622, 'failed'],
])('doctor reports a root key file of mode %o as %s', async (mode, status) => {
  const path = await newFile('root.key', mode);
  for (const variable of ['EAAS_ROOT_KEY_FILE', 'EAAS_ROOT_KEY_PREVIOUS_FILE'])
    expect(await found({ [variable]: path })).toEqual({ root_key_file: status });
});

whereAvailable('the root account', process.getuid?.() === 0, () => {
  test('doctor reports a root key file of another user', async () => {
    const path = await newFile('root.key', 0o600);
    await chown(path, 12_345, 12_345);
    expect(await found({ EAAS_ROOT_KEY_FILE: path })).toEqual({ root_key_file: 'failed' });
  });
});

test('doctor reports a missing root key file', async () => {
  expect(await found({ EAAS_ROOT_KEY_FILE: '/nowhere/root.key' })).toEqual({ root_key_file: 'failed' });
});

test.each([
  [0o755, 'ok'],
  [0o775, 'failed'],
  [0o757, 'failed'],
])('doctor reports a root key program of mode %o as %s', async (mode, status) => {
  const path = await newFile('print-key', mode);
  expect(await found({ EAAS_ROOT_KEY_COMMAND: path })).toEqual({ root_key_command: status });
});

test('doctor reports a missing data directory if EAAS_DATABASE_URL is not set', async () => {
  const findings = await judgeFiles(readConfig({ EAAS_DATA_DIR: '/nowhere' }));
  expect(findings).toMatchObject([{ check: 'data_directory', status: 'failed' }]);
  expect(findings[0]?.message).toContain('Start the server first');
});

const publisher = {
  tenant_id: 'ann',
  issuer_id: '1',
  jwks_uri: 'https://keys.example/jwks',
  now: 100 * 3_600_000,
};

test.each<[string, number | null, { fault?: string; down?: true }, string, string]>([
  ['can be reached', null, {}, 'ok', 'can be fetched (1 issuers)'],
  ['is not allowed', 99 * 3_600_000, { fault: 'x' }, 'failed', 'EAAS_ISSUER_HOSTS does not allow it'],
  [
    'is down, and keys are stored',
    99 * 3_600_000,
    { down: true },
    'warning',
    'ECONNREFUSED. The stored keys count for another 23 h',
  ],
  [
    'is down for more than a day',
    75 * 3_600_000,
    { down: true },
    'failed',
    'its users get 503: ECONNREFUSED',
  ],
  ['was never reached', null, { down: true }, 'failed', 'none are stored from the last day'],
])('doctor reports a key host that %s', async (_, fetched_at, { fault, down }, status, message) => {
  const hosts = {
    faultOf: () => fault,
    fetch: async () => {
      if (down || fault) throw new Error('ECONNREFUSED');
      return '';
    },
  };
  expect(await judgePublishers([{ ...publisher, fetched_at }], hosts)).toMatchObject([
    { check: 'issuers', status, message: expect.stringContaining(message) as string },
  ]);
});

test('doctor reports nothing about key hosts if no sign-in has one', async () => {
  const hosts = { faultOf: () => 'x', fetch: () => Promise.reject(new Error('fetched')) };
  expect(await judgePublishers([], hosts)).toMatchObject([{ status: 'ok' }]);
});
