import type { PaePart } from '@eaas/protocol';
import type { Sql, Transaction } from './sql.ts';

/** What a purge left behind: the last entry that is gone, and a digest of the rows that it and those before it made. */
export interface Anchor {
  readonly id: number;
  readonly hash: Uint8Array;
  readonly rows_digest: Uint8Array;
}

export interface AnchorRow extends Anchor {
  readonly mac: Uint8Array;
}

export function anchorParts(tenantId: string, anchor: Anchor): PaePart[] {
  return [tenantId, anchor.id, anchor.hash, anchor.rows_digest];
}

export async function findAnchor(sql: Sql, tenantId: string): Promise<AnchorRow | undefined> {
  const [row] = await sql<AnchorRow[]>`
    select id, hash, rows_digest, mac from eaas.audit_anchors where tenant_id = ${tenantId}`;
  return row;
}

/** Records the anchor and deletes the entries up to it. */
export async function purgeThrough(tx: Transaction, tenantId: string, anchor: AnchorRow): Promise<number> {
  const row = { tenant_id: tenantId, ...anchor };
  await tx`insert into eaas.audit_anchors ${tx(row)} on conflict (tenant_id) do update set
    id = excluded.id, hash = excluded.hash, rows_digest = excluded.rows_digest, mac = excluded.mac`;
  const [gone] = await tx<{ count: number }[]>`select eaas.purge_entries(${tenantId}, ${anchor.id}) as count`;
  return gone?.count ?? 0;
}
