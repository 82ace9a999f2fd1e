// Secrets as the service seals them: the root key seals a secret per tenant, which seals the versions of keys, which seal
// data keys. Services seal and open them with code that is faster for many, made of the same parts; who has an export opens
// them here.
import { using } from './bytes.ts';
import { additionalData, type Context } from './context.ts';
import type { IntakeCrypto } from './intake/open.ts';
import { pae, type PaePart } from './pae.ts';
import { saltEnd, serviceForm, subjectForm, versionEnd, versionIn, type WrappedForm } from './wrapped-key.ts';

type Purpose = 'dek' | 'key-version' | 'hash-key' | 'tenant-secret' | 'root-check' | 'subject' | 'log-key';

/** What a sealed secret is for. It opens only for the same purpose, tenant, key, version and context. */
export interface SecretPlace {
  readonly purpose: Purpose;
  readonly tenantId: string | null;
  readonly keyId: string | null;
  readonly version: number;
  readonly context?: Context | undefined;
}

/** The place of a data key, with the secret of the subject that it belongs to, if it belongs to one. */
export type DekPlace = SecretPlace & { readonly subject?: Uint8Array | undefined };

type Crypto = Pick<IntakeCrypto, 'engine' | 'hmac'>;

export function tenantPlace(tenantId: string): SecretPlace {
  return { purpose: 'tenant-secret', tenantId, keyId: null, version: 0 };
}

export function versionPlace(tenantId: string, keyId: string, version: number): SecretPlace {
  return { purpose: 'key-version', tenantId, keyId, version };
}

/** All versions of a key share one hash key, so the version of a hash key is always 0. */
export function hashKeyPlace(tenantId: string, keyId: string): SecretPlace {
  return { purpose: 'hash-key', tenantId, keyId, version: 0 };
}

export function subjectPlace(tenantId: string, subjectId: string): SecretPlace {
  return { purpose: 'subject', tenantId, keyId: null, version: 0, context: { subject: subjectId } };
}

/** The parts whose HMAC, under the key above, is the key that seals. */
export function sealingParts(
  form: WrappedForm,
  { tenantId, keyId, version, purpose }: SecretPlace,
  salt: Uint8Array,
): PaePart[] {
  const label = form === subjectForm ? 'eaas wrap v2' : 'eaas wrap v1';
  return [label, tenantId, keyId, version, purpose, salt];
}

/** The parts whose HMAC, under the bytes of a key version, is what stands for these bytes if a subject is named. */
export const subjectParts = (subject: Uint8Array): PaePart[] => ['eaas subject v1', subject];

/** The parts that are authenticated with a sealed secret. The next encoding of a context overwrites them. */
export const sealedParts = (head: Uint8Array, context?: Context): PaePart[] => [
  head,
  additionalData([], context),
];

/** The iv is constant, because each salt gives another encryption key, and each encrypts only one secret. */
export const sealingIv = /* @__PURE__ */ new Uint8Array(12);

/**
 * The parts whose HMAC, under 32 random bytes, begins with the salt. Machines that are clones of one draw the same random
 * bytes, and still have other salts for other secrets. The next encoding of a context overwrites them.
 */
export function saltParts(secret: Uint8Array, context?: Context): PaePart[] {
  return ['eaas salt v1', secret, additionalData([], context)];
}

/** Returns what a sealed secret begins with. */
export function sealedHead({ formatAndSuite }: WrappedForm, version: number, salt?: Uint8Array): Uint8Array {
  if (version >>> 0 !== version) throw new RangeError(`a version must have at most 32 bits (got ${version})`);
  const head = new Uint8Array(saltEnd);
  const view = new DataView(head.buffer);
  view.setUint16(0, formatAndSuite);
  view.setUint32(2, version);
  if (salt) head.set(salt, versionEnd);
  return head;
}

/** Opens a sealed secret, or returns undefined. The caller must wipe the secret. */
export function openSecret(
  { engine, hmac }: Crypto,
  ikm: Uint8Array,
  place: DekPlace,
  sealed: Uint8Array,
): Uint8Array | undefined {
  const { subject, context } = place;
  const form = subject ? subjectForm : serviceForm;
  if (versionIn(form, sealed) !== place.version) return undefined;
  const head = sealed.subarray(0, saltEnd);
  const ofSubject = subject && using(pae(...subjectParts(subject)), (parts) => hmac(ikm, parts));
  const parts = pae(...sealingParts(form, place, head.subarray(versionEnd)));
  const key = hmac(ofSubject ?? ikm, parts);
  ofSubject?.fill(0);
  const aad = pae(...sealedParts(head, context));
  return using(key, () => engine.decrypt(key, sealingIv, aad, sealed.subarray(saltEnd)));
}
