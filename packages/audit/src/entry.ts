// What an audit entry is, and whether it continues the chain. Every check of a log or a proof begins here.
import { entryHash } from '@eaas/protocol/audit';
import { fromHex, toHex } from '@eaas/protocol/internal-audit';
import type { Output } from '@eaas/protocol/wire';

/** An entry of the audit log, as the API, `audit.list` of the client and exported files have it. */
export type AuditEntry = Output<'GET /v1/audit'>['logs'][number];

/** Identifies an audit entry by its id and its hash in hex. The id 0 means that the log is empty. */
export interface AuditHead {
  readonly id: number;
  readonly hash: string;
}

/** Whether the hash of an entry follows from its content and the hash of the entry before it. */
export function isChained(previous: string, entry: AuditEntry): boolean {
  try {
    return hasMembers(entry) && toHex(entryHash(fromHex(previous), entry)) === entry.hash;
  } catch {
    return false; // `entryHash` throws for a lone surrogate, which canonical JSON does not allow.
  }
}

/** Whether all members have their types: a hash covers texts, so it is the same for 7 and "7". There can be others too. */
function hasMembers({
  key_id,
  key_version,
  ip_address,
  metadata,
  created_at,
  ...entry
}: AuditEntry): boolean {
  return (
    [entry.tenant_id, entry.action, entry.actor].every((text) => typeof text === 'string') &&
    (key_id === null || typeof key_id === 'string') &&
    (ip_address === null || typeof ip_address === 'string') &&
    (key_version === null || Number.isSafeInteger(key_version)) &&
    typeof metadata === 'object' &&
    new Date(created_at).toISOString() === created_at
  );
}

/** Whether a value has the place of an entry in a log. What else is wrong with it, its hash shows. */
export function isEntry(entry: Partial<AuditEntry> | null | undefined): boolean {
  return Number.isSafeInteger(entry?.id) && (entry?.id ?? 0) > 0;
}

export function isHead(head: Partial<AuditHead> | null | undefined): boolean {
  return Number.isSafeInteger(head?.id) && /^[0-9a-f]{64}$/.test(head?.hash ?? '');
}
