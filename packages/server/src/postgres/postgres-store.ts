// Keeps tenants in PostgreSQL. The server makes one for its service.
import { type Known, LinkRefused, type Need, type Owned, type Store } from '@eaas/service';
import { parseUuid } from '@eaas/protocol';
import { timeLimit } from '../base/time-limit.ts';
import type { Connections } from './database.ts';
import { DatabaseSlow, isAnswer, isConnectionLost, isDatabaseError, isDatabaseFault } from './faults.ts';
import { type Pool, type Sql, together } from './sql.ts';
import { appendLink, appendLinks, createTenant } from './append.ts';
import { Platform, type Ways } from './platform.ts';
import { scanRows } from './query.ts';
import { readKnown } from './read.ts';
import { requireTable, storedTables, typeOf } from './tables.ts';

/** Whoever holds the lock of a tenant and says nothing for so long, in milliseconds, holds up the others. */
const longestIdle = 1_000;
const longestSnapshot = 600_000;

/** When a read must have ended, whose connection is waited for too: a call is answered within 5 s. */
const soon = (milliseconds: number, deadline = Infinity): number =>
  Math.min(deadline, performance.now() + timeLimit(milliseconds));

/**
 * Makes the store of a database that `migrate` has prepared. With `isSpread`, Citus has the tenants on several nodes, so that no
 * statement can append for several.
 */
export function postgresStore({ database, reads, background }: Connections, isSpread = false): Store {
  const ways: Ways = {
    alone: ({ tenantId, link }, deadline) =>
      database.run((sql) => appendLink(sql, tenantId, link, refused), 2_500, deadline),
    together: (leaving, deadline) =>
      database.run((sql) => appendLinks(sql, leaving).catch(refusedTogether), 2_500, deadline),
  };
  const platform = new Platform(ways);
  return {
    read(tenantId, needs, deadline = Infinity) {
      if (!needs.some(isList)) {
        return database.run((sql) => readKnown(sql, tenantId, needs), 2_000, soon(2_200, deadline));
      }
      return reads.run((sql, limit) => readWithin(sql, tenantId, needs, limit), 4_000, soon(4_500, deadline));
    },
    append: (tenantId, link) =>
      isSpread ? ways.alone({ tenantId, link }, Infinity) : platform.append(tenantId, link),
    locked: (...asked) => {
      const [, , lost, , deadline] = asked;
      // After a first attempt there is time for another, which finds out what became of it.
      const most = lost.length === 0 ? 2_500 : 4_000;
      return database.run((sql, limit) => lockedWithin(sql, asked, limit).catch(refused), most, deadline);
    },
    snapshot: (tenantId, needs, work) =>
      background.snapshot(async (tx) => {
        const known = await readKnown(tx, tenantId, needs);
        return work({ known, rows: ({ name }) => scanRows(tx, tenantId, requireTable(name)) });
      }, longestSnapshot),
    whose: (names) => database.run((sql) => findOwners(sql, names), 2_000, soon(2_200)),
    create: (head, writes) => database.run((sql) => createTenant(sql, head, writes).catch(refused), 60_000),
  };
}

/** Entries, pages and numbers can be many rows. */
function isList(need: Need): boolean {
  if (typeof need === 'string') return false;
  const { table, limit, counts, sums } = need;
  return table.name === 'audit_entries' || (limit ?? counts ?? sums) !== undefined;
}

/** Reads in a transaction whose statements are sent together, and which the database ends in time. */
async function readWithin(
  sql: Pool,
  tenantId: string,
  needs: readonly Need[],
  limit: number,
): Promise<Known> {
  const most = Math.round(0.9 * limit);
  const [, known] = await together([
    // To compile a statement takes longer than most lists.
    sql.unsafe(`begin read only; set local jit = off; set local statement_timeout = ${most}`).execute(),
    readKnown(sql, tenantId, needs),
    sql.unsafe('commit').execute(),
  ]);
  return known;
}

/**
 * Sends the statements of the transaction in two parts: one up to the work, and one after it. If the connection breaks between
 * them, the driver might send the second part on another connection, without the lock. The append then finds the head that it
 * expects, or writes nothing.
 */
async function lockedWithin(
  sql: Pool,
  [tenantId, needs, lost, work]: Parameters<Store['locked']>,
  limit: number,
) {
  const deadline = performance.now() + limit - 10;
  // Before version 17, PostgreSQL cannot end the transaction of a client that stops in the middle of a statement.
  const limits = `set local idle_in_transaction_session_timeout = ${Math.round(timeLimit(longestIdle))};
    set local lock_timeout = ${Math.round(0.7 * limit)}; set local statement_timeout = ${Math.round(0.75 * limit)};
    select case when current_setting('server_version_num')::int >= 170000
      then set_config('transaction_timeout', '${Math.round(limit)}', true) end`;
  try {
    const [, , known] = await together([
      sql.unsafe(`begin; ${limits}`).execute(),
      sql`select from eaas.audit_heads where tenant_id = ${tenantId} for update`.execute(),
      readKnown(sql, tenantId, needs, lost),
    ]);
    // Nothing is written after the caller has an error.
    const left = deadline - performance.now();
    if (left < 1) {
      throw new DatabaseSlow(`the lock of the tenant did not come within ${Math.round(limit)} ms`);
    }
    const link = work(known);
    const [, appended] = await together([
      sql.unsafe(`set local statement_timeout = ${Math.floor(left)}`).execute(),
      link && appendLink(sql, tenantId, link),
      sql.unsafe('commit').execute(),
    ]);
    return appended;
  } catch (error) {
    // A connection that cannot roll back must not be used again, so its own error is the one to throw.
    if (!isConnectionLost(error)) await sql.unsafe('rollback');
    throw error;
  }
}

/** Throws LinkRefused for an error of a database that works, so that certainly nothing was written. */
function refused(error: unknown): never {
  if (!isDatabaseError(error) || isDatabaseFault(error)) throw error;
  throw new LinkRefused(`the database refuses what the link has: ${error.message}`, { cause: error });
}

/** After an answer that is an error, each link can be tried by itself. */
function refusedTogether(error: unknown): never {
  if (!isAnswer(error)) throw error;
  throw new LinkRefused('the database refuses one of several links', { cause: error });
}

/**
 * Finds the rows that hashes of tokens and ids name. A row that is found here grants nothing: access is decided by the rows of
 * its tenant, and their MACs.
 */
async function findOwners(sql: Sql, names: readonly string[]): Promise<Map<string, Owned>> {
  const ids = names.filter((name) => parseUuid(name) !== undefined);
  const hashes = names.filter((name) => /^([\da-f]{2})+$/.test(name)).map((hash) => `\\x${hash}`);
  const found = await Promise.all(
    Array.from(storedTables.values(), async (table) => {
      if (table.foundBy === undefined) return [];
      const isUuid = typeOf(table, table.foundBy) === 'uuid';
      if ((isUuid ? ids : hashes).length === 0) return [];
      const column = sql(table.foundBy);
      const shown = isUuid ? sql`${column}` : sql`encode(${column}, 'hex')`;
      const wanted = isUuid ? sql`${ids}::uuid[]` : sql`${hashes}::bytea[]`;
      return sql<{ name: string; tenant_id: string; id: string }[]>`
        select ${shown} as name, tenant_id, ${sql(table.id[0] ?? '')} as id from eaas.${sql(table.name)}
        where ${column} = any (${wanted})`;
    }),
  );
  return new Map(found.flat().map(({ name, tenant_id: tenantId, id }) => [name, { tenantId, id }]));
}
