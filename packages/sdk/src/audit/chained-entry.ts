import { entryHash } from '@eaas/protocol/audit';
import { fromHex, toHex } from '@eaas/protocol/internal-audit';
import type { AuditEntry } from './list.ts';

/** Whether a value has the members of an audit entry. It can have others too. */
export function isEntry(entry: AuditEntry | null | undefined): boolean {
  if (!entry) return false;
  const { id, key_id, key_version, ip_address, metadata, created_at, hash } = entry;
  return (
    Number.isSafeInteger(id) &&
    id > 0 &&
    [entry.tenant_id, entry.action, entry.actor].every((text) => typeof text === 'string') &&
    (key_id === null || typeof key_id === 'string') &&
    (ip_address === null || typeof ip_address === 'string') &&
    (key_version === null || Number.isSafeInteger(key_version)) &&
    typeof metadata === 'object' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(created_at) &&
    /^[0-9a-f]{64}$/.test(hash)
  );
}

/** Whether the hash of an entry follows from its content and the hash of the entry before it. */
export function isChained(previous: string, entry: AuditEntry): boolean {
  try {
    return toHex(entryHash(fromHex(previous), entry)) === entry.hash;
  } catch {
    return false; // `entryHash` throws for a lone surrogate, which canonical JSON does not allow.
  }
}
