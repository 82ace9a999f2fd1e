import { fromHex, hmac, pae, sha256 } from './bytes.mjs';

export function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return canonicalObject(value);
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('a lone surrogate');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('not a JSON number');
  return JSON.stringify(value);
}

function canonicalObject(value) {
  const members = Object.keys(value)
    .sort()
    .map((name) => `${canonicalJson(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(',')}}`;
}

export function chainStart(tenantId) {
  return sha256(pae('eaas audit chain v1', tenantId));
}

export function entryHash(previous, tenantId, entry, metadataText) {
  const { id, action, key_id, key_version, actor, ip_address, created_at } = entry;
  return sha256(
    pae(
      'eaas audit entry v1',
      previous,
      tenantId,
      id,
      action,
      key_id,
      key_version,
      actor,
      ip_address,
      metadataText,
      Date.parse(created_at),
    ),
  );
}

export const entryMac = (auditMacKey, hashHex) => hmac(auditMacKey, fromHex(hashHex));
