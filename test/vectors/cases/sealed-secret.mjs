import assert from 'node:assert/strict';
import { base64, concat, draw, fromHex, flip, hex, overwrite, u32 } from '../reference/bytes.mjs';
import {
  deriveTenantKey,
  openSecret,
  rootId,
  sealSecret,
  tenantKeyNames,
} from '../reference/sealed-secret.mjs';
import { K, otherKey, otherTenant, requireUniqueNames, T } from './places.mjs';

const context = { table: 'patients', row: '4711' };

function sealed(name, place, given = {}) {
  const whole = {
    ikm: draw(`${name}/ikm`, 32),
    context: null,
    salt: draw(`${name}/salt`, 24),
    secret: draw(`${name}/secret`, 32),
    ...place,
    ...given,
  };
  const bytes = sealSecret(whole);
  assert.equal(bytes.length, 78);
  return { name, ...whole, sealed: bytes };
}

const dek = { purpose: 'dek', tenant: T, key: K, version: 1 };

function buildCases() {
  return [
    sealed('dek', dek),
    sealed('dek with a context', dek, { context }),
    sealed('dek with a Unicode context', dek, {
      context: { '\u{1F511}': '1', '\uff5e': '2', 10: '3', 9: '4' },
    }),
    sealed('dek of version 4294967295', { ...dek, version: 4294967295 }),
    sealed('dek of zeros under zeros', dek, {
      ikm: Buffer.alloc(32),
      salt: Buffer.alloc(24),
      secret: Buffer.alloc(32),
    }),
    sealed('key-version', { purpose: 'key-version', tenant: T, key: K, version: 3 }),
    sealed('hash-key', { purpose: 'hash-key', tenant: T, key: K, version: 0 }),
    sealed('tenant-secret', { purpose: 'tenant-secret', tenant: T, key: null, version: 0 }),
    sealed(
      'root-check',
      { purpose: 'root-check', tenant: null, key: null, version: 0 },
      { secret: Buffer.alloc(32) },
    ),
  ];
}

const fields = {
  format: [0, 1],
  suite: [1, 2],
  version: [2, 6],
  salt: [6, 30],
  body: [30, 62],
  tag: [62, 78],
};

function alterations(original) {
  return Object.entries(fields).flatMap(([field, [from, to]]) => [
    { ...original, name: `altered ${field}, first bit`, sealed: flip(original.sealed, from, 0x80) },
    { ...original, name: `altered ${field}, last bit`, sealed: flip(original.sealed, to - 1, 0x01) },
  ]);
}

function wrongPlaces(original, bound) {
  const wrong = (name, more, from = original) => ({ ...from, name, ...more });
  const second = overwrite(original.sealed, 2, u32(2));
  return [
    wrong('another ikm', { ikm: draw('another ikm', 32) }),
    wrong('another tenant', { tenant: otherTenant }),
    wrong('another key', { key: otherKey }),
    wrong('tenant and key exchanged', { tenant: K, key: T }),
    wrong('another version is asked for', { version: 2 }),
    wrong('another version, and the head rewritten to it', { version: 2, sealed: second }),
    wrong('version 1, and the head rewritten to another', { sealed: second }),
    wrong('purpose key-version', { purpose: 'key-version' }),
    wrong('purpose hash-key', { purpose: 'hash-key' }),
    wrong('no tenant', { tenant: null }),
    wrong('no key', { key: null }),
    wrong('an empty text as key', { key: '' }),
    wrong('a context where there was none', { context }),
    wrong('no context where there was one', { context: null }, bound),
    wrong('another value in the context', { context: { ...context, row: '4712' } }, bound),
    wrong('a name of the context missing', { context: { table: 'patients' } }, bound),
  ];
}

function wrongLengths(original) {
  const of = (name, bytes) => ({ ...original, name, sealed: bytes });
  return [
    of('77 bytes', original.sealed.subarray(0, 77)),
    of('79 bytes', concat(original.sealed, Buffer.of(0))),
    of('without the tag', original.sealed.subarray(0, 62)),
    of('the head alone', original.sealed.subarray(0, 30)),
    of('one byte', original.sealed.subarray(0, 1)),
    of('no bytes', Buffer.alloc(0)),
    of('twice', concat(original.sealed, original.sealed)),
    of('a tag of 12 bytes', original.sealed.subarray(0, 74)),
  ];
}

const shown = ({
  name,
  ikm,
  purpose,
  tenant,
  key,
  version,
  context: given,
  salt,
  secret,
  sealed: bytes,
}) => ({
  name,
  ikm: base64(ikm),
  purpose,
  tenant,
  key,
  version,
  context: given,
  salt: base64(salt),
  secret: base64(secret),
  sealed: base64(bytes),
});
const shownRefusal = (refusal) => {
  const { salt: _salt, secret: _secret, ...rest } = shown(refusal);
  return rest;
};

function buildTenantKeys() {
  const tenantSecret = draw('tenant secret', 32);
  return [T, otherTenant].flatMap((tenant) =>
    tenantKeyNames.map((name) => ({
      name,
      tenant,
      tenant_secret: base64(tenantSecret),
      key: base64(deriveTenantKey(tenantSecret, tenant, name)),
    })),
  );
}

function buildRootIds() {
  const roots = [Buffer.alloc(32), fromHex('ff'.repeat(32)), draw('root key', 32)];
  return roots.map((root) => ({ root_key: base64(root), root_id: hex(rootId(root)) }));
}

export function build() {
  const cases = buildCases();
  const [plain, bound] = cases;
  const refusals = [...alterations(plain), ...wrongPlaces(plain, bound), ...wrongLengths(plain)];
  for (const c of cases) assert.ok(openSecret(c.sealed, c).equals(c.secret), c.name);
  for (const c of refusals) assert.throws(() => openSecret(c.sealed, c), Error, c.name);
  requireUniqueNames(cases, refusals);
  return {
    description:
      "Sealed secrets, wrapped_key among them, and the keys derived from a tenant's secret. Only the service needs these; a client treats wrapped_key as opaque.",
    format: [
      'All bytes are standard base64 with padding; `root_id` is hex. `tenant` and `key` are UUIDs or null, `context` an object of strings or null.',
      'cases: sealing `secret` with `ikm`, `purpose`, `tenant`, `key`, `version`, `context` and `salt` must give `sealed` (78 bytes), and opening it must give `secret`. A wrapped_key is the base64 of one with purpose dek.',
      'refusals: opening `sealed` with `ikm`, `purpose`, `tenant`, `key`, `version` (which its head must name) and `context` must fail.',
      'tenant_keys: `key` = HKDF-SHA-256(`tenant_secret`, no salt, pae("eaas tenant v1", `tenant`, `name`), 32); the one named checkpoint is an Ed25519 seed.',
      'root_ids: `root_id` = the first 8 bytes of HMAC-SHA-256(`root_key`, "eaas root id v1").',
    ],
    cases: cases.map(shown),
    refusals: refusals.map(shownRefusal),
    tenant_keys: buildTenantKeys(),
    root_ids: buildRootIds(),
  };
}
