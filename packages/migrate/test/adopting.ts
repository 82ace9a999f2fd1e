// A database, new keys in one variable, and the command `adopt` as a process with both.
import { randomBytes } from 'node:crypto';
import { createLocalService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { root } from '@eaas/test-kit/markdown';
import { run } from '@eaas/test-kit/program';
import postgres from 'postgres';
import { expect } from 'vitest';
import { variablesOf } from './in-process.ts';

const made = await run([process.execPath, `${root}packages/local/bin/eaas-local.mjs`, 'new'], {});
export const sealed = made.stdout.trim().replace('EAAS_LOCAL=', '');
export const eaas = new EaasClient({ service: createLocalService({ sealed }) });
const database = await closing(createDatabase(), (it) => it.drop());
const connection = database.connection('owner');
// Without prepared statements, because columns change their types.
const options = { ...connection, max: 1, prepare: false, onnotice: () => {} };
export const sql = await closing(postgres(options), (it) => it.end());
export const oldKey = randomBytes(32).toString('hex');
export const env = {
  OLD_KEY: oldKey,
  EAAS_LOCAL: sealed,
  ...variablesOf(connection),
};

const command = [process.execPath, `${root}packages/migrate/bin/eaas-migrate.mjs`, 'adopt'];
export const adopt = (args: readonly string[], cwd = root, more = {}, input = '') =>
  run([...command, ...args], { ...env, ...more }, { cwd, input });

/** Runs the command, which must succeed, and returns what it prints. */
export async function adopted(...given: Parameters<typeof adopt>): Promise<string> {
  const { code, stdout, stderr } = await adopt(...given);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

export type Row = Readonly<Record<string, unknown>>;

/** Makes a table with these rows, whose ids are 1, 2 and so on. */
export async function fill(name: string, rows: readonly Row[], columns = 'token text'): Promise<void> {
  await sql.unsafe(`drop table if exists ${name}; create table ${name} (id int primary key, ${columns})`);
  for (const [at, row] of rows.entries()) await sql`insert into ${sql(name)} ${sql({ id: at + 1, ...row })}`;
}

export const stored = async (name: string) => [
  ...(await sql<{ id: number; token: string }[]>`select * from ${sql(name)} order by id`),
];

/** The texts of `token` in a table, decrypted as the app does. */
export async function opened(name: string, app = eaas): Promise<string[]> {
  const records = defineFields({ [name]: { token: field.text() } }).for(app);
  const rows = await records.decryptRows(name, await stored(name), ({ id }) => id);
  return rows.map(({ token }) => token);
}
