import type { Output, Permission } from '@eaas/protocol/wire';

export type KeyStatus = Output<'POST /v1/keys'>['status'];

/** One version of a key: 32 bytes, erased when the key is destroyed. */
interface KeyVersion {
  readonly created_at: number;
  secret: Uint8Array | null;
}

/** A key as it is kept. Times are milliseconds since 1970. */
export interface Key {
  readonly key_id: string;
  readonly name: string;
  readonly exportable: boolean;
  readonly created_at: number;
  status: KeyStatus;
  rotated_at: number | null;
  interval_days: number | null;
  next_rotation_at: number | null;
  destroy_at: number | null;
  hash_key: Uint8Array | null;
  /** The first is version 1; the last is the key's current one. */
  readonly versions: KeyVersion[];
  /** The entry that last changed it. */
  rev: number;
}

/** What an API key may do, and for whom. */
export interface Reach {
  readonly permissions: readonly Permission[];
  readonly key_ids: readonly string[] | null;
  readonly allowed_origins: readonly string[] | null;
  readonly expires_at: number | null;
}

export interface ApiKey extends Reach {
  readonly api_key_id: string;
  readonly name: string;
  readonly token: string;
  readonly created_at: number;
  readonly created_by: string;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  readonly rev: number;
}

export type Entry = Output<'GET /v1/audit'>['logs'][number];

/** All that the service knows. */
export interface Tenant {
  readonly tenant_id: string;
  envelope_only: boolean;
  monthly_encrypt_quota: number | null;
  /** The entry that last changed it; 0 before any did. */
  rev: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** In the order in which they were made, as are the API keys. */
  readonly keys: Map<string, Key>;
  readonly apiKeys: Map<string, ApiKey>;
  /** The audit log: entry `id` stands at `id - 1`. */
  readonly log: Entry[];
  /** Signs checkpoints; made when the first is asked for. */
  signer?: Promise<CryptoKeyPair>;
}

/** The key's current version. */
export function versionOf(key: Key): number {
  return key.versions.length;
}

/** Random bytes from the platform's cryptographic generator. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Lower-case hexadecimal, as the API spells hashes. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
