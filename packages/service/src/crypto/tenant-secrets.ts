// The hierarchy of keys: root keys seal one secret per tenant, from which the tenant's other keys are derived. Used by the
// ledger, by what creates, takes over and re-seals tenants, and by whoever starts a service.
import { pae, toUtf8 } from '@eaas/protocol';
import { type SecretPlace, tenantPlace, using } from '@eaas/protocol/internal';
import { hkdf, hmac, openSecret, sameBytes, sealSecret, secretOf } from '#platform';
import { type TenantRow, tenants } from '../ledger/tables.ts';
import { Tampered } from '../rules/refusal.ts';
import type { Secret } from './secret.ts';

/** A root key, with the id by which sealed secrets name it. */
export interface RootKey {
  readonly rootId: Uint8Array;
  readonly key: Secret;
}

/** The current root key, and during a rotation the previous one. */
export type Roots = readonly [RootKey, ...RootKey[]];

/** The keys that are derived from a tenant's secret. */
export type TenantSecrets = ReturnType<typeof openTenantSecrets>;

/** The secret of a tenant as its row has it. */
export type SealedTenantSecret = Pick<TenantRow, 'tenant_id' | 'root_id' | 'sealed_secret'>;

const keyLength = 32;
const rootCheck: SecretPlace = { purpose: 'root-check', tenantId: null, keyId: null, version: 0 };

/** Copies `bytes` into the root key. The caller must wipe `bytes` after the call of `rootKey`. */
export function rootKey(bytes: Uint8Array): RootKey {
  if (bytes.length !== keyLength) {
    throw new RangeError(`a root key must have ${keyLength} bytes (got ${bytes.length})`);
  }
  const rootId = hmac(bytes, toUtf8('eaas root id v1')).subarray(0, 8);
  return { rootId: new Uint8Array(rootId), key: secretOf(bytes) };
}

/** Seals what tells a database whether it has the root key. */
export const sealRootCheck = ({ key }: RootKey): Uint8Array =>
  sealSecret(key, rootCheck, new Uint8Array(keyLength));

/** Whether a database's check value was sealed under the root key. */
export const opensRootCheck = ({ key }: RootKey, sealed: Uint8Array): boolean =>
  openSecret(key, rootCheck, sealed) !== undefined;

/** Seals the secret of a tenant, which the caller must wipe. */
export function sealTenantSecret(root: RootKey, tenantId: string, secret: Uint8Array): SealedTenantSecret {
  const sealed_secret = sealSecret(root.key, tenantPlace(tenantId), secret);
  return { tenant_id: tenantId, root_id: root.rootId, sealed_secret };
}

/** Seals the secret of a tenant under the current root key. Throws Tampered if it does not open. */
export const resealTenantSecret = (roots: Roots, row: SealedTenantSecret): SealedTenantSecret =>
  using(requireTenantSecret(roots, row), (secret) => sealTenantSecret(roots[0], row.tenant_id, secret));

/** Opens the secret of a tenant. Throws Tampered if it does not open. */
export function openTenantSecrets(roots: readonly RootKey[], row: SealedTenantSecret) {
  const secret = using(requireTenantSecret(roots, row), secretOf);
  const derived = new Map<string, Secret>();
  const derive = (name: string): Secret => {
    const key = derived.get(name) ?? hkdf(secret, pae('eaas tenant v1', row.tenant_id, name));
    derived.set(name, key);
    return key;
  };
  return {
    sealing: derive('sealing'),
    auditMac: derive('audit-mac'),
    rowMac: derive('row-mac'),
    rowSum: derive('row-sum'),
    /** The seed of an Ed25519 key. */
    checkpoint: derive('checkpoint'),
    /** Derives a further key of the tenant, for a plugin. The same name gives the same object. */
    derive,
  };
}

/** Opens the secret of a tenant, which the caller wipes. */
function requireTenantSecret(roots: readonly RootKey[], row: SealedTenantSecret): Uint8Array {
  const { tenant_id: tenantId, root_id: rootId, sealed_secret: sealed } = row;
  const root = roots.find((each) => sameBytes(each.rootId, rootId));
  const secret = root && openSecret(root.key, tenantPlace(tenantId), sealed);
  if (!secret) throw new Tampered(tenants.name, tenantId, tenantId);
  return secret;
}
