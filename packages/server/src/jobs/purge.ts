// Deletes entries that are older than the operator keeps them. What is deleted is verified first, and all rows are compared
// with their sum: a log with signs of tampering is not purged, because the entries prove the tampering.
import { type AnchorRow, anchors, openTenant, refTo, withMac, tenants, verifyTenant } from '@eaas/service';
import type { Service } from '../app/service.ts';
import { Explained } from '../base/explained.ts';
import { databaseTime, type Sql, type Transaction } from '../postgres/sql.ts';
import { requireAgreement } from './clock.ts';
import { forEach, type Lease } from './schedule.ts';

const stepSize = 10_000;
const stepTime = 60_000;

/** Purges the logs of all tenants, some entries at a time. */
export async function purge(service: Service, months: number, lease: Lease): Promise<void> {
  await requireAgreement(service);
  const before = monthsEarlier(service.ledger.clock.now(), months);
  const due = await service.background.run((sql) => tenantsToPurge(sql, before), stepTime);
  await forEach(due, lease.signal, async (tenantId) => {
    let deleted = stepSize;
    for (let step = 0; deleted === stepSize && !lease.signal.aborted; step++) {
      deleted = await purgeStep(service, tenantId, months, lease, step === 0);
    }
  });
}

/** The same day of an earlier month, or its last one. */
export function monthsEarlier(time: number, months: number): number {
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.setUTCDate(Math.min(day, lastDay));
}

async function purgeStep(
  service: Service,
  tenantId: string,
  months: number,
  { hold }: Lease,
  comparesRows: boolean,
): Promise<number> {
  const { background, store, roots } = service;
  const last = await background.run(async (sql) => {
    return lastToPurge(sql, tenantId, monthsEarlier(await databaseTime(sql), months));
  }, stepTime);
  if (last === undefined) return 0;
  let end: { readonly hash: Uint8Array; readonly time: number } | undefined;
  const { errors, purged_through } = await verifyTenant(service, tenantId, {
    to_id: last,
    mostRows: comparesRows ? Infinity : 0,
    walked: (walked) => {
      end = walked;
    },
  });
  const purged = purged_through?.id ?? 0;
  // Another replica can have purged the same entries meanwhile.
  if (errors.length === 0 && purged >= last) return 0;
  const ref = refTo(tenants, tenantId);
  const row = (await store.read(tenantId, [ref])).rows.get(ref);
  const opened = row && openTenant(roots, row);
  if (!opened || !end || errors.length > 0) throw notPurged(tenantId, errors[0]?.reason);
  const { hash, time } = end;
  const content: AnchorRow = { tenant_id: tenantId, id: last, hash, mac: new Uint8Array() };
  const anchor = withMac(opened.secrets, anchors, content) as AnchorRow;
  return background.transaction(async (tx) => {
    await hold(tx);
    await tx`select from eaas.audit_heads where tenant_id = ${tenantId} for update`;
    if (time >= monthsEarlier(await databaseTime(tx), months)) {
      throw notPurged(tenantId, 'the time of an entry was changed');
    }
    return (await anchorId(tx, tenantId)) === purged ? purgeThrough(tx, anchor) : 0;
  }, stepTime);
}

const notPurged = (tenantId: string, reason = 'the chain is broken'): Explained =>
  new Explained(
    `no entry of tenant ${tenantId} was purged, because the verification of its audit log failed ` +
      `(${reason}): run \`eaas audit verify --tenant ${tenantId}\``,
  );

/** The tenants whose oldest entry is older. */
async function tenantsToPurge(sql: Sql, before: number): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }[]>`
    select h.tenant_id from eaas.audit_heads h cross join lateral (
      select created_at from eaas.audit_entries e where e.tenant_id = h.tenant_id order by id limit 1) oldest
    where oldest.created_at < ${before}`;
  return rows.map(({ tenant_id }) => tenant_id);
}

/** The last of the next entries that are older, if there is one. */
async function lastToPurge(sql: Sql, tenantId: string, before: number): Promise<number | undefined> {
  const after = await anchorId(sql, tenantId);
  const [row] = await sql<{ last: number | null }[]>`
    select coalesce(min(id) filter (where created_at >= ${before}) - 1, max(id)) as last from (
      select id, created_at from eaas.audit_entries
      where tenant_id = ${tenantId} and id > ${after} and id <= ${after + stepSize}) next`;
  const last = row?.last ?? after;
  return last > after ? last : undefined;
}

async function anchorId(sql: Sql, tenantId: string): Promise<number> {
  const [row] = await sql<{ id: number }[]>`select id from eaas.audit_anchors where tenant_id = ${tenantId}`;
  return row?.id ?? 0;
}

async function purgeThrough(tx: Transaction, anchor: AnchorRow): Promise<number> {
  await tx`insert into eaas.audit_anchors ${tx({ ...anchor })} on conflict (tenant_id) do update
    set id = excluded.id, hash = excluded.hash, mac = excluded.mac`;
  const [row] = await tx<{ count: number }[]>`
    select eaas.purge_entries(${anchor.tenant_id}, ${anchor.id}) as count`;
  return row?.count ?? 0;
}
