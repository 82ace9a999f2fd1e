// Secrets as the service seals them: data keys under a version of a key, and in a key file the versions themselves. The
// server has its own faster code for the same bytes; test/vectors has cases of both in sealed-secret.json and people.json.
import { type Context, encodeContext, pae } from '@eaas/protocol';
import { randomBytes } from '@eaas/protocol/internal';
import { saltEnd, serviceForm, subjectForm, versionEnd, versionIn } from '@eaas/protocol/internal-intake';
import { using } from '@eaas/protocol/service';
import { engine, hmac } from '#engine';

/** What a sealed secret is for. It opens only for the same purpose, tenant, key, version and context. */
export interface SecretPlace {
  readonly purpose: 'dek' | 'key-version' | 'hash-key' | 'tenant-secret' | 'subject';
  readonly tenantId: string;
  readonly keyId: string | null;
  readonly version: number;
  readonly context?: Context | undefined;
  /** The secret of the subject that a data key belongs to, if it belongs to one. */
  readonly subject?: Uint8Array | undefined;
}

const formOf = ({ subject }: SecretPlace) => (subject ? subjectForm : serviceForm);

// The iv is constant, because each random salt gives another encryption key, and each encrypts only one secret.
const iv = new Uint8Array(12);

/** Seals 32 bytes. `salt` is random unless a test passes one. */
export function sealSecret(
  ikm: Uint8Array,
  place: SecretPlace,
  secret: Uint8Array,
  salt?: Uint8Array,
): Uint8Array {
  const sealed = new Uint8Array(serviceForm.length);
  const head = sealed.subarray(0, saltEnd);
  const view = new DataView(sealed.buffer);
  view.setUint16(0, formOf(place).formatAndSuite);
  view.setUint32(2, place.version);
  head.set(salt ?? randomBytes(saltEnd - versionEnd), versionEnd);
  withKey(ikm, place, head, (key) =>
    engine.encrypt(key, iv, aadOf(place, head), secret, sealed.subarray(saltEnd)),
  );
  return sealed;
}

/** Opens a sealed secret, or returns undefined. The caller must wipe the secret. */
export function openSecret(ikm: Uint8Array, place: SecretPlace, sealed: Uint8Array): Uint8Array | undefined {
  if (versionIn(formOf(place), sealed) !== place.version) return undefined;
  const head = sealed.subarray(0, saltEnd);
  return withKey(ikm, place, head, (key) =>
    engine.decrypt(key, iv, aadOf(place, head), sealed.subarray(saltEnd)),
  );
}

function withKey<T>(
  ikm: Uint8Array,
  { tenantId, keyId, version, purpose, subject }: SecretPlace,
  head: Uint8Array,
  work: (key: unknown) => T,
): T {
  const salt = head.subarray(versionEnd);
  const label = subject ? 'eaas wrap v2' : 'eaas wrap v1';
  const derivation = pae(label, tenantId, keyId, version, purpose, salt);
  const ofSubject = subject && hmac(ikm, pae('eaas subject v1', subject));
  const key = using(hmac(ofSubject ?? ikm, derivation), (bytes) => engine.importKey(bytes));
  ofSubject?.fill(0);
  try {
    return work(key);
  } finally {
    engine.wipe(key);
  }
}

function aadOf({ context }: SecretPlace, head: Uint8Array): Uint8Array {
  return pae(head, encodeContext(context));
}
