import assert from 'node:assert/strict';
import { base64, draw, drawUuid, hex } from '../reference/bytes.mjs';
import { canonicalJson, chainStart, entryHash, entryMac } from '../reference/audit.mjs';
import { deriveTenantKey } from '../reference/sealed-secret.mjs';
import { K, requireUniqueNames, T } from './places.mjs';

const apiKey = drawUuid('an api key');
const secondKey = drawUuid('a second key');

/** Each entry lists action, key_id, key_version, actor, ip_address, created_at and metadata. */
const log = [
  ['key.create', K, 1, 'operator', null, '2026-08-11T00:00:00.000Z', '{"key_version":1}'],
  [
    'api_key.create',
    null,
    null,
    'operator',
    null,
    '2026-08-11T00:00:00.001Z',
    JSON.stringify({
      api_key_id: apiKey,
      permissions: ['encrypt', 'decrypt'],
      limits: { key_ids: null, origins: [], nested: { b: [{}], a: false } },
    }),
  ],
  [
    'encrypt',
    K,
    1,
    apiKey,
    '203.0.113.7',
    '2026-08-11T08:30:00.120Z',
    '{"context":{"row":"4711","column":"diagnosis","table":"patients"}}',
  ],
  [
    'key.unwrap',
    K,
    4294967295,
    apiKey,
    '2001:db8::ff:1',
    '2026-08-11T08:30:00.120Z',
    '{"outcome":"refused","code":"wrapped_key_unauthentic","key_version":4294967295}',
  ],
  [
    'key.wrap',
    secondKey,
    2,
    apiKey,
    '::1',
    '2026-12-31T23:59:59.999Z',
    '{"context":{"10":"ten","9":"nine","1":"one","01":"zero one","-1":"minus one"}}',
  ],
  [
    'encrypt',
    K,
    2,
    apiKey,
    '2001:db8:0:1::1',
    '2028-02-29T12:00:00.500Z',
    '{"context":{"\uff5e":"last in the BMP","\u{1F511}":"astral","\u00e9":"precomposed","e\u0301":"combining"},"note":"\u2028\u202e\ufeff/"}',
  ],
  [
    'tenant.update',
    null,
    null,
    'operator',
    null,
    '2028-03-01T00:00:00.000Z',
    '{"__proto__":{"b":"2","a":"1"},"constructor":"c","monthly_encrypt_quota":null}',
  ],
  [
    'key.rotation_policy',
    K,
    2,
    'system',
    null,
    '2028-03-01T00:00:00.000Z',
    '{"large":1e21,"negative_zero":-0,"tenth":0.1,"small":1e-7,"whole":5.0,"tiny":5e-324,"long":333333333.33333329}',
  ],
  ['key.rotate', K, 3, 'system', null, '2100-01-01T00:00:00.000Z', '{}'],
];

function buildChain(auditMacKey) {
  let previous = chainStart(T);
  return log.map(([action, key_id, key_version, actor, ip_address, created_at, metadata_json], index) => {
    const metadata_text = canonicalJson(JSON.parse(metadata_json));
    const shown = {
      id: index + 1,
      action,
      key_id,
      key_version,
      actor,
      ip_address,
      metadata: JSON.parse(metadata_text),
      created_at,
    };
    previous = entryHash(previous, T, shown, metadata_text);
    const hash = hex(previous);
    return {
      entry: { ...shown, hash },
      metadata_json,
      metadata_text,
      created_at_ms: Date.parse(created_at),
      hash,
      mac: hex(entryMac(auditMacKey, hash)),
    };
  });
}

