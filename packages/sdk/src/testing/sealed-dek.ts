import { type Context, encodeContext, nobleEngine, pae } from '@eaas/protocol';
import { type Key, randomBytes, type Tenant, versionOf } from './tenant.ts';

// As long as the real service's, and of a suite of its own: neither opens what the other sealed.
const sealedLength = 78;
const formatAndSuite = 0x017f;
const headLength = 30; // format and suite, version, 24 random bytes
const ivAt = 6;
const ivLength = 12;

/** Wraps a data key under the key's newest version, bound to the tenant, the key and the context. */
export function wrapDek(tenant: Tenant, key: Key, dek: Uint8Array, context?: Context): Uint8Array {
  const version = versionOf(key);
  const sealed = new Uint8Array(sealedLength);
  const view = new DataView(sealed.buffer);
  view.setUint16(0, formatAndSuite);
  view.setUint32(2, version);
  sealed.set(randomBytes(headLength - ivAt), ivAt);
  const secret = key.versions[version - 1]?.secret;
  if (!secret) throw new Error('an active key has its newest version');
  const { iv, aad } = placeOf(tenant, key, sealed, context);
  nobleEngine.encrypt(secret, iv, aad, dek, sealed.subarray(headLength));
  return sealed;
}

/** The data key that this key wrapped with this context, or undefined where it did not. */
export function unwrapDek(
  tenant: Tenant,
  key: Key,
  sealed: Uint8Array,
  context?: Context,
): Uint8Array | undefined {
  const secret = key.versions[(sealedVersion(sealed) ?? 0) - 1]?.secret;
  if (!secret) return undefined;
  const { iv, aad } = placeOf(tenant, key, sealed, context);
  return nobleEngine.decrypt(secret, iv, aad, sealed.subarray(headLength));
}

/** The version that a wrapped key claims, not yet authenticated; undefined where it is none. */
export function sealedVersion(sealed: Uint8Array): number | undefined {
  if (sealed.length !== sealedLength) return undefined;
  const view = new DataView(sealed.buffer, sealed.byteOffset, sealed.length);
  return view.getUint16(0) === formatAndSuite ? view.getUint32(2) : undefined;
}

function placeOf({ tenant_id }: Tenant, { key_id }: Key, sealed: Uint8Array, context: Context | undefined) {
  const head = sealed.subarray(0, headLength);
  return {
    iv: sealed.subarray(ivAt, ivAt + ivLength),
    aad: pae('eaas test wrap v1', tenant_id, key_id, head, encodeContext(context)),
  };
}
