import assert from 'node:assert/strict';
import { base64, draw, hex, hmac, utf8 } from '../reference/bytes.mjs';
import { requireUniqueNames } from './places.mjs';

const values = {
  ascii: 'alice@example.com',
  'another value': 'Alice@example.com',
  'the empty string': '',
  NUL: '\u0000',
  'NUL behind': 'alice@example.com\u0000',
  'a space behind': 'alice@example.com ',
  'a leading byte order mark': '\ufeffalice@example.com',
  precomposed: 'Ren\u00e9',
  'combining: another value, another hash': 'Rene\u0301',
  astral: '\u{1F511}\u{10FFFF}',
  'control characters': 'a\tb\nc\r\u007f\u0085',
  'looks like JSON': '{"a":"\\u0041"}',
  'one digit': '7',
  '64 KiB': 'x'.repeat(65536),
};

const refused = {
  'a lone high surrogate': '"\\ud83d"',
  'a lone low surrogate': '"a\\udd11"',
  'surrogates in the wrong order': '"\\udd11\\ud83d"',
};

export function build() {
  const hashKey = draw('hash key', 32);
  const other = draw('other hash key', 32);
  const of = (key, name, value) => ({
    name,
    hash_key: base64(key),
    value,
    hash: hex(hmac(key, utf8(value))),
  });
  const cases = Object.entries(values).map(([name, value]) => of(hashKey, name, value));
  cases.push(of(other, 'the same value under another key', values.ascii));
  const refusals = Object.entries(refused).map(([name, value_json]) => ({ name, value_json }));
  for (const { name, value_json } of refusals) assert.throws(() => utf8(JSON.parse(value_json)), Error, name);
  requireUniqueNames(cases, refusals);
  return {
    description:
      "The fingerprint that POST /v1/hash gives: HMAC-SHA-256 of the UTF-8 of a value under a hash key of the key's own.",
    format: [
      'cases: `hash` (64 lower-case hex characters) = HMAC-SHA-256(`hash_key`, the UTF-8 of `value`). `hash_key` is 32 bytes in base64. Every character of a value counts; nothing is trimmed, folded or normalised.',
      'refusals: `value_json` is a value as JSON text; it has no UTF-8 and must be refused, never replaced by U+FFFD.',
    ],
    cases,
    refusals,
  };
}
