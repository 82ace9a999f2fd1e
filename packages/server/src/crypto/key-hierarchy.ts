import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { pae } from '@eaas/protocol';
import { sameBytes } from './same-bytes.ts';
import { openSecret, type Place, sealSecret } from './sealed-secret.ts';

/**
 * A root key, which encrypts the secrets of tenants. The row of each tenant contains the id of the root key that
 * encrypts the tenant's secret.
 */
export interface RootKey {
  readonly rootId: Uint8Array;
  readonly key: KeyObject;
}

/** The current root key and, during a rotation, the previous root key. */
export type Roots = readonly [RootKey, ...RootKey[]];

/** The columns of a tenant's row that hold the encrypted secret of the tenant. */
export interface SealedTenantSecret {
  readonly tenant_id: string;
  readonly root_id: Uint8Array;
  readonly sealed_secret: Uint8Array;
}

export interface TenantSecrets {
  /** The key that encrypts the tenant's key versions and hash keys. */
  readonly sealing: KeyObject;
  readonly auditMac: KeyObject;
  readonly rowMac: KeyObject;
  /** The Ed25519 seed that signs the tenant's checkpoints. */
  readonly checkpointSeed: KeyObject;
}

const keyLength = 32;
const rootCheck: Place = { purpose: 'root-check', tenantId: null, keyId: null, version: 0 };

/** Creates a root key from 32 bytes. The caller wipes the bytes afterwards. Throws RangeError for another length. */
export function rootKey(bytes: Uint8Array): RootKey {
  if (bytes.length !== keyLength)
    throw new RangeError(`a root key must have ${keyLength} bytes (got ${bytes.length})`);
  const key = createSecretKey(bytes);
  // The id is copied, because a view of the 8 bytes of the id would expose the other 24 bytes of the hash.
  const rootId = Uint8Array.from(createHmac('sha256', key).update('eaas root id v1').digest().subarray(0, 8));
  return { rootId, key };
}

/**
 * Encrypts a known value under the root key. A starting server decrypts the value to check that its root key is
 * correct.
 */
export function sealRootCheck(root: RootKey): Uint8Array {
  return sealSecret(root.key, rootCheck, Buffer.alloc(keyLength));
}

export function opensRootCheck(root: RootKey, sealed: Uint8Array): boolean {
  const secret = openSecret(root.key, rootCheck, sealed);
  return secret !== undefined && sameBytes(secret, Buffer.alloc(keyLength));
}

export function newTenantSecret(root: RootKey, tenantId: string): SealedTenantSecret {
  return sealTenantSecret(root, tenantId, randomBytes(keyLength));
}

/**
 * Encrypts a tenant's secret again, under the current root key. Returns undefined if no root key decrypts the secret in
 * the row.
 */
export function resealTenantSecret(roots: Roots, row: SealedTenantSecret): SealedTenantSecret | undefined {
  const secret = openTenantSecret(roots, row);
  return secret && sealTenantSecret(roots[0], row.tenant_id, secret);
}

/** Derives a tenant's keys from the secret in its row. Returns undefined if no root key decrypts the secret. */
export function openTenantSecrets(
  roots: readonly RootKey[],
  row: SealedTenantSecret,
): TenantSecrets | undefined {
  const secret = openTenantSecret(roots, row);
  if (!secret) return undefined;
  const derive = (name: string): KeyObject => deriveTenantKey(secret, row.tenant_id, name);
  try {
    return {
      sealing: derive('sealing'),
      auditMac: derive('audit-mac'),
      rowMac: derive('row-mac'),
      checkpointSeed: derive('checkpoint'),
    };
  } finally {
    secret.fill(0);
  }
}

function deriveTenantKey(secret: Uint8Array, tenantId: string, name: string): KeyObject {
  const info = pae('eaas tenant v1', tenantId, name);
  const bytes = new Uint8Array(hkdfSync('sha256', secret, '', info, keyLength));
  try {
    return createSecretKey(bytes);
  } finally {
    bytes.fill(0);
  }
}

function sealTenantSecret(
  { rootId, key }: RootKey,
  tenantId: string,
  secret: Uint8Array,
): SealedTenantSecret {
  try {
    const sealed_secret = sealSecret(key, placeOf(tenantId), secret);
    return { tenant_id: tenantId, root_id: rootId, sealed_secret };
  } finally {
    secret.fill(0);
  }
}

function openTenantSecret(roots: readonly RootKey[], row: SealedTenantSecret): Uint8Array | undefined {
  const root = roots.find((each) => sameBytes(each.rootId, row.root_id));
  return root && openSecret(root.key, placeOf(row.tenant_id), row.sealed_secret);
}

function placeOf(tenantId: string): Place {
  return { purpose: 'tenant-secret', tenantId, keyId: null, version: 0 };
}
