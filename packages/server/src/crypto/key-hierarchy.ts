import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { using } from '@eaas/protocol/service';
import { pae } from '@eaas/protocol';
import { type SecretPlace, tenantPlace } from '@eaas/protocol/internal-sealing';
import { openSecret, sealSecret } from './sealed-secret.ts';
import { sameBytes } from './hmac.ts';

export { hashKeyPlace, subjectPlace, versionPlace } from '@eaas/protocol/internal-sealing';

export interface RootKey {
  readonly rootId: Uint8Array;
  readonly key: KeyObject;
}

export type Roots = readonly [RootKey, ...RootKey[]];

export interface SealedTenantSecret {
  readonly tenant_id: string;
  readonly root_id: Uint8Array;
  readonly sealed_secret: Uint8Array;
}

export interface TenantSecrets {
  readonly sealing: KeyObject;
  readonly auditMac: KeyObject;
  readonly rowMac: KeyObject;
  readonly checkpointSeed: KeyObject;
  /** The keys of the ids of subjects and users. */
  readonly subjects: KeyObject;
  readonly users: KeyObject;
}

const keyLength = 32;
const rootCheck: SecretPlace = { purpose: 'root-check', tenantId: null, keyId: null, version: 0 };

/** Copies `bytes` into the root key. The caller must wipe `bytes` after the call of `rootKey`. */
export function rootKey(bytes: Uint8Array): RootKey {
  if (bytes.length !== keyLength)
    throw new RangeError(`a root key must have ${keyLength} bytes (got ${bytes.length})`);
  const key = createSecretKey(bytes);
  // The root id is the first 8 bytes of the HMAC. `Uint8Array.from` copies these bytes, because a view would share
  // memory with the whole HMAC.
  const rootId = Uint8Array.from(createHmac('sha256', key).update('eaas root id v1').digest().subarray(0, 8));
  return { rootId, key };
}

export function sealRootCheck(root: RootKey): Uint8Array {
  return sealSecret(root.key, rootCheck, Buffer.alloc(keyLength));
}

export function opensRootCheck(root: RootKey, sealed: Uint8Array): boolean {
  const secret = openSecret(root.key, rootCheck, sealed);
  return secret !== undefined && sameBytes(secret, Buffer.alloc(keyLength));
}

/**
 * The MAC key of the results of nightly verifications. A result concerns all tenants, so the key belongs to no tenant.
 */
export function nightKey({ key }: RootKey): KeyObject {
  return derivedKey(key, pae('eaas root v1', 'night-mac'));
}

export function newTenantSecret(root: RootKey, tenantId: string): SealedTenantSecret {
  return sealTenantSecret(root, tenantId, randomBytes(keyLength));
}

/** Seals the secret of a tenant that comes from elsewhere. The caller must wipe its copy. */
export function takenTenantSecret(root: RootKey, tenantId: string, secret: Uint8Array): SealedTenantSecret {
  return sealTenantSecret(root, tenantId, secret.slice());
}

export function resealTenantSecret(roots: Roots, row: SealedTenantSecret): SealedTenantSecret | undefined {
  const secret = openTenantSecret(roots, row);
  return secret && sealTenantSecret(roots[0], row.tenant_id, secret);
}

export function openTenantSecrets(
  roots: readonly RootKey[],
  row: SealedTenantSecret,
): TenantSecrets | undefined {
  const secret = openTenantSecret(roots, row);
  if (!secret) return undefined;
  const derive = (name: string) => derivedKey(secret, pae('eaas tenant v1', row.tenant_id, name));
  return using(secret, () => ({
    sealing: derive('sealing'),
    auditMac: derive('audit-mac'),
    rowMac: derive('row-mac'),
    checkpointSeed: derive('checkpoint'),
    subjects: derive('subjects'),
    users: derive('users'),
  }));
}

/** Opens the key of a tenant's rows alone: all of its keys take several times as long. */
export function rowKeyOf(roots: readonly RootKey[], row: SealedTenantSecret): KeyObject | undefined {
  const secret = openTenantSecret(roots, row);
  return secret && using(secret, () => derivedKey(secret, pae('eaas tenant v1', row.tenant_id, 'row-mac')));
}

function derivedKey(secret: KeyObject | Uint8Array, info: Uint8Array): KeyObject {
  const derived = new Uint8Array(hkdfSync('sha256', secret, '', info, keyLength));
  return using(derived, (bytes) => createSecretKey(bytes));
}

function sealTenantSecret(
  { rootId, key }: RootKey,
  tenantId: string,
  secret: Uint8Array,
): SealedTenantSecret {
  const sealed_secret = using(secret, (bytes) => sealSecret(key, tenantPlace(tenantId), bytes));
  return { tenant_id: tenantId, root_id: rootId, sealed_secret };
}

function openTenantSecret(roots: readonly RootKey[], row: SealedTenantSecret): Uint8Array | undefined {
  const root = roots.find((each) => sameBytes(each.rootId, row.root_id));
  return root && openSecret(root.key, tenantPlace(row.tenant_id), row.sealed_secret);
}

/** Returns the id of a subject or a user, as 64 hexadecimal characters. `key` is that of the tenant. */
export function idOfPerson(key: KeyObject, name: string): string {
  return createHmac('sha256', key).update(name).digest('hex');
}

export function newMaterial(sealing: KeyObject, place: SecretPlace): Uint8Array {
  return using(randomBytes(32), (secret) => sealSecret(sealing, place, secret));
}

export function openMaterial(
  sealing: KeyObject,
  place: SecretPlace,
  sealed: Uint8Array,
): KeyObject | undefined {
  const secret = openSecret(sealing, place, sealed);
  return secret && using(secret, (bytes) => createSecretKey(bytes));
}
