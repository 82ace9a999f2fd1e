// Keeps the counts of appends few: those of closed months stand per version of a key, and per month, but no longer for each
// version in each month.
import { monthOf } from '@eaas/service';
import type { Service } from '../app/service.ts';
import type { Sql, Transaction } from '../postgres/sql.ts';
import { noId } from '../postgres/tables.ts';
import { forEach, type Lease } from './schedule.ts';

const day = 86_400_000;

/** Folds the counts of months that have been over for a day. */
export async function foldTallies(service: Service, { signal, hold }: Lease): Promise<void> {
  const { background, ledger } = service;
  const month = monthOf(ledger.clock.now() - day);
  const due = await background.run((sql) => tenantsToFold(sql, month), 60_000);
  await forEach(due, signal, (tenantId) =>
    background.transaction(async (tx) => {
      await hold(tx);
      await fold(tx, tenantId, month);
    }, 60_000),
  );
}

async function tenantsToFold(sql: Sql, month: string): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }[]>`
    select distinct tenant_id from eaas.tallies where month < ${month} and month <> '' and key_id <> ${noId}`;
  return rows.map(({ tenant_id }) => tenant_id);
}

/**
 * Every sum that is asked for stays the same: of a version in all months, of a month over all keys, and of an action over both.
 * A row without key and month subtracts what the rows of months add, so that the total counts nothing twice.
 */
async function fold(tx: Transaction, tenantId: string, month: string): Promise<void> {
  await tx`
    with closed as (
      delete from eaas.tallies
      where tenant_id = ${tenantId} and month < ${month} and month <> '' and key_id <> ${noId}
      returning *
    ), folded as (
      select key_id, key_version, action, '' as month, 1 as sign, n, refused, purged, last_at from closed
      union all select ${noId}::uuid, 0, action, month, 1, n, refused, purged, last_at from closed
      union all select ${noId}::uuid, 0, action, '', -1, n, refused, purged, last_at from closed
    )
    insert into eaas.tallies as known (tenant_id, key_id, key_version, action, month, n, refused, purged, last_at)
    select ${tenantId}::uuid, key_id, key_version, action, month,
      sum(sign * n), sum(sign * refused), sum(sign * purged), max(last_at)
    from folded group by key_id, key_version, action, month
    on conflict (tenant_id, key_id, key_version, action, month) do update set n = known.n + excluded.n,
      refused = known.refused + excluded.refused, purged = known.purged + excluded.purged,
      last_at = greatest(known.last_at, excluded.last_at)`;
}
