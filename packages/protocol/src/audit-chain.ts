import { sha256 } from '@noble/hashes/sha2.js';
import { canonicalJson } from './canonical-json.ts';
import { pae } from './pae.ts';

/** An audit entry's own fields: exactly what the API shows of it, less its hash. */
export interface ChainedEntry {
  readonly tenant_id: string;
  readonly id: number;
  readonly action: string;
  readonly key_id: string | null;
  readonly key_version: number | null;
  readonly actor: string;
  readonly ip_address: string | null;
  readonly metadata: unknown;
  readonly created_at: string;
}

/** The same with its metadata as stored text (canonical JSON) and its time in milliseconds. */
export interface StoredEntry extends Omit<ChainedEntry, 'metadata' | 'created_at'> {
  readonly metadata: string;
  readonly created_at: number;
}

/** The hash before the first entry of a tenant. */
export function genesisHash(tenantId: string): Uint8Array {
  return sha256(pae('eaas audit chain v1', tenantId));
}

/** What an entry's hash is the SHA-256 of. */
export function entryPreimage(previousHash: Uint8Array, entry: StoredEntry): Uint8Array<ArrayBuffer> {
  return pae(
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
  );
}

/** The hash of an entry as GET /v1/audit shows it, given the hash of the one before. */
export function entryHash(previousHash: Uint8Array, entry: ChainedEntry): Uint8Array {
  const stored: StoredEntry = {
    ...entry,
    metadata: canonicalJson(entry.metadata),
    created_at: Date.parse(entry.created_at),
  };
  return sha256(entryPreimage(previousHash, stored));
}
