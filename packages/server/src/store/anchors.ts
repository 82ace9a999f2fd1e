import { first, type Table } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

export interface AnchorRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: Uint8Array;
  readonly rows_digest: Uint8Array;
  readonly mac: Uint8Array;
}

export const anchorTable: Table<AnchorRow> = {
  name: 'audit_anchors',
  id: 'tenant_id',
  label: ['eaas anchor v1'],
  columns: ['tenant_id', 'id', 'hash', 'rows_digest'],
  numbers: ['id'],
};

export function findAnchor(sql: Sql, tenantId: string): Promise<AnchorRow | undefined> {
  return first(sql<AnchorRow[]>`select * from eaas.audit_anchors where tenant_id = ${tenantId}`);
}

export async function purgeThrough(tx: Transaction, anchor: AnchorRow): Promise<number> {
  await tx`insert into eaas.audit_anchors ${tx({ ...anchor })} on conflict (tenant_id) do update set
    id = excluded.id, hash = excluded.hash, rows_digest = excluded.rows_digest, mac = excluded.mac`;
  await tx`delete from eaas.entry_counts where tenant_id = ${anchor.tenant_id} and id <= ${anchor.id}`;
  const purged = tx<{ count: number }[]>`
    select eaas.purge_entries(${anchor.tenant_id}, ${anchor.id}) as count`;
  return (await first(purged))?.count ?? 0;
}
