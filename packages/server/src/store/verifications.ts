import { first, type Table } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

export interface MarkerRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: Uint8Array;
  readonly valid: boolean;
  readonly findings: string;
  readonly finished_at: number;
  /** Empty if the tenant's secret cannot be decrypted. */
  readonly mac: Uint8Array;
}

export const markerTable: Table<MarkerRow> = {
  name: 'verification_markers',
  id: 'tenant_id',
  label: ['eaas verification v1'],
  columns: ['tenant_id', 'id', 'hash', 'valid', 'findings', 'finished_at'],
};

export interface FinishedVerification {
  readonly finished_at: number;
  readonly broken: number;
}

export async function chainsToVerify(sql: Sql, since: number): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }[]>`
    select tenant_id from eaas.tenants full join eaas.audit_heads using (tenant_id)
    where not exists (select from eaas.verification_markers m
      where m.tenant_id = coalesce(tenants.tenant_id, audit_heads.tenant_id) and m.finished_at >= ${since})
    order by name`;
  return rows.map((row) => row.tenant_id);
}

export async function writeMarker(tx: Transaction, { tenant_id, ...columns }: MarkerRow): Promise<void> {
  await tx`insert into eaas.verification_markers ${tx({ tenant_id, ...columns })}
    on conflict (tenant_id) do update set ${tx(columns)}`;
}

export async function isVerified(sql: Sql, day: string): Promise<boolean> {
  const { count } = await sql`
    select from eaas.verifications where day = ${day} and finished_at is not null`;
  return count > 0;
}

export async function finishVerification(
  tx: Transaction,
  day: string,
  startedAt: number,
  finishedAt: number,
): Promise<void> {
  await tx`delete from eaas.verification_markers m
    where not exists (select from eaas.tenants t where t.tenant_id = m.tenant_id)
      and not exists (select from eaas.audit_heads h where h.tenant_id = m.tenant_id)`;
  await tx`
    insert into eaas.verifications (day, taken_at, finished_at, broken)
    select ${day}, ${startedAt}::bigint, ${finishedAt}::bigint, count(*) from eaas.verification_markers where not valid
    on conflict (day) do update set
      taken_at = excluded.taken_at, finished_at = excluded.finished_at, broken = excluded.broken`;
}

export function lastVerification(sql: Sql): Promise<FinishedVerification | undefined> {
  return first(sql<FinishedVerification[]>`
    select finished_at, broken from eaas.verifications where finished_at is not null order by day desc limit 1`);
}
