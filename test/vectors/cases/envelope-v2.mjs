import assert from 'node:assert/strict';
import { base64, concat, draw, drawUuid, empty, hex, sha256, utf8 } from '../reference/bytes.mjs';
import { writeHeader } from '../reference/header.mjs';
import { beginStream, openStream, pattern, sealChunks, sealedChunkLength } from '../reference/stream.mjs';
import { buildRefusals } from './envelope-v2-refusals.mjs';
import { K, keyVersionSecret, requireUniqueNames, T, wrapDek } from './places.mjs';

const KiB = 1024;
const context = { table: 'scans', column: 'image', row: '4711' };
const text = utf8('The quick brown fox jumps over the lazy dog.');

function stream(name, given) {
  const label = `envelope v2/${name}`;
  const dek = draw(`${label}/dek`, 32);
  const key_id = given.key_id ?? drawUuid(`${label}/key`);
  const key_version = given.key_version ?? 1;
  const wrapped_key = wrapDek(label, dek, key_id, key_version);
  const parts = {
    dek,
    key_id,
    key_version,
    wrapped_key,
    salt: draw(`${label}/salt`, 32),
    context: null,
    ...given,
  };
  const begun = beginStream(parts);
  const chunks = sealChunks(begun.key, parts.plaintext);
  return { name, ...parts, ...begun, chunks, ciphertext: concat(begun.header, ...chunks) };
}

function acceptedChanges(original) {
  const { dek, key_id, plaintext, context: given } = original;
  const tail = original.ciphertext.subarray(26 + original.wrapped_key.length);
  const wrapped_key = wrapDek('stream rewrapped', dek, key_id, 2);
  const rest = { dek, expected_key_id: key_id, context: given, plaintext };
  return [
    {
      name: 'key_version and wrapped_key replaced, as rewrap does',
      ...rest,
      ciphertext: concat(writeHeader(2, { key_id, key_version: 2, wrapped_key }), tail),
    },
    { name: 'any key id will do', ...rest, ciphertext: original.ciphertext, expected_key_id: null },
  ];
}

const shownPlaintext = (bytes) =>
  bytes.length < KiB ? base64(bytes) : { pattern: 'i * 7 + (i >> 8)', length: bytes.length };
const shownRest = (c) =>
  c.plaintext.length > 1024 * KiB
    ? { ciphertext: null, last_chunk: base64(c.chunks.at(-1)) }
    : { ciphertext: base64(c.ciphertext) };
const shownCase = (c) => ({
  name: c.name,
  dek: base64(c.dek),
  key_id: c.key_id,
  key_version: c.key_version,
  wrapped_key: base64(c.wrapped_key),
  salt: base64(c.salt),
  context: c.context,
  plaintext: shownPlaintext(c.plaintext),
  info: base64(c.info),
  encryption_key: base64(c.key),
  commitment: base64(c.commitment),
  header: base64(c.header),
  chunks: c.chunks.length,
  ciphertext_length: c.ciphertext.length,
  ciphertext_sha256: hex(sha256(c.ciphertext)),
  ...shownRest(c),
});
const shownChange = (c) => ({
  ...c,
  ciphertext: base64(c.ciphertext),
  dek: base64(c.dek),
  plaintext: base64(c.plaintext),
});
const shownRefusal = ({ ciphertext, dek, base, edit, ...rest }) =>
  edit
    ? { base: base.name, edit, dek: base64(dek), ...rest }
    : { ciphertext: base64(ciphertext), dek: base64(dek), ...rest };
const named = ({ name, ...rest }) => ({ name, ...rest });

function buildCases() {
  return {
    plain: stream('without context', { key_id: K, plaintext: text }),
    bound: stream('with context', { key_id: K, plaintext: text, context }),
    noContext: stream('context {}', { plaintext: text, context: {} }),
    empty: stream('empty', { plaintext: empty }),
    one: stream('one byte', { plaintext: pattern(1).fill(0x78) }),
    unicode: stream('key_version 4294967295 and a Unicode context', {
      key_version: 4294967295,
      plaintext: text,
      context: { '\u{1F511}': 'astral', '\uff5e': 'last in the BMP', 10: 'ten', 9: 'nine' },
    }),
    full: stream('exactly 64 KiB', { plaintext: pattern(64 * KiB) }),
    over: stream('64 KiB and 1 byte', { plaintext: pattern(64 * KiB + 1) }),
    double: stream('128 KiB', { plaintext: pattern(128 * KiB), context }),
    long: stream('16 MiB and 1 byte: the counter passes 255', { plaintext: pattern(16384 * KiB + 1) }),
  };
}

export function build() {
  const streams = buildCases();
  const cases = Object.values(streams);
  const accepted = acceptedChanges(streams.bound);
  const refusals = buildRefusals(streams);
  for (const c of cases)
    assert.ok(openStream(c.ciphertext, { ...c, expected_key_id: c.key_id }).equals(c.plaintext), c.name);
  for (const c of accepted) assert.ok(openStream(c.ciphertext, c).equals(c.plaintext), c.name);
  requireUniqueNames(cases, accepted, refusals);
  return {
    description:
      'The envelope, version 2: streams of chunks, sealed and opened with a DEK that is already unwrapped.',
    format,
    tenant_id: T,
    key_version_secret: base64(keyVersionSecret),
    cases: cases.map(shownCase),
    accepted_changes: accepted.map(shownChange),
    refusals: refusals.map((c) => named(shownRefusal(c))),
  };
}

const format = [
  'All bytes are standard base64 with padding; `ciphertext_sha256` is hex. `context` is an object of strings, or null for none.',
  '`plaintext` is base64, or {"pattern": "i * 7 + (i >> 8)", "length": n}: n bytes, byte i (from 0) being (i * 7 + (i >> 8)) & 0xff.',
  'cases: sealing `plaintext` with the given `dek`, `key_id`, `key_version`, `wrapped_key`, `salt` and `context` must give `ciphertext` exactly, and opening it must give `plaintext`. `info` (of the HKDF), `encryption_key` (K), `commitment` (C) and `header` (everything before the first chunk) are the values on the way; `chunks` is their number.',
  'The counter in the nonce is 11 bytes, big-endian, and begins at 0.',
  'Where `ciphertext` is null it is too long to print: compare with `ciphertext_length`, `ciphertext_sha256` (of the whole) and `last_chunk`.',
  'accepted_changes: `ciphertext` was altered, or is opened, in a way that must still give `plaintext`.',
  'refusals: opening with `dek`, `expected_key_id` (null: any key id will do) and `context` must fail. `error` is `format` for magic, version, the length of wrapped_key or a stream that ends before its header does (the header reaches through C); `decryption` for everything after. What a streaming reader gave out before it failed must be a prefix of the plaintext that was sealed.',
  'A refusal has a `ciphertext`, or a `base` and an `edit`: the ciphertext of the case of that name, altered by these steps in order. ["cut", from, to] removes the bytes from offset `from` up to, not including, `to`. ["flip", offset, mask] exclusive-ors one byte with `mask`. ["append", base64] adds bytes at the end. ["swap_chunks", i, j] exchanges two chunks of 65552 sealed bytes, ["repeat_chunk", i] puts a copy of one directly behind it; chunks count from 0 and begin behind the header.',
  `For a service: every wrapped_key in \`cases\` is a sealed secret (see sealed-secret.json) of its DEK: ikm \`key_version_secret\`, purpose dek, tenant \`tenant_id\`, the case's key_id and key_version, no context.`,
];
assert.equal(sealedChunkLength, 65552);
