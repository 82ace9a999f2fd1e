// A database, new keys in one variable, and the command `adopt` as a process with both.
import { randomBytes } from 'node:crypto';
import { localService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { root } from '@eaas/test-kit/markdown';
import { run } from '@eaas/test-kit/program';
import postgres from 'postgres';

const made = await run([process.execPath, `${root}packages/local/bin/eaas-local.mjs`, 'new'], {});
export const sealed = made.stdout.trim().replace('EAAS_LOCAL=', '');
export const eaas = new EaasClient({ service: localService({ sealed }) });
const database = await closing(createDatabase(), (it) => it.drop());
const connection = database.connection('owner');
// Without prepared statements, because columns change their types.
const options = { ...connection, max: 1, prepare: false, onnotice: () => {} };
export const sql = await closing(postgres(options), (it) => it.end());
export const oldKey = randomBytes(32).toString('hex');
export const env = {
  OLD_KEY: oldKey,
  EAAS_LOCAL: sealed,
  DATABASE_URL: 'postgres://',
  PGHOST: connection.host,
  PGPORT: String(connection.port),
  PGDATABASE: connection.database,
  PGUSERNAME: connection.username,
};

const command = [process.execPath, `${root}packages/migrate/bin/eaas-migrate.mjs`, 'adopt'];
export const adopt = (args: readonly string[], cwd = root, more = {}) =>
  run([...command, ...args], { ...env, ...more }, { cwd });
