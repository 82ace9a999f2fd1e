import { concat, empty, hex, hkdf, hmac, pae, u32, utf8 } from './bytes.mjs';
import { encodeContext } from './context.mjs';
import { gcmOpen, gcmSeal } from './gcm.mjs';
import { deriveTenantKey, openSecret, sealSecret } from './sealed-secret.mjs';

const wrappedLength = 78;
const suite = Buffer.of(1, 2);
const zeroIv = Buffer.alloc(12);

/** The id of a subject (`kind` is "subjects") or a user ("users"), in hex. */
export function personId(tenantSecret, tenant, kind, name) {
  const key = hkdf(tenantSecret, empty, pae('eaas tenant v1', tenant, kind), 32);
  return hex(hmac(key, utf8(name)));
}

function sealedPlace({ tenant_secret, tenant, subject_id }) {
  return {
    ikm: deriveTenantKey(tenant_secret, tenant, 'sealing'),
    purpose: 'subject',
    tenant,
    key: null,
    version: 0,
    context: { subject: subject_id },
  };
}

export function sealSubject(subject) {
  return sealSecret({ ...sealedPlace(subject), salt: subject.seal_salt, secret: subject.subject_secret });
}

export function openSubject(sealed, subject) {
  return openSecret(sealed, sealedPlace(subject));
}

function wrapKey({ version_secret, subject_secret, tenant, key, version }, salt) {
  const ofSubject = hmac(version_secret, pae('eaas subject v1', subject_secret));
  return hmac(ofSubject, pae('eaas wrap v2', tenant, key, version, 'dek', salt));
}

export function wrapForSubject({ context, salt, dek, ...place }) {
  const head = concat(suite, u32(place.version), salt);
  return concat(head, gcmSeal(wrapKey(place, salt), zeroIv, pae(head, encodeContext(context)), dek));
}

/** Opens a wrapped key. A place whose `subject_secret` is null has no subject. */
export function unwrapForSubject(wrapped, place) {
  const { tenant, key, version, context, version_secret: ikm } = place;
  if (place.subject_secret === null)
    return openSecret(wrapped, { ikm, purpose: 'dek', tenant, key, version, context });
  if (wrapped.length !== wrappedLength) throw new Error('length');
  if (!wrapped.subarray(0, 2).equals(suite)) throw new Error('format or suite');
  if (wrapped.readUInt32BE(2) !== version) throw new Error('version');
  const head = wrapped.subarray(0, 30);
  return gcmOpen(
    wrapKey(place, wrapped.subarray(6, 30)),
    zeroIv,
    pae(head, encodeContext(context)),
    wrapped.subarray(30),
  );
}
