// Brings a database to the present schema, and gives the server's role its rights. `eaas migrate` calls it, and what has a
// database of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { dataFormat } from '@eaas/service';
import { CannotStart } from '../base/cannot-start.ts';
import { isLockTimeout } from './faults.ts';
import type { Pool, Sql } from './sql.ts';
import { isPrepared } from './checks.ts';
import { allowSchemaChanges, distribute, hasCitus } from './citus.ts';
import { writingFunctions } from './functions.ts';
import { schema } from './schema.ts';
import { publicLogRights } from './public-log-tables.ts';
import { storedTables } from './tables.ts';

/** The steps from an empty database to the present schema. A released step must never change: add a new one. */
const steps: readonly string[] = [schema, '-- eaas.append_all is among the functions.'];
/** The first step has the number of the format as its version. */
const latest = dataFormat + steps.length - 1;

const lockNumber = 0x65616173; // 'eaas' in ASCII: identifies the advisory lock

/**
 * A statement that waits for a lock of a table also delays the statements of the servers. So the migration waits only
 * for a short time, and then tries again.
 */
const lockTimeout = '400ms';
const pauseAfterLockTimeout = 2_000;

export interface MigrateOptions {
  /** Tells a person why the migration waits. */
  readonly note?: (sentence: string) => void;
}

/** Applies the missing steps in one transaction, and returns how many there were. */
export async function migrate(
  sql: Pool,
  serverRole: string | null,
  { note = () => {} }: MigrateOptions = {},
): Promise<number> {
  for (;;) {
    try {
      return await applyMissing(sql, serverRole);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      note(
        'The migration waits for a session that uses the tables, such as a backup. The servers continue to serve.',
      );
      await sleep(pauseAfterLockTimeout);
    }
  }
}

/** Whether the database has the schema of this program, or a later one. */
export async function isMigrated(sql: Sql): Promise<boolean> {
  return (await isPrepared(sql)) && (await schemaVersion(sql)) >= latest;
}

/** What to say about a schema that a later program has made, which this one can still use. */
export async function newerSchema(sql: Sql): Promise<string | undefined> {
  const version = await schemaVersion(sql);
  if (version <= latest) return undefined;
  return (
    `The schema of the database has the version ${version}, and this program knows ${latest}: ` +
    'install the version of Eaas that migrated the database.'
  );
}

async function applyMissing(sql: Pool, serverRole: string | null): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${lockNumber})`;
    await tx`select set_config('lock_timeout', ${lockTimeout}, true)`;
    const isCitus = await hasCitus(tx);
    if (isCitus) await allowSchemaChanges(tx);
    // After a `create schema`, Citus cannot distribute a table in the same transaction, even if the schema existed
    // before.
    if ((await tx`select from pg_namespace where nspname = 'eaas'`).count === 0)
      await tx`create schema if not exists eaas`;
    await tx`create table if not exists eaas.migrations (version integer primary key, applied_at timestamptz not null default now())`;
    const done = await schemaVersion(tx);
    const missing = steps.slice(Math.max(0, done - dataFormat + 1));
    for (const [index, step] of missing.entries()) {
      await tx.unsafe(step);
      await tx`insert into eaas.migrations (version) values (${latest - missing.length + 1 + index})`;
    }
    if (missing.length > 0) await tx.unsafe(await writingFunctions(tx));
    if (isCitus) await distribute(tx);
    // The rights are granted in the same transaction, so that an interruption cannot leave new tables without rights.
    if (serverRole !== null) await grant(tx, serverRole);
    return missing.length;
  });
}

/** Returns the version of the newest step that was applied, or 0. Throws CannotStart for data of an earlier format. */
async function schemaVersion(sql: Sql): Promise<number> {
  const [row] = await sql<{ version: number | null }[]>`select max(version) as version from eaas.migrations`;
  const version = row?.version ?? 0;
  if (version === 0 || version >= dataFormat) return version;
  throw new CannotStart(
    `The database has data of format ${version}, and this program reads format ${dataFormat}. No release wrote them, so ` +
      'nothing converts them: export what you need with the version that wrote them, then delete the data directory of ' +
      '`eaas dev`, or run `drop schema eaas cascade` in the database and `eaas migrate`.',
  );
}

async function grant(sql: Sql, role: string): Promise<void> {
  const to = sql(role);
  await sql`grant usage on schema eaas to ${to}`;
  await sql`grant select on all tables in schema eaas to ${to}`;
  await sql`grant insert on all tables in schema eaas to ${to}`;
  await sql`revoke insert on eaas.migrations from ${to}`;
  await sql`grant update on eaas.row_counts, eaas.leases to ${to}`;
  await sql`grant delete on eaas.root_checks to ${to}`;
  for (const { name, updatable, isLoose, rights } of storedTables.values()) {
    const ofRows = updatable ? `update (${updatable.join(', ')})` : 'update';
    const may = isLoose ? rights : ofRows;
    if (may) await sql`grant ${sql.unsafe(may)} on eaas.${sql(name)} to ${to}`;
  }
  for (const right of publicLogRights) await sql`grant ${sql.unsafe(right)} to ${to}`;
  await sql`grant execute on function eaas.append, eaas.append_all, eaas.create_tenant, eaas.purge_entries to ${to}`;
}
