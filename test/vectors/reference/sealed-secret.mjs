import { concat, empty, hkdf, hmac, pae, u32, utf8 } from './bytes.mjs';
import { encodeContext } from './context.mjs';
import { gcmOpen, gcmSeal } from './gcm.mjs';

const sealedLength = 78;
const suite = Buffer.of(1, 1);
const zeroIv = Buffer.alloc(12);

function wrapKey({ ikm, purpose, tenant, key, version }, salt) {
  return hmac(ikm, pae('eaas wrap v1', tenant, key, version, purpose, salt));
}

export function sealSecret({ context, salt, secret, ...place }) {
  const head = concat(suite, u32(place.version), salt);
  return concat(head, gcmSeal(wrapKey(place, salt), zeroIv, pae(head, encodeContext(context)), secret));
}

export function openSecret(sealed, { context, ...place }) {
  if (sealed.length !== sealedLength) throw new Error('length');
  if (!sealed.subarray(0, 2).equals(suite)) throw new Error('format or suite');
  if (sealed.readUInt32BE(2) !== place.version) throw new Error('version');
  const head = sealed.subarray(0, 30);
  return gcmOpen(
    wrapKey(place, sealed.subarray(6, 30)),
    zeroIv,
    pae(head, encodeContext(context)),
    sealed.subarray(30),
  );
}

export const tenantKeyNames = ['sealing', 'audit-mac', 'row-mac', 'checkpoint'];

export function deriveTenantKey(tenantSecret, tenant, name) {
  return hkdf(tenantSecret, empty, pae('eaas tenant v1', tenant, name), 32);
}

export function rootId(rootKey) {
  return hmac(rootKey, utf8('eaas root id v1')).subarray(0, 8);
}
