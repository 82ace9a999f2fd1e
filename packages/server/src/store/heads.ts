import type { PaePart } from '@eaas/protocol';
import type { Sql, Transaction } from './sql.ts';

/** Where a tenant's chain stands, and the month's count of encrypts, which advances with it. */
export interface Head {
  readonly id: number;
  readonly hash: Uint8Array;
  /** The last entry that changed the tenant, a key or an API key. */
  readonly state_id: number;
  readonly created_at: number;
  readonly month: string;
  readonly encrypts: number;
}

export interface HeadRow extends Head {
  readonly mac: Uint8Array;
}

/** What the head's MAC covers: all of it. */
export function headParts(tenantId: string, head: Head): PaePart[] {
  return [tenantId, head.id, head.hash, head.state_id, head.created_at, head.month, head.encrypts];
}

/** A head, and the hash of an entry that was the head before: null where there is none, undefined where none was asked. */
export interface SeenHead extends HeadRow {
  readonly known_hash?: Uint8Array | null | undefined;
}

export async function findHead(sql: Sql, tenantId: string, knownId?: number): Promise<SeenHead | undefined> {
  const known =
    knownId === undefined
      ? sql``
      : sql`, (select e.hash from eaas.audit_entries e where e.tenant_id = h.tenant_id and e.id = ${knownId}) as known_hash`;
  const [row] = await sql<SeenHead[]>`
    select id, hash, state_id, created_at, month, encrypts, mac ${known}
    from eaas.audit_heads h where tenant_id = ${tenantId}`;
  return row;
}

/** Reads the head and holds it until the transaction ends: nothing is appended meanwhile. */
export async function lockHead(tx: Transaction, tenantId: string): Promise<HeadRow | undefined> {
  const [row] = await tx<HeadRow[]>`
    select id, hash, state_id, created_at, month, encrypts, mac from eaas.audit_heads
    where tenant_id = ${tenantId} for update`;
  return row;
}

export async function insertHead(sql: Sql, tenantId: string, head: HeadRow): Promise<void> {
  await sql`insert into eaas.audit_heads ${sql({ tenant_id: tenantId, ...head })}`;
}