// Inputs of canonical JSON. The examples of RFC 8785 are from sections 3.2.2 and 3.2.3 and appendix B.
const canonical = {
  'numbers of RFC 8785': '[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]',
  'a string of RFC 8785': '"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"',
  'names of RFC 8785':
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
  literals: '[ null , true , false ]',
  'empty values': '{"c":"","b":[],"a":{}}',
  'nothing but a string': '"text"',
  'integer-like names': '{"10":1,"9":2,"1":3,"01":4,"-1":5}',
  'names by UTF-16 units, not by code points': '{"\uff5e":1,"\u{1F511}":2}',
  'capitals first': '{"a":1,"B":2,"A":3,"_":4}',
  'nested names': '{"b":{"z":1,"y":{"d":1,"c":2}},"a":[{"f":1,"e":2}]}',
  'the name __proto__': '{"b":1,"__proto__":{"y":1,"x":2},"a":2}',
  'a name before the longer one that begins with it': '{"ab":1,"a":2,"":3}',
  zeros: '[0, -0, 0.0, -0.0, 0e10]',
  'powers of ten': '[1e20, 1e21, 1e22, 123456789012345680000, 1e-6, 1e-7, 0.1, 100]',
  'limits of a double':
    '[5e-324, 1.7976931348623157e308, 9007199254740991, 9007199254740993, -1e-27, 2.2250738585072014e-308]',
  'control characters': '"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\\u007f\\u0080"',
  'not escaped': '"\\u2028\\u2029\\ufeff\\u00e9\\ud83d\\udd11/<>&\'"',
  'no normalisation': '["\\u00e9","e\\u0301"]',
};

const literals = {
  'numbers of RFC 8785': '[333333333.3333333,1e+30,4.5,0.002,1e-27]',
  'a string of RFC 8785': '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
  'names of RFC 8785':
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\u{1F600}":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  'the name __proto__': '{"__proto__":{"x":2,"y":1},"a":2,"b":1}',
};

const notCanonical = {
  'a lone high surrogate': '"\\ud83d"',
  'a lone low surrogate': '["\\udd11"]',
  'a lone surrogate in a name': '{"\\ud83d":1}',
};

export function build() {
  const tenantSecret = draw('audit tenant secret', 32);
  const auditMacKey = deriveTenantKey(tenantSecret, T, 'audit-mac');
  const canonical_json = Object.entries(canonical).map(([name, json]) => ({
    name,
    json,
    canonical: canonicalJson(JSON.parse(json)),
  }));
  const canonical_json_refusals = Object.entries(notCanonical).map(([name, json]) => ({ name, json }));
  for (const { name, json } of canonical_json_refusals)
    assert.throws(() => canonicalJson(JSON.parse(json)), Error, name);
  for (const { name, canonical: text } of canonical_json) assert.equal(text, literals[name] ?? text);
  requireUniqueNames(canonical_json, canonical_json_refusals);
  return {
    description:
      'The audit chain: how the hash of each entry follows from the one before it and the fields that the API shows.',
    format: [
      'hash_0 = SHA-256(pae("eaas audit chain v1", tenant_id)); hash_n = SHA-256(pae("eaas audit entry v1", hash_(n-1) as 32 raw bytes, tenant_id, id, action, key_id, key_version, actor, ip_address, metadata_text, created_at_ms)). Null fields are null parts. Hashes are hex.',
      'chain: in order from id 1. `entry` is the entry as the API shows it, its `hash` among its fields. `metadata_json` is the metadata as JSON text as it might be written, `metadata_text` the RFC 8785 form of it that is hashed and stored, `created_at_ms` is created_at in milliseconds since 1970.',
      'Compute the hashes from `metadata_text`, or better from `entry.metadata` or `metadata_json` through your own RFC 8785; all must agree. A JSON reader that drops the name `__proto__` or that makes integers of numbers such as 1e+21 will not.',
      '`mac` is HMAC-SHA-256(`audit_mac_key`, the 32 bytes of the hash), hex: what the service keeps beside an entry. The key is HKDF-SHA-256(`tenant_secret`, no salt, pae("eaas tenant v1", tenant_id, "audit-mac"), 32). Both keys are base64.',
      'canonical_json: the RFC 8785 form of the JSON text `json` is the text `canonical`. canonical_json_refusals: has none.',
    ],
    tenant_id: T,
    tenant_secret: base64(tenantSecret),
    audit_mac_key: base64(auditMacKey),
    hash_0: hex(chainStart(T)),
    chain: buildChain(auditMacKey),
    canonical_json,
    canonical_json_refusals,
  };
}
