// Both ends of an audit log: the head, which is the newest entry, and the anchor, which is the last purged one.
import { first, type Fragment, type Table } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

export interface HeadRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: Uint8Array;
  readonly state_id: number;
  /** The hash of the entry with the id `state_id`. */
  readonly state_hash: Uint8Array;
  readonly created_at: number;
  readonly month: string;
  readonly encrypts: number;
  readonly mac: Uint8Array;
}

export const headTable: Table<HeadRow> = {
  name: 'audit_heads',
  id: 'tenant_id',
  label: ['eaas head v1'],
  columns: ['tenant_id', 'id', 'hash', 'state_id', 'state_hash', 'created_at', 'month', 'encrypts'],
  numbers: ['id', 'state_id', 'created_at', 'encrypts'],
};

export interface SeenHead extends HeadRow {
  /** The hash of the entry with the id `knownId`, or null if it is the head or the log does not have it. */
  readonly known_hash?: Uint8Array | null | undefined;
  readonly now: number;
}

export function findHead(sql: Sql, tenantId: string, knownId?: number): Promise<SeenHead | undefined> {
  const known = knownId === undefined ? sql`` : entryHash(sql, tenantId, sql`${knownId}`);
  return first(sql<SeenHead[]>`
    select tenant_id, id, hash, state_id, state_hash, created_at, month, encrypts, mac, eaas.now_ms() as now
      ${knownId === undefined ? sql`` : sql`, case when h.id <> ${knownId} then ${known} end as known_hash`}
    from eaas.audit_heads h where tenant_id = ${tenantId}`);
}

function entryHash(sql: Sql, tenantId: string, id: Fragment) {
  return sql`(select hash from eaas.audit_entries where tenant_id = ${tenantId} and id = ${id} limit 1)`;
}

export async function lockHead(tx: Transaction, tenantId: string, knownId?: number) {
  // `execute` sends the lock before `findHead` reads the head. Otherwise, another transaction could change the head in
  // between.
  const lock = tx`select from eaas.audit_heads where tenant_id = ${tenantId} for update`.execute();
  const [, head] = await Promise.all([lock, findHead(tx, tenantId, knownId)]);
  return head;
}

type HeadPosition = Pick<HeadRow, 'tenant_id' | 'id' | 'state_id'>;

export async function listHeads(sql: Sql): Promise<HeadPosition[]> {
  return sql<HeadPosition[]>`select tenant_id, id, state_id from eaas.audit_heads`;
}

export async function insertHead(sql: Sql, head: HeadRow): Promise<void> {
  await sql`insert into eaas.audit_heads ${sql({ ...head, uncounted: true })}`;
}

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
