import { readFileSync } from 'node:fs';
import type { ChainedEntry, StoredEntry } from '@eaas/protocol/audit';

type Context = Readonly<Record<string, string>> | null;

interface Named {
  readonly name: string;
}

interface EnvelopeCase extends Named {
  readonly dek: string;
  readonly key_id: string;
  readonly key_version: number;
  readonly wrapped_key: string;
  readonly context: Context;
  readonly encryption_key: string;
  readonly commitment: string;
}

interface Opening extends Named {
  readonly dek: string;
  /** The key id that the reader expects. Null means that the reader accepts any key id. */
  readonly expected_key_id: string | null;
  readonly context: Context;
}

interface AcceptedChange extends Opening {
  readonly ciphertext: string;
  readonly plaintext: string;
}

interface Refusal extends Opening {
  readonly error: 'format' | 'decryption';
}

export interface MessageCase extends EnvelopeCase {
  readonly iv: string;
  readonly plaintext: string;
  readonly aad: string;
  readonly ciphertext: string;
}

export type Edit =
  | readonly ['cut', number, number]
  | readonly ['flip', number, number]
  | readonly ['append', string]
  | readonly ['swap_chunks', number, number]
  | readonly ['repeat_chunk', number];

export interface StreamCase extends EnvelopeCase {
  readonly salt: string;
  readonly plaintext: string | { readonly pattern: string; readonly length: number };
  readonly info: string;
  readonly header: string;
  readonly chunks: number;
  /** The ciphertext in base64, or null if it is too long for the file. */
  readonly ciphertext: string | null;
  readonly ciphertext_length: number;
  readonly ciphertext_sha256: string;
  readonly last_chunk?: string;
}

export interface StreamRefusal extends Refusal {
  readonly ciphertext?: string;
  readonly base?: string;
  readonly edit?: readonly Edit[];
}

type OfEnvelope = 'key_id' | 'dek_hex' | 'dek_mixed_hex' | 'c_hex' | 'plaintext_hex' | 'ciphertext';
type OfOthers = 'salt_hex' | 'plaintext_sha256' | 'chunks_sha256' | 'index_key_hex' | 'half_id_hex' | 'text';
type OfPasskey = 'prf_hex' | 'rp_id' | 'credential_id_hex' | 'subject' | 'iv_hex' | 'sealed_hex';

/** Each kind of vector has some of the fields: an envelope has no salt, and a text no key. */
export interface HalfVector extends Named, Readonly<Record<OfEnvelope | OfPasskey | OfOthers, string>> {
  readonly kind: string;
  readonly half_hex: string | null;
  readonly token_key_hex: string | null;
  readonly context: Readonly<Record<string, string>>;
  readonly plaintext_length: number;
  readonly chunks_length: number;
  readonly others_that_must_not_fit?: readonly string[];
  readonly refused?: Readonly<Record<string, string>>;
}

interface SealedSecret extends Named {
  readonly ikm: string;
  readonly purpose: string;
  readonly tenant: string | null;
  readonly key: string | null;
  readonly version: number;
  readonly context: Context;
  readonly sealed: string;
}

interface SubjectWrap extends Named {
  readonly tenant: string;
  readonly key: string;
  readonly version: number;
  readonly version_secret: string;
  /** Null for an unwrap without a subject. */
  readonly subject_secret: string | null;
  readonly context: Context;
  readonly wrapped: string;
}

interface SealedSubject extends Named {
  readonly tenant: string;
  readonly tenant_secret: string;
  readonly subject_id: string;
  readonly sealed: string;
}

interface SubjectCase extends SubjectWrap, SealedSubject {
  readonly subject: string;
  readonly user_id: string;
  readonly subject_secret: string;
  readonly seal_salt: string;
  readonly dek: string;
  readonly salt: string;
}

interface Checkpoint extends Named {
  readonly tenant_id: string;
  readonly verifier_key: string;
  readonly note: string;
}

interface IntakeCase extends Named {
  readonly version_bytes_hex: string;
  readonly key_version: number;
  readonly xwing_seed_hex: string;
  readonly public_key_sha256_hex: string;
  readonly public_key_token_sha256_hex: string;
  readonly encapsulation_seed_hex: string;
  readonly shared_secret_hex: string;
  readonly wrap_context: Readonly<Record<string, string>>;
  readonly dek_hex: string;
  readonly wrapped_key: string;
  readonly context: Readonly<Record<string, string>>;
  readonly iv_hex: string;
  readonly plaintext_hex: string;
  readonly ciphertext_sha256_hex: string;
  readonly public_key_token?: string;
  readonly ciphertext?: string;
}

interface IntakeRefusal extends Named {
  readonly version_bytes_hex: string;
  readonly tenant: string;
  readonly key: string;
  readonly key_version: number;
  readonly context: Readonly<Record<string, string>>;
  readonly wrapped: string;
}

interface ForeignValue extends Named {
  readonly reader: 'joined' | 'betterAuth' | 'cloak' | 'fernet' | 'typeormEncrypted';
  readonly options: Readonly<Record<string, unknown>>;
  readonly stored: string;
}

type Row = Readonly<Record<string, unknown>>;

