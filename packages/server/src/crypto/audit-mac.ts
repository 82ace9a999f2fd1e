import { createHmac, hash as digest, type KeyObject } from 'node:crypto';
import { pae } from '@eaas/protocol';
import type { StoredEntry } from '@eaas/protocol/audit';
import { paeView } from './pae-view.ts';
import { sameBytes } from './same-bytes.ts';

/** What the log keeps beside an entry: its link in the chain, and the proof that the service made it. */
export interface Link {
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

/** Chains an entry to the hash of the one before. Throws InputError for what the protocol's entryPreimage does. */
export function chainEntry(auditMac: KeyObject, previousHash: Uint8Array, entry: StoredEntry): Link {
  const hash = digest('sha256', entryPreimageView(previousHash, entry), 'buffer');
  return { hash, mac: auditEntryMac(auditMac, hash) };
}

/**
 * Chains entries of one tenant that are encoded already, from the id to the time as a pae spells them: what chainEntry
 * does, several times as fast, for the verification of a whole log.
 */
export function encodedEntryChainer(
  auditMac: KeyObject,
  tenantId: string,
): (previousHash: Uint8Array, encoded: Uint8Array) => Link {
  const label = 'eaas audit entry v1';
  const start = Buffer.from(pae(label, new Uint8Array(32), tenantId));
  start.writeUInt32BE(3 + 8, 0); // the parts here, and the eight that the entry brings
  const hashAt = 4 + 4 + label.length + 4;
  const scratch = Buffer.concat([start], 16_384);
  return (previousHash, encoded) => {
    const length = start.length + encoded.length;
    const preimage = length > scratch.length ? Buffer.concat([start, encoded]) : scratch.subarray(0, length);
    preimage.set(previousHash, hashAt);
    preimage.set(encoded, start.length);
    const hash = digest('sha256', preimage, 'buffer');
    return { hash, mac: auditEntryMac(auditMac, hash) };
  };
}

/** Whether the service made the entry that has this hash. */
export function macHolds(auditMac: KeyObject, hash: Uint8Array, mac: Uint8Array): boolean {
  return sameBytes(auditEntryMac(auditMac, hash), mac);
}

/** The bytes of the protocol's entryPreimage, as paeView gives them: until the next call. */
export function entryPreimageView(previousHash: Uint8Array, entry: StoredEntry): Uint8Array {
  return paeView([
    'eaas audit entry v1',
    previousHash,
    entry.tenant_id,
    entry.id,
    entry.action,
    entry.key_id,
    entry.key_version,
    entry.actor,
    entry.ip_address,
    entry.metadata,
    entry.created_at,
  ]);
}

function auditEntryMac(auditMac: KeyObject, hash: Uint8Array): Uint8Array {
  return createHmac('sha256', auditMac).update(hash).digest();
}
