import { sha256 } from '@noble/hashes/sha2.js';
import { canonicalJson } from './canonical-json.ts';
import { pae } from './pae.ts';

/** An audit entry in the form that `GET /v1/audit` returns, without its hash. */
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

/**
 * An audit entry in the form of the database: `metadata` is canonical JSON, and `created_at` is milliseconds since
 * 1970.
 */
export interface StoredEntry extends Omit<ChainedEntry, 'metadata' | 'created_at'> {
  readonly metadata: string;
  readonly created_at: number;
}

/** Returns the genesis hash of a tenant, which is the previous hash of the tenant's first audit entry. */
export function genesisHash(tenantId: string): Uint8Array {
  return sha256(pae('eaas audit chain v1', tenantId));
}

const fields = [
  ...(['tenant_id', 'id', 'action', 'key_id', 'key_version'] as const),
  ...(['actor', 'ip_address', 'metadata', 'created_at'] as const),
];

/** Returns the bytes whose SHA-256 is the hash of an audit entry. */
export function entryPreimage(previousHash: Uint8Array, entry: StoredEntry): Uint8Array<ArrayBuffer> {
  return pae('eaas audit entry v1', previousHash, ...fields.map((name) => entry[name]));
}

/**
 * Computes the hash of an audit entry in the form that `GET /v1/audit` returns. `previousHash` is the hash of the
 * preceding entry.
 */
export function entryHash(previousHash: Uint8Array, entry: ChainedEntry): Uint8Array {
  const stored: StoredEntry = {
    ...entry,
    metadata: canonicalJson(entry.metadata),
    created_at: Date.parse(entry.created_at),
  };
  return sha256(entryPreimage(previousHash, stored));
}
