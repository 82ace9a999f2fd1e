import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { pae } from '@eaas/protocol';
import { sameBytes } from './same-bytes.ts';
import { openSecret, type Place, sealSecret } from './sealed-secret.ts';

/** The key that seals every tenant's secret, and the name by which a sealed row refers to it. */
export interface RootKey {
  readonly rootId: Uint8Array;
  readonly key: KeyObject;
}

/** A tenant's secret as its row keeps it. */
export interface SealedTenantSecret {
  readonly rootId: Uint8Array;
  readonly sealedSecret: Uint8Array;
}

/** What a tenant's secret gives, each for one use. */
export interface TenantSecrets {
  /** Seals key versions and hash keys. */
  readonly sealing: KeyObject;
  readonly auditMac: KeyObject;
  readonly rowMac: KeyObject;
  /** The Ed25519 seed that signs checkpoints. */
  readonly checkpointSeed: KeyObject;
}

const keyLength = 32;
const rootCheck: Place = { purpose: 'root-check', tenantId: null, keyId: null, version: 0 };

/** The root key of these 32 bytes, which stay the caller's to wipe. Throws RangeError for another length. */
export function rootKey(bytes: Uint8Array): RootKey {
  if (bytes.length !== keyLength) throw new RangeError(`a root key has ${keyLength} bytes`);
  const key = createSecretKey(bytes);
  // A copy: a view would keep, and give to whoever has it, the other 24 bytes.
  const rootId = Uint8Array.from(createHmac('sha256', key).update('eaas root id v1').digest().subarray(0, 8));
  return { rootId, key };
}

/** Seals the row by which a start tells whether it has the database's root key. */
export function sealRootCheck(root: RootKey): Uint8Array {
  return sealSecret(root.key, rootCheck, Buffer.alloc(keyLength));
}

export function opensRootCheck(root: RootKey, sealed: Uint8Array): boolean {
  const secret = openSecret(root.key, rootCheck, sealed);
  return secret !== undefined && sameBytes(secret, Buffer.alloc(keyLength));
}

/** Makes a tenant's secret. Nobody ever sees it unsealed but openTenantSecrets. */
export function newTenantSecret(root: RootKey, tenantId: string): SealedTenantSecret {
  return sealTenantSecret(root, tenantId, randomBytes(keyLength));
}

/** The same secret under another root key, or undefined where it does not open. */
export function resealTenantSecret(
  roots: readonly RootKey[],
  next: RootKey,
  tenant: SealedTenantSecret & { readonly tenantId: string },
): SealedTenantSecret | undefined {
  const secret = openTenantSecret(roots, tenant);
  return secret && sealTenantSecret(next, tenant.tenantId, secret);
}

/** A tenant's keys, or undefined where no root key opens its row. */
export function openTenantSecrets(
  roots: readonly RootKey[],
  tenant: SealedTenantSecret & { readonly tenantId: string },
): TenantSecrets | undefined {
  const secret = openTenantSecret(roots, tenant);
  if (!secret) return undefined;
  const { tenantId } = tenant;
  try {
    return {
      sealing: deriveTenantKey(secret, tenantId, 'sealing'),
      auditMac: deriveTenantKey(secret, tenantId, 'audit-mac'),
      rowMac: deriveTenantKey(secret, tenantId, 'row-mac'),
      checkpointSeed: deriveTenantKey(secret, tenantId, 'checkpoint'),
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

function sealTenantSecret(root: RootKey, tenantId: string, secret: Uint8Array): SealedTenantSecret {
  try {
    return { rootId: root.rootId, sealedSecret: sealSecret(root.key, place(tenantId), secret) };
  } finally {
    secret.fill(0);
  }
}

function openTenantSecret(
  roots: readonly RootKey[],
  { tenantId, rootId, sealedSecret }: SealedTenantSecret & { readonly tenantId: string },
): Uint8Array | undefined {
  const root = roots.find((each) => sameBytes(each.rootId, rootId));
  return root && openSecret(root.key, place(tenantId), sealedSecret);
}

function place(tenantId: string): Place {
  return { purpose: 'tenant-secret', tenantId, keyId: null, version: 0 };
}
