import { type Fragment, first, type Table } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

/** The head of a tenant's audit log: the last entry, and the number of encrypt operations in the month. */
export interface HeadRow {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: Uint8Array;
  /** The id of the last audit entry that changed the tenant, a key or an API key. */
  readonly state_id: number;
  /**
   * The hash of the audit entry `state_id`. Null if an earlier version of the service wrote the head and the tenant has
   * not changed since.
   */
  readonly state_hash: Uint8Array | null;
  readonly created_at: number;
  readonly month: string;
  readonly encrypts: number;
  readonly mac: Uint8Array;
}

export const headTable: Table<HeadRow> = {
  name: 'audit_heads',
  id: 'tenant_id',
  label: ['eaas head v1'],
  columns: ['tenant_id', 'id', 'hash', 'state_id', 'created_at', 'month', 'encrypts'],
  added: 'state_hash',
};

/** The head of a tenant's audit log, with other values from the same query. */
export interface SeenHead extends HeadRow {
  /**
   * The hash of the audit entry `state_id`. If the head does not contain the hash, the query reads it from the entry.
   * Null if the entry was purged.
   */
  readonly state_name: Uint8Array | null;
  /**
   * The hash of the audit entry `knownId`. Null if the log has no such entry. Undefined if the caller passed no
   * `knownId`.
   */
  readonly known_hash?: Uint8Array | null | undefined;
  /** The database's time when the head was read, in milliseconds since 1970. */
  readonly now: number;
}

/**
 * Reads the head of a tenant's audit log. If `knownId` (the id of an earlier head) is given, also reads the hash of
 * that entry.
 */
export function findHead(sql: Sql, tenantId: string, knownId?: number): Promise<SeenHead | undefined> {
  return first(sql<SeenHead[]>`
    select tenant_id, id, hash, state_id, state_hash, created_at, month, encrypts, mac, eaas.now_ms() as now,
      coalesce(state_hash, ${entryHash(sql, sql`h.state_id`)}) as state_name
      ${knownId === undefined ? sql`` : sql`, ${entryHash(sql, sql`${knownId}`)} as known_hash`}
    from eaas.audit_heads h where tenant_id = ${tenantId}`);
}

// The query needs `limit 1`, because an attacker who has removed the primary key can insert two audit entries with one
// id.
function entryHash(sql: Sql, id: Fragment) {
  return sql`(select e.hash from eaas.audit_entries e where e.tenant_id = h.tenant_id and e.id = ${id} limit 1)`;
}

/**
 * Locks and reads the head of a tenant's audit log. No other transaction can append to the log until the transaction
 * ends.
 */
export async function lockHead(tx: Transaction, tenantId: string, knownId?: number) {
  // `execute` sends the lock before the read. Without `execute`, postgres.js would send the lock only after the read.
  // Another transaction could then change the head between the read and the lock.
  const lock = tx`select from eaas.audit_heads where tenant_id = ${tenantId} for update`.execute();
  const [, head] = await Promise.all([lock, findHead(tx, tenantId, knownId)]);
  return head;
}

export async function insertHead(sql: Sql, head: HeadRow): Promise<void> {
  await sql`insert into eaas.audit_heads ${sql({ ...head })}`;
}
