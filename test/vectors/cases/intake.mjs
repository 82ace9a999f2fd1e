import assert from 'node:assert/strict';
import {
  base64,
  concat,
  draw,
  flip,
  fromHex,
  hex,
  overwrite,
  sha256,
  u32,
  utf8,
} from '../reference/bytes.mjs';
import { sealEnvelope } from '../reference/envelope.mjs';
import { keySchedule, xWingDecapsulate } from '../reference/hpke.mjs';
import { intakeKeyPair, publicKeyText, unwrapIntake, wrapForIntake } from '../reference/intake.mjs';
import { K, otherKey, otherTenant, requireUniqueNames, T } from './places.mjs';

const count = (from, length) => Buffer.from(Array.from({ length }, (_, index) => from + index));

// The expected hashes of the ciphertexts were computed with noble.
const given = [
  {
    name: 'intake 1',
    bytes: count(0, 32),
    version: 1,
    seed: 'beebf5a37acad182363b6da788f26bba61a50f5635c67ba14017f09ba6564dc38fe1faa5c7ff62cbb4147cbb9662dab29515146f5159bf67070013958b37a04b',
    wrapContext: {},
    dek: count(0x20, 32),
    context: {},
    iv: 'f4537373a2a80a3fa96a9327',
    plaintext: Buffer.alloc(0),
    ciphertextHash: 'c6b32117008affe4ec13991deef7fae07dc180e2206f883fe3ff0df218619b1e',
  },
  {
    name: 'intake 2',
    bytes: count(0x40, 32),
    version: 7,
    seed: '559919cea0adae746c9e2f10c2738e4527a1cc964d7373d541a8f038db6d35b90948bc3f8f36cfbbdb00971f83f12c279a150ff7add795edef2aa2e11e31d988',
    wrapContext: {},
    dek: count(0x60, 32),
    context: { form: 'contact', submission: 's-1' },
    iv: 'b02ce41e8a0724f7c990e81b',
    plaintext: utf8('Gr\u00fc\u00dfe'),
    ciphertextHash: 'a19c3a4fbd9439cb34ccd9f6a42720cb19e81f64b502d3e74c921cc8f5462c61',
  },
  {
    name: 'intake 3',
    bytes: count(0x80, 32),
    version: 4294967295,
    seed: '4eb3941ef35c87ebae66c5e2828110aa9aa54d17ad01b9431853a05f042093f8a71f1fcff85be669a4e1a1778bfbf5b13355adf4fc7f9b98c8cf9ab6e89ad8d3',
    wrapContext: { tenant: 'clinic' },
    dek: count(0xa0, 32),
    context: { field: 'note' },
    iv: 'ff16cd6e6aad96617f0dc53a',
    plaintext: count(0, 256),
    ciphertextHash: 'd23a3fbd799e24609fcd2db58139246c3a16ce5cde0bf640e6472b814b8957ec',
  },
];

function built({ name, bytes, version, seed, wrapContext, dek, context, iv, plaintext, ciphertextHash }, at) {
  const place = { tenant: T, key: K, version };
  const keyPair = intakeKeyPair(place, bytes);
  const text = publicKeyText(place, keyPair.publicKey);
  const wrapping = { context: wrapContext, dek, seed: fromHex(seed) };
  const { info, aad, secret, wrapped } = wrapForIntake(place, keyPair.publicKey, wrapping);
  const { key, nonce } = keySchedule(secret, info);
  const header = { key_id: K, key_version: version, wrapped_key: wrapped };
  const { ciphertext } = sealEnvelope({ ...header, dek, iv: fromHex(iv), context, plaintext });
  const sealedText = base64(ciphertext);
  assert.deepEqual(unwrapIntake(place, keyPair, wrapped, wrapContext), dek);
  assert.deepEqual(xWingDecapsulate(keyPair, wrapped.subarray(6, 1126)), secret);
  assert.equal(hex(sha256(utf8(sealedText))), ciphertextHash, name);
  const shown = {
    name,
    version_bytes_hex: hex(bytes),
    key_version: version,
    xwing_seed_hex: hex(keyPair.seed),
    public_key_sha256_hex: hex(sha256(keyPair.publicKey)),
    public_key_token_sha256_hex: hex(sha256(utf8(text))),
    token_checksum: text.slice(-16),
    encapsulation_seed_hex: seed,
    shared_secret_hex: hex(secret),
    hpke_info_hex: hex(info),
    hpke_aad_hex: hex(aad),
    hpke_key_hex: hex(key),
    hpke_nonce_hex: hex(nonce),
    wrap_context: wrapContext,
    dek_hex: hex(dek),
    wrapped_key: base64(wrapped),
    context,
    iv_hex: iv,
    plaintext_hex: hex(plaintext),
    ciphertext_sha256_hex: ciphertextHash,
    ...(at === 0 && { public_key_token: text, ciphertext: sealedText }),
  };
  return { shown, opening: { bytes, ...place, context: wrapContext, wrapped } };
}

