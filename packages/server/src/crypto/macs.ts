// The MACs of the server: of audit entries with their hashes, and of the rows of the database.
import { createHmac, hash as digest, type KeyObject } from 'node:crypto';
import { pae, type PaePart } from '@eaas/protocol';
import type { StoredEntry } from '@eaas/protocol/audit';
import { entryParts } from '@eaas/protocol/internal-audit';
import { hmacSha256, paeView, sameBytes } from './hmac.ts';

const label = 'eaas audit entry v1';
const hashLength = 32;
// Byte positions in an encoded audit entry. The positions are constant, because the label, the previous hash and the
// tenant's id have fixed lengths.
const hashAt = 4 + 4 + label.length + 4;
const idAt = hashAt + hashLength + 4 + 36 + 4;

export interface Link {
  readonly hash: Uint8Array;
  readonly mac: Uint8Array;
}

/**
 * `first` hashes an entry. `next` hashes the same entry with another id and another previous hash. Hashes are strings
 * with one character per byte.
 */
export function entryHashes() {
  let preimage = Buffer.alloc(0);
  let entry: StoredEntry;
  let idLength = 0;
  const first = (previousHash: string, firstEntry: StoredEntry): string => {
    entry = firstEntry;
    idLength = String(entry.id).length;
    preimage = Buffer.from(entryPreimageView(Buffer.from(previousHash, 'latin1'), entry));
    return digest('sha256', preimage, 'binary');
  };
  const next = (previousHash: string, id: number): string => {
    const text = String(id);
    if (text.length !== idLength) return first(previousHash, { ...entry, id });
    preimage.write(previousHash, hashAt, 'latin1');
    preimage.write(text, idAt, 'latin1');
    return digest('sha256', preimage, 'binary');
  };
  return { first, next };
}

export function entryMacs(auditMac: KeyObject, hashes: readonly string[]): string[] {
  const hmac = hmacSha256(auditMac, hashLength);
  try {
    return hashes.map((hash) => {
      hmac.message.write(hash, 'latin1');
      return hmac.digestText();
    });
  } finally {
    hmac.wipe();
  }
}

export function encodedEntryChainer(auditMac: KeyObject, tenantId: string) {
  const start = Buffer.from(pae(label, new Uint8Array(hashLength), tenantId));
  start.writeUInt32BE(3 + 8, 0); // the number of parts: 3 in `start` and 8 in the encoded entry
  const scratch = Buffer.concat([start], 16_384);
  return (previousHash: Uint8Array, encoded: Uint8Array): Link => {
    const length = start.length + encoded.length;
    const preimage = length > scratch.length ? Buffer.concat([start, encoded]) : scratch.subarray(0, length);
    preimage.set(previousHash, hashAt);
    preimage.set(encoded, start.length);
    const hash = digest('sha256', preimage, 'buffer');
    return { hash, mac: auditEntryMac(auditMac, hash) };
  };
}

export function entryMacHolds(auditMac: KeyObject, hash: Uint8Array, mac: Uint8Array): boolean {
  return sameBytes(auditEntryMac(auditMac, hash), mac);
}

/** Whether an entry as it is stored follows the entry with the previous hash, and has the MAC of the tenant. */
export function isAuthenticEntry(
  auditMac: KeyObject,
  tenantId: string,
  { hash, mac, ...entry }: Omit<StoredEntry, 'tenant_id'> & { hash: Uint8Array; mac: Uint8Array },
  previous: Uint8Array,
): boolean {
  const preimage = entryPreimageView(previous, { tenant_id: tenantId, ...entry });
  const expected = digest('sha256', preimage, 'buffer');
  return sameBytes(expected, hash) && entryMacHolds(auditMac, hash, mac);
}

/** Returns the bytes that the hash of an audit entry covers. The next call of `paeView` overwrites these bytes. */
export function entryPreimageView(previousHash: Uint8Array, entry: StoredEntry): Uint8Array {
  return paeView(entryParts(previousHash, entry));
}

function auditEntryMac(auditMac: KeyObject, hash: Uint8Array): Uint8Array {
  return createHmac('sha256', auditMac).update(hash).digest();
}

export type Column = PaePart | boolean | readonly string[];

export function rowMac(key: KeyObject, label: readonly string[], columns: readonly Column[]): Uint8Array {
  return createHmac('sha256', key)
    .update(paeView([...label, ...columns.map(toPart)]))
    .digest();
}

export function rowMacHolds(
  key: KeyObject,
  label: readonly string[],
  columns: readonly Column[],
  presented: Uint8Array,
): boolean {
  return sameBytes(rowMac(key, label, columns), presented);
}

function toPart(column: Column): PaePart {
  if (typeof column === 'boolean') return String(column);
  if (!isList(column)) return column;
  // Refuses a list of lists, which a tampered row might contain, because `pae` would encode the inner lists
  // as bytes.
  if (!column.every((text) => typeof text === 'string'))
    throw new TypeError('each item of a list in a database column must be a string (got another type)');
  return pae(...column);
}

// `isList` exists because `Array.isArray` does not narrow the type of a readonly array.
function isList(column: Column): column is readonly string[] {
  return Array.isArray(column);
}