interface ProvenHead extends Named {
  readonly tenant_id: string;
  readonly id: number;
  readonly hash: string;
  readonly before: number;
  readonly claimed_time: number;
  readonly origin: string;
}

interface VectorFiles {
  'api-key': {
    cases: readonly (Named & { bytes: string; token: string; crc32: number })[];
    refusals: readonly (Named & { token: string })[];
  };
  'audit-chain': {
    tenant_id: string;
    tenant_secret: string;
    audit_mac_key: string;
    hash_0: string;
    chain: readonly {
      entry: Omit<ChainedEntry, 'tenant_id'> & { hash: string };
      metadata_json: string;
      metadata_text: string;
      created_at_ms: number;
      hash: string;
      mac: string;
    }[];
    canonical_json: readonly (Named & { json: string; canonical: string })[];
    canonical_json_refusals: readonly (Named & { json: string })[];
  };
  base64: {
    cases: readonly (Named & { text: string; hex: string })[];
    refusals: readonly (Named & { text: string })[];
  };
  checkpoint: {
    cases: readonly (Checkpoint & {
      seed: string;
      id: number;
      hash: string;
      public_key: string;
      key_name: string;
      text: string;
    })[];
    accepted: readonly (Checkpoint & { id: number; hash: string })[];
    refusals: readonly Checkpoint[];
  };
  context: {
    cases: readonly (Named & { json: string; encoded: string })[];
    refusals: readonly (Named & { json: string })[];
  };
  'envelope-v1': {
    tenant_id: string;
    key_version_secret: string;
    cases: readonly MessageCase[];
    accepted_changes: readonly AcceptedChange[];
    refusals: readonly (Refusal & { ciphertext: string })[];
  };
  'envelope-v2': {
    tenant_id: string;
    key_version_secret: string;
    cases: readonly StreamCase[];
    accepted_changes: readonly AcceptedChange[];
    refusals: readonly StreamRefusal[];
  };
  formats: {
    keys: readonly (Named & {
      from: 'fromHex' | 'fromBase64' | 'fromUtf8' | 'fromSha256' | 'fromScrypt';
      arguments: readonly unknown[];
      key_hex: string;
    })[];
    cases: readonly (ForeignValue & { plaintext: string })[];
    refusals: readonly ForeignValue[];
  };
  half: { vectors: readonly HalfVector[] };
  hash: {
    cases: readonly (Named & { hash_key: string; value: string; hash: string })[];
    refusals: readonly (Named & { value_json: string })[];
  };
  intake: {
    tenant_id: string;
    key_id: string;
    cases: readonly IntakeCase[];
    refusals: readonly IntakeRefusal[];
  };
  ledger: {
    tenant_id: string;
    tenant_secret: string;
    row_mac_key: string;
    row_sum_key: string;
    audit_mac_key: string;
    rows: readonly (Named & { table: string; row: Row; mac: string | null; in_sum: string | null })[];
    link: {
      previous: string;
      entries: readonly (Omit<StoredEntry, 'tenant_id'> & { hash: string; mac: string })[];
    };
    sums: readonly (Named & {
      row_sum_key: string;
      rows: readonly { table: string; row: Row }[];
      id: number;
      hash: string;
      nonce: string;
      sum: string;
    })[];
  };
  'log-moment': {
    cases: readonly (Named & {
      count: number;
      root: string;
      paths: readonly { head: number; position: string; leaf: string; path: readonly string[] }[];
      time: number;
      entry: string;
      entry_leaf: string;
    })[];
  };
  'log-proof': {
    policy: string;
    cases: readonly (ProvenHead & { proof: string })[];
    refusals: readonly (Named & { code: string; proof: string })[];
    cosignatures: readonly (Named & {
      verifier_key: string;
      time: number;
      message: string;
      checkpoint: string;
      line: string;
    })[];
    example: { verifier_key: string; note: string };
  };
  'log-tree': {
    short_entries: readonly string[];
    short_roots: readonly string[];
    cases: readonly (Named & {
      size: number;
      root: string;
      last_tiles: readonly { path: string; sha256: string }[];
      inclusion: readonly { index: number; leaf: string; path: readonly string[] }[];
      consistency: readonly { old: number; old_root: string; proof: readonly string[] }[];
    })[];
  };
  pae: {
    cases: readonly (Named & {
      parts: readonly ({ text: string } | { hex: string } | { integer: number } | { null: true })[];
      encoded: string;
    })[];
  };
  people: {
    cases: readonly SubjectCase[];
    refusals: readonly SubjectWrap[];
    sealed_refusals: readonly SealedSubject[];
  };
  'sealed-secret': {
    cases: readonly (SealedSecret & { salt: string; secret: string })[];
    refusals: readonly SealedSecret[];
    tenant_keys: readonly (Named & { tenant: string; tenant_secret: string; key: string })[];
    root_ids: readonly { root_key: string; root_id: string }[];
  };
}

export type VectorFile<Format extends keyof VectorFiles> = VectorFiles[Format];

export function vectors<Format extends keyof VectorFiles>(format: Format): VectorFiles[Format] {
  const file = new URL(`../vectors/${format}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as VectorFiles[Format];
}

export function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
