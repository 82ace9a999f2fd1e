import { setTimeout as sleep } from 'node:timers/promises';
import { isDeadlock } from './faults.ts';
import type { Pool } from './sql.ts';

export interface OnlineMigration {
  readonly table: string;
  readonly created: Readonly<Record<string, string>>;
  readonly dropped: readonly string[];
  /** SQL statements that run in one transaction, after all indexes in `created` exist. */
  readonly statements: string;
}

export async function changeIndexes(sql: Pool, { table, created, dropped }: OnlineMigration): Promise<void> {
  for (const [name, columns] of Object.entries(created)) {
    while (!(await advance(sql, table, name, columns))) await pause();
  }
  for (const name of dropped) while (!(await dropIndex(sql, name))) await pause();
}

/**
 * No server uses the tables of a new database yet, so the indexes need no `concurrently`, which transactions do not
 * allow.
 */
export function indexesOfNew({ table, created, dropped }: OnlineMigration): string {
  const create = Object.entries(created).map(
    ([name, columns]) => `create index ${name} on eaas.${table} ${columns};`,
  );
  return [...create, ...dropped.map((name) => `drop index eaas.${name};`)].join('\n');
}

async function advance(sql: Pool, table: string, name: string, columns: string): Promise<boolean> {
  const state = await stateOf(sql, table, name);
  if (state === 'valid' || state === 'building') return state === 'valid';
  if (state === 'broken') {
    // If another migration completes the index during the call of `stateOf`, the result can be `broken` although the
    // index is valid. A second call then returns `valid`.
    await pause();
    if ((await stateOf(sql, table, name)) !== 'broken' || !(await dropIndex(sql, name))) return false;
  }
  await execute(sql, `${createIndex(name)} on eaas.${table} ${columns}`);
  return (await stateOf(sql, table, name)) === 'valid';
}

function createIndex(name: string): string {
  return `create index concurrently if not exists ${name}`;
}

function dropIndex(sql: Pool, name: string): Promise<boolean> {
  return execute(sql, `drop index concurrently if exists eaas.${name}`);
}

/** Returns false if PostgreSQL ended the statement to resolve a deadlock with a concurrent migration. */
async function execute(sql: Pool, statement: string): Promise<boolean> {
  try {
    await sql.unsafe(statement);
    return true;
  } catch (error) {
    if (!isDeadlock(error)) throw error;
    return false;
  }
}

function pause(): Promise<void> {
  return sleep(100 + 400 * Math.random());
}

type State = 'valid' | 'building' | 'broken' | 'missing';

/** `building` if a migration builds the index now, and `broken` if its build was interrupted. */
async function stateOf(sql: Pool, table: string, name: string): Promise<State> {
  const [row] = await sql<{ state: State }[]>`
    select case when i.indisvalid then 'valid'
      when exists (select from pg_stat_progress_create_index
        where datname = current_database() and relid = ${`eaas.${table}`}::regclass) then 'building'
      -- On Citus, the index is built on the workers.
      when exists (select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = 'active'
          and starts_with(query, ${createIndex(name)})) then 'building'
      else 'broken' end as state
    from pg_index i where i.indexrelid = to_regclass(${`eaas.${name}`})`;
  return row?.state ?? 'missing';
}
