import assert from 'node:assert/strict';
import { base64, draw, drawUuid, empty, fromHex, overwrite, u32, utf8 } from '../reference/bytes.mjs';
import { encodeContext } from '../reference/context.mjs';
import { deriveFromDek, openEnvelope, sealEnvelope } from '../reference/envelope.mjs';
import { boundLength, writeHeader } from '../reference/header.mjs';
import { sealUnderTwoKeys } from '../reference/two-keys.mjs';
import { buildRefusals } from './envelope-v1-refusals.mjs';
import { K, keyVersionSecret, requireUniqueNames, T, wrapDek } from './places.mjs';

const text = utf8('The quick brown fox jumps over the lazy dog.');
const context = { table: 'patients', column: 'diagnosis', row: '4711' };

function message(name, given) {
  const label = `envelope v1/${name}`;
  const dek = given.dek ?? draw(`${label}/dek`, 32);
  const key_id = given.key_id ?? drawUuid(`${label}/key`);
  const key_version = given.key_version ?? 1;
  const wrapped_key = given.wrapped_key ?? wrapDek(label, dek, key_id, key_version);
  const parts = {
    dek,
    key_id,
    key_version,
    wrapped_key,
    iv: draw(`${label}/iv`, 12),
    context: null,
    plaintext: text,
    ...given,
  };
  return { name, ...parts, ...sealEnvelope(parts) };
}

function unicodeMessage() {
  const plaintext = utf8('a\u0000b \u{1F511} e\u0301 \u00e9 \u{10FFFF} \u202e\ufeff');
  return message('unicode in plaintext and context', {
    plaintext,
    context: {
      'cle\u0301': 'combining',
      'cl\u00e9': 'precomposed',
      '\u{1F511}': '\u{1F600}',
      '\ufeff': '\u2028',
    },
  });
}

function limitMessages() {
  return [
    message('plaintext of 64 KiB', { plaintext: draw('64 KiB', 65536) }),
    message('wrapped_key of 1 byte', { wrapped_key: fromHex('a5') }),
    message('wrapped_key of 1024 bytes', { wrapped_key: draw('long wrapped_key', 1024) }),
    message('wrapped_key of 2048 bytes', { wrapped_key: draw('longest wrapped_key', 2048) }),
    message('key_version 4294967295', { key_version: 4294967295 }),
    message('context of exactly 4096 encoded bytes', { context: { n: 'v'.repeat(4083) } }),
  ];
}

function orderMessages() {
  return [
    message('integer-like context names', { context: { 10: 'ten', 9: 'nine', 1: 'one', '01': 'zero one' } }),
    message('context names in an order that differs between UTF-8 and UTF-16', {
      context: { '\u{1F511}': 'astral', '\uff5e': 'last in the BMP', z: 'ascii' },
    }),
  ];
}

function twoKeyMessage() {
  const name = 'body that GCM accepts under two keys, committed to this one';
  const [dek, second] = [draw('two keys/first', 32), draw('two keys/second', 32)];
  const plain = message(name, { dek, plaintext: empty });
  const sealed = sealUnderTwoKeys(
    deriveFromDek(dek).key,
    deriveFromDek(second).key,
    plain.iv,
    plain.aad,
    draw('two keys/body', 32),
  );
  const ciphertext = Buffer.concat([plain.ciphertext.subarray(0, -16), sealed]);
  const plaintext = openEnvelope(ciphertext, { dek, expected_key_id: plain.key_id, context: null });
  return { ...plain, plaintext, ciphertext, second };
}