const fields = { format: [0, 1], suite: [1, 2], version: [2, 6], ml_kem: [6, 1094], x25519: [1094, 1126] };
const ends = { ...fields, body: [1126, 1158], tag: [1158, 1174] };

function refusals(first, bound) {
  const wrong = (name, more, from = first) => ({ ...from, name, ...more });
  const { wrapped } = first;
  const second = overwrite(wrapped, 2, u32(2));
  return [
    ...Object.entries(ends).flatMap(([field, [from, to]]) => [
      wrong(`altered ${field}, first bit`, { wrapped: flip(wrapped, from, 0x80) }),
      wrong(`altered ${field}, last bit`, { wrapped: flip(wrapped, to - 1, 0x01) }),
    ]),
    wrong('an X25519 point of zeros', { wrapped: overwrite(wrapped, 1094, Buffer.alloc(32)) }),
    wrong('other bytes of the key version', { bytes: draw('another ikm', 32) }),
    wrong('another tenant', { tenant: otherTenant }),
    wrong('another key', { key: otherKey }),
    wrong('another version is asked for', { version: 2 }),
    wrong('another version, and the head rewritten to it', { version: 2, wrapped: second }),
    wrong('version 1, and the head rewritten to another', { wrapped: second }),
    wrong('a context where there was none', { context: { tenant: 'clinic' } }),
    wrong('no context where there was one', { context: {} }, bound),
    wrong('another value in the context', { context: { tenant: 'Clinic' } }, bound),
    wrong('1173 bytes', { wrapped: wrapped.subarray(0, 1173) }),
    wrong('1175 bytes', { wrapped: concat(wrapped, Buffer.of(0)) }),
    wrong('without the tag', { wrapped: wrapped.subarray(0, 1158) }),
    wrong('no bytes', { wrapped: Buffer.alloc(0) }),
  ];
}

function requireRefused({ name, bytes, wrapped, context, ...place }) {
  const open = () => unwrapIntake(place, intakeKeyPair(place, bytes), wrapped, context);
  assert.throws(open, Error, name);
}

export function build() {
  const all = given.map(built);
  const refused = refusals(all[0].opening, all[2].opening);
  requireUniqueNames(given, refused);
  refused.forEach(requireRefused);
  return {
    description:
      'Encryption with a public key, without credentials: HPKE (RFC 9180) in base mode with X-Wing, HKDF-SHA256 and AES-256-GCM wraps the DEK of an ordinary envelope.',
    format: [
      'Fields that end in `_hex` are lower-case hex, `wrapped_key`, `wrapped` and `ciphertext` are standard base64 with padding. Contexts are objects of strings.',
      'cases: `xwing_seed` is the decapsulation key that follows from `version_bytes`, `tenant_id`, `key_id` and `key_version`. `public_key_token` is the text of the public key. `encapsulation_seed` is the 32 bytes m of ML-KEM and the ephemeral X25519 scalar. With them, wrapping `dek` under `wrap_context` must give `wrapped_key`, and encrypting `plaintext` with `iv` under `context` must give `ciphertext`.',
      'cases: `ciphertext_sha256` and `public_key_token_sha256` are hashes of the texts. Only the first case has the texts.',
      'refusals: opening `wrapped` with `version_bytes`, `tenant`, `key`, `key_version` (which its head must name) and `context` must fail.',
    ],
    tenant_id: T,
    key_id: K,
    cases: all.map(({ shown }) => shown),
    refusals: refused.map(({ name, bytes, tenant, key, version, context, wrapped }) => ({
      name,
      version_bytes_hex: hex(bytes),
      tenant,
      key,
      key_version: version,
      context,
      wrapped: base64(wrapped),
    })),
  };
}
