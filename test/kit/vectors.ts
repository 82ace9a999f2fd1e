import { readFileSync } from 'node:fs';
import type apiKey from '../vectors/api-key.json';
import type auditChain from '../vectors/audit-chain.json';
import type base64 from '../vectors/base64.json';
import type checkpoint from '../vectors/checkpoint.json';
import type contexts from '../vectors/context.json';
import type envelopeV1 from '../vectors/envelope-v1.json';
import type envelopeV2 from '../vectors/envelope-v2.json';
import type evidence from '../vectors/evidence.json';
import type fields from '../vectors/fields.json';
import type hash from '../vectors/hash.json';
import type intake from '../vectors/intake.json';
import type keyFile from '../vectors/key-file.json';
import type ledger from '../vectors/ledger.json';
import type localLock from '../vectors/local-lock.json';
import type localSecretAccepted from '../vectors/local-secret-accepted.json';
import type localSecret from '../vectors/local-secret.json';
import type logMoment from '../vectors/log-moment.json';
import type logProof from '../vectors/log-proof.json';
import type logTree from '../vectors/log-tree.json';
import type pae from '../vectors/pae.json';
import type people from '../vectors/people.json';
import type sealedSecret from '../vectors/sealed-secret.json';

type Context = Readonly<Record<string, string>> | null;

interface EnvelopeCase {
  readonly name: string;
  readonly dek: string;
  readonly key_id: string;
  readonly key_version: number;
  readonly wrapped_key: string;
  readonly context: Context;
  readonly encryption_key: string;
  readonly commitment: string;
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

export interface StreamRefusal {
  readonly name: string;
  readonly dek: string;
  /** The key id that the reader expects. Null means that the reader accepts any key id. */
  readonly expected_key_id: string | null;
  readonly context: Context;
  readonly error: 'format' | 'decryption';
  readonly ciphertext?: string;
  readonly base?: string;
  readonly edit?: readonly Edit[];
}

type OfEnvelope = 'key_id' | 'dek_hex' | 'dek_mixed_hex' | 'c_hex' | 'plaintext_hex' | 'ciphertext';
type OfOthers = 'salt_hex' | 'plaintext_sha256' | 'chunks_sha256' | 'index_key_hex' | 'half_id_hex' | 'text';
type OfPasskey = 'prf_hex' | 'rp_id' | 'credential_id_hex' | 'subject' | 'iv_hex' | 'sealed_hex';

/** Each kind of vector has some of the fields: an envelope has no salt, and a text no key. */
export interface HalfVector extends Readonly<Record<'name' | OfEnvelope | OfPasskey | OfOthers, string>> {
  readonly kind: string;
  readonly half_hex: string | null;
  readonly token_key_hex: string | null;
  readonly context: Readonly<Record<string, string>>;
  readonly plaintext_length: number;
  readonly chunks_length: number;
  readonly others_that_must_not_fit?: readonly string[];
  readonly refused?: Readonly<Record<string, string>>;
}

interface SealedSecret {
  readonly name: string;
  readonly ikm: string;
  readonly purpose: string;
  readonly tenant: string | null;
  readonly key: string | null;
  readonly version: number;
  readonly context: Context;
  readonly sealed: string;
}

interface ForeignValue {
  readonly name: string;
  readonly reader: 'joined' | 'betterAuth' | 'cloak' | 'fernet' | 'typeormEncrypted';
  readonly options: Readonly<Record<string, unknown>>;
  readonly stored: string;
}

interface VectorFiles {
  'api-key': typeof apiKey;
  'audit-chain': typeof auditChain;
  base64: typeof base64;
  checkpoint: typeof checkpoint;
  context: typeof contexts;
  'envelope-v1': Omit<typeof envelopeV1, 'cases'> & {
    cases: readonly MessageCase[];
  };
  'envelope-v2': Omit<typeof envelopeV2, 'cases' | 'refusals'> & {
    cases: readonly StreamCase[];
    refusals: readonly StreamRefusal[];
  };
  evidence: typeof evidence;
  fields: typeof fields;
  formats: {
    keys: readonly {
      readonly name: string;
      readonly from: 'fromHex' | 'fromBase64' | 'fromUtf8' | 'fromSha256' | 'fromScrypt';
      readonly arguments: readonly unknown[];
      readonly key_hex: string;
    }[];
    cases: readonly (ForeignValue & { plaintext: string })[];
    refusals: readonly ForeignValue[];
  };
  half: { vectors: readonly HalfVector[] };
  hash: typeof hash;
  intake: typeof intake;
  'key-file': typeof keyFile;
  ledger: typeof ledger;
  'local-lock': typeof localLock;
  'local-secret': typeof localSecret;
  'local-secret-accepted': typeof localSecretAccepted;
  'log-moment': typeof logMoment;
  'log-proof': typeof logProof;
  'log-tree': typeof logTree;
  pae: typeof pae;
  people: typeof people;
  'sealed-secret': Omit<typeof sealedSecret, 'cases' | 'refusals'> & {
    cases: readonly (SealedSecret & { salt: string; secret: string })[];
    refusals: readonly SealedSecret[];
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
