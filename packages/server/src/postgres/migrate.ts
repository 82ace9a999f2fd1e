// Brings a database to the present schema, and gives the server's role its rights. `eaas migrate` calls it, and what has a
// database of its own.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RootKey, Roots } from '@eaas/service';
import { isLockTimeout } from './faults.ts';
import type { Pool, Sql } from './sql.ts';
import { CannotStart } from '../base/cannot-start.ts';
import { differences, type Differences, expected, readCatalogue } from './catalogue.ts';
import { isPrepared } from './checks.ts';
import { allowSchemaChanges, distribute, hasCitus } from './citus.ts';
import { tenantFunctions } from './functions.ts';
import { recordCatalogue, recordedCatalogue } from './schema-records.ts';
import { stepFiles } from './steps/index.ts';
import { storedTables } from './tables.ts';

/** The version of a schema is the number of its steps. */
const latest = stepFiles.length;

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
  /** The names of triggers, rules, child tables and functions of the operator: EAAS_SCHEMA_ALLOW. */
  readonly allow?: readonly string[];
}

/** Applies the missing steps in one transaction, and returns how many there were. */
export async function migrate(
  sql: Pool,
  serverRole: string | null,
  { note = () => {}, allow = [] }: MigrateOptions = {},
): Promise<number> {
  for (;;) {
    try {
      return await applyMissing(sql, serverRole, allow);
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

/** How a schema differs, and whether a later program has made it of which no server has run yet. */
export type SchemaFindings = Differences & { readonly isUnknown: boolean };

export interface SchemaOptions {
  /** The names of triggers, rules, child tables and functions of the operator: EAAS_SCHEMA_ALLOW. */
  readonly allow?: readonly string[];
  /** By these, servers recognize what one of a later version has recorded of its schema. */
  readonly roots?: readonly RootKey[];
}

/** Compares the schema with what this program makes, or with what a later one has recorded. */
export async function compareSchema(
  sql: Sql,
  { allow = [], roots = [] }: SchemaOptions = {},
): Promise<SchemaFindings> {
  const found = await readCatalogue(sql);
  // Read afterwards: a later program may migrate the database meanwhile.
  const version = await schemaVersion(sql);
  const isNewer = version > latest;
  const recorded = isNewer ? await recordedCatalogue(sql, version, roots) : undefined;
  const isUnknown = isNewer && recorded === undefined;
  return { ...differences(found, { expected: recorded ?? expected, isUnknown, allow }), isUnknown };
}

/** Throws CannotStart if somebody has changed the schema. Returns what they have added, and may. */
export async function requireUnchanged(
  sql: Sql,
  options: SchemaOptions = {},
): Promise<Omit<SchemaFindings, 'faults'>> {
  const { faults, ...added } = await compareSchema(sql, options);
  if (faults.length === 0) return added;
  throw new CannotStart(
    `The schema of the database was changed: ${faults.join('; ')}. Find out who did this, and run \`eaas audit verify\`. ` +
      `\`eaas migrate\` makes functions anew. Undo the rest as the owner of the tables: ${stepFiles.join(', ')} has what was made. ` +
      'If a trigger is your own, such as one of a replication, name it in EAAS_SCHEMA_ALLOW.',
  );
}

/** Lets servers of the version before know this program's schema. */
export async function recordSchema(sql: Sql, roots: Roots): Promise<void> {
  const version = await schemaVersion(sql);
  if (version === latest) await recordCatalogue(sql, version, roots);
}

async function applyMissing(sql: Pool, serverRole: string | null, allow: readonly string[]): Promise<number> {
  return sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${lockNumber})`;
    await tx`select set_config('lock_timeout', ${lockTimeout}, true)`;
    const isCitus = await hasCitus(tx);
    if (isCitus) await allowSchemaChanges(tx);
    // After a `create schema`, Citus cannot distribute a table in the same transaction, even if the schema existed
    // before.
    if ((await tx`select from pg_namespace where nspname = 'eaas'`).count === 0) {
      await tx`create schema if not exists eaas`;
    }
    const done = (await isPrepared(tx)) ? await schemaVersion(tx) : 0;
    for (const [index, file] of stepFiles.entries()) {
      if (index < done) continue;
      await tx.unsafe(await readFile(file, 'utf8'));
      await tx`insert into eaas.steps (step) values (${index + 1})`;
    }
    // Only the owner of the tables may, also where nothing is missing.
    await tx`lock table eaas.steps in exclusive mode`;
    const { faults } = differences(await readCatalogue(tx), { expected, isUnknown: done > latest });
    const needsFunctions = done <= latest && faults.length > 0;
    if (needsFunctions) await tx.unsafe(tenantFunctions(expected));
    if (isCitus) await distribute(tx, needsFunctions);
    await requireUnchanged(tx, { allow });
    // The rights are granted in the same transaction, so that an interruption cannot leave new tables without rights.
    if (serverRole !== null) await grant(tx, serverRole);
    return Math.max(0, latest - done);
  });
}

/** Returns the number of the newest step that was applied, or 0. */
async function schemaVersion(sql: Sql): Promise<number> {
  const [row] = await sql<{ step: number | null }[]>`select max(step) as step from eaas.steps`;
  return row?.step ?? 0;
}

/** What the server's role may do with the public log beside reading and inserting. */
const publicLogRights = [
  'update (root_id, sealed, ended_at, halted) on eaas.log_keys',
  'update (bytes) on eaas.log_tiles',
  'update (note, witnessed), delete on eaas.log_moments',
];

async function grant(sql: Sql, role: string): Promise<void> {
  const to = sql(role);
  await sql`grant usage on schema eaas to ${to}`;
  await sql`grant select on all tables in schema eaas to ${to}`;
  await sql`grant insert on all tables in schema eaas to ${to}`;
  await sql`revoke insert on eaas.steps from ${to}`;
  await sql`grant update on eaas.row_counts, eaas.leases, eaas.schema_records to ${to}`;
  await sql`grant delete on eaas.root_checks to ${to}`;
  for (const { name, updatable, isLoose, rights } of storedTables.values()) {
    const ofRows = updatable ? `update (${updatable.join(', ')})` : 'update';
    const may = isLoose ? rights : ofRows;
    if (may) await sql`grant ${sql.unsafe(may)} on eaas.${sql(name)} to ${to}`;
  }
  for (const right of publicLogRights) await sql`grant ${sql.unsafe(right)} to ${to}`;
  await sql`grant execute on function eaas.append, eaas.append_all, eaas.create_tenant, eaas.purge_entries to ${to}`;
}