function acceptedChanges(original, plain) {
  const { dek, key_id, plaintext } = original;
  const rewrapped = wrapDek('rewrapped', dek, key_id, 2);
  const tail = original.ciphertext.subarray(26 + original.wrapped_key.length);
  const rest = { dek, expected_key_id: key_id, context: original.context, plaintext };
  const change = (name, ciphertext, more) => ({ name, ciphertext, ...rest, ...more });
  const withHeader = (wrapped_key, key_version) =>
    Buffer.concat([writeHeader(1, { key_id, key_version, wrapped_key }), tail]);
  return [
    change('key_version and wrapped_key replaced, as rewrap does', withHeader(rewrapped, 2)),
    change('key_version alone replaced', overwrite(original.ciphertext, 20, u32(7))),
    change('wrapped_key replaced by one of another length', withHeader(draw('another wrapped_key', 300), 1)),
    change('any key id will do', original.ciphertext, { expected_key_id: null }),
    {
      name: 'sealed without context, opened with {}',
      ciphertext: plain.ciphertext,
      dek: plain.dek,
      expected_key_id: plain.key_id,
      context: {},
      plaintext: plain.plaintext,
    },
  ];
}

const shownCase = (c) => ({
  name: c.name,
  dek: base64(c.dek),
  key_id: c.key_id,
  key_version: c.key_version,
  wrapped_key: base64(c.wrapped_key),
  iv: base64(c.iv),
  context: c.context,
  plaintext: base64(c.plaintext),
  encryption_key: base64(c.encryption_key),
  commitment: base64(c.commitment),
  aad: base64(c.aad),
  ciphertext: base64(c.ciphertext),
});
const shownOpening = ({ name, ciphertext, dek, expected_key_id, context: given, ...rest }) => ({
  name,
  ciphertext: base64(ciphertext),
  dek: base64(dek),
  expected_key_id,
  context: given,
  ...rest,
});
const shownChange = (change) => ({ ...shownOpening(change), plaintext: base64(change.plaintext) });

function check(cases, accepted) {
  for (const c of cases) {
    assert.deepEqual(
      openEnvelope(c.ciphertext, { ...c, expected_key_id: c.key_id }),
      Buffer.from(c.plaintext),
      c.name,
    );
    assert.equal(base64(c.ciphertext).slice(0, 4), 'eaas');
    assert.ok(c.aad.subarray(boundLength).equals(encodeContext(c.context)));
  }
  for (const c of accepted) assert.deepEqual(openEnvelope(c.ciphertext, c), Buffer.from(c.plaintext), c.name);
}

export function build() {
  const plain = message('without context', { key_id: K });
  const bound = message('with context', { key_id: K, context });
  const nothing = message('empty plaintext', { plaintext: empty });
  const twoKeys = twoKeyMessage();
  const cases = [
    plain,
    bound,
    message('context {}', { context: {} }),
    nothing,
    message('one byte', { plaintext: fromHex('00') }),
    unicodeMessage(),
    ...limitMessages(),
    ...orderMessages(),
    twoKeys,
  ];
  const accepted = acceptedChanges(bound, plain);
  const refusals = buildRefusals({ bound, plain, empty: nothing, twoKeys });
  check(cases, accepted);
  requireUniqueNames(cases, accepted, refusals);
  return {
    description:
      'The envelope, version 1: one message, sealed and opened with a DEK that is already unwrapped.',
    format,
    tenant_id: T,
    key_version_secret: base64(keyVersionSecret),
    cases: cases.map(shownCase),
    accepted_changes: accepted.map(shownChange),
    refusals: refusals.map(shownOpening),
  };
}

const format = [
  'All bytes are standard base64 with padding. `context` is an object of strings, or null for none.',
  'cases: sealing `plaintext` with the given `dek`, `key_id`, `key_version`, `wrapped_key`, `iv` and `context` must give `ciphertext` exactly, and opening it must give `plaintext`. `encryption_key` (K), `commitment` (C) and `aad` are the values on the way.',
  'accepted_changes: `ciphertext` was altered, or is opened, in a way that must still give `plaintext`.',
  'refusals: opening `ciphertext` with `dek` (as if unwrapped from it), `expected_key_id` (null: any key id will do) and `context` must fail. `error` says how: `format` for what is wrong with magic, version or lengths, which is judged first; `decryption` for everything after, another key id among it.',
  "For a service: every wrapped_key of 78 bytes in `cases` is a sealed secret (see sealed-secret.json) of its DEK: ikm `key_version_secret`, purpose dek, tenant `tenant_id`, the case's key_id and key_version, no context.",
];
