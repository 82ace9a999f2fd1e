import assert from 'node:assert/strict';
import { base64, draw, fromHex } from '../reference/bytes.mjs';
import { base62, crc32, formatToken, parseToken, withChecksum } from '../reference/api-key.mjs';
import { requireUniqueNames } from './places.mjs';

const largest = (1n << 256n) - 1n;

function tokenWithSmallChecksum() {
  for (let i = 0; ; i++) {
    const bytes = draw(`api key with a small checksum/${i}`, 32);
    if (formatToken(bytes)[51] === '0') return bytes;
  }
}

const secrets = () => ({
  '32 zero bytes': Buffer.alloc(32),
  'the number 1': fromHex('01'.padStart(64, '0')),
  'the number 61, the last digit': fromHex('3d'.padStart(64, '0')),
  'the number 62, two digits': fromHex('3e'.padStart(64, '0')),
  '32 bytes of ff, the largest': fromHex('ff'.repeat(32)),
  'leading zero bytes': fromHex('00'.repeat(16) + 'a5'.repeat(16)),
  'a checksum that is padded': tokenWithSmallChecksum(),
  'random bytes': draw('api key', 32),
  'other random bytes': draw('another api key', 32),
});

const put = (text, index, character) => text.slice(0, index) + character + text.slice(index + 1);
const other = (character) => (character === 'a' ? 'b' : 'a');
const over = (number) => withChecksum(`eaas_sk_${base62(number, 43)}`);

function texts() {
  const token = formatToken(draw('api key', 32));
  return {
    'a wrong last check digit': put(token, 56, other(token[56])),
    'a wrong first check digit': put(token, 51, other(token[51])),
    'a check digit in the other case': put(token, 56, swapCase(token[56])),
    'a mistyped digit': put(token, 20, other(token[20])),
    'two digits exchanged': token.slice(0, 20) + token[21] + token[20] + token.slice(22),
    'a digit too few': token.slice(0, -1),
    'a digit too many': `${token}0`,
    'without a checksum': token.slice(0, 51),
    'too short, with a right checksum': withChecksum(token.slice(0, 50)),
    'too long, with a right checksum': withChecksum(`${token.slice(0, 8)}0${token.slice(8, 51)}`),
    'another prefix, with a right checksum': withChecksum(`eaas_pk_${token.slice(8, 51)}`),
    'a prefix in capitals, with a right checksum': withChecksum(`EAAS_SK_${token.slice(8, 51)}`),
    'without a prefix': token.slice(8),
    'a digit that base62 does not have, with a right checksum': withChecksum(
      put(token.slice(0, 51), 30, '-'),
    ),
    'an underscore among the digits, with a right checksum': withChecksum(put(token.slice(0, 51), 8, '_')),
    'a letter outside ASCII': put(token, 30, '\u00e9'),
    'a fullwidth digit': put(token, 30, '\uff11'),
    'a space before': ` ${token}`,
    'a newline behind': `${token}\n`,
    'a NUL behind': `${token}\u0000`,
    '2^256, with a right checksum': over(largest + 1n),
    'the largest 43 digits, with a right checksum': over(62n ** 43n - 1n),
    'the prefix alone': 'eaas_sk_',
    nothing: '',
  };
}

function swapCase(character) {
  const upper = character.toUpperCase();
  return upper === character ? character.toLowerCase() : upper;
}

export function build() {
  const cases = Object.entries(secrets()).map(([name, bytes]) => {
    const token = formatToken(bytes);
    assert.ok(parseToken(token).equals(bytes), name);
    return { name, bytes: base64(bytes), token, crc32: crc32(Buffer.from(token.slice(0, 51))) };
  });
  const refusals = Object.entries(texts()).map(([name, token]) => ({ name, token }));
  for (const { name, token } of refusals) assert.throws(() => parseToken(token), Error, name);
  requireUniqueNames(cases, refusals);
  return {
    description:
      'API key tokens: "eaas_sk_", 43 base62 digits of 32 bytes, and 6 of the CRC-32 of the 51 characters before them.',
    format: [
      'cases: `token` is the text of the 32 `bytes` (base64, read as one big-endian number), digits 0-9A-Za-z, padded on the left with 0. `crc32` is the checksum as a number, as in zlib.',
      'refusals: texts that are not tokens and can be refused without asking anyone. A number of 2^256 or more in the 43 digits is refused although its checksum is right: it is no 32 bytes.',
      'None of these tokens is known to any service.',
    ],
    cases,
    refusals,
  };
}
