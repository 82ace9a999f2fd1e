// API key tokens: "eaas_sk_", then 32 bytes as 43 base62 digits, and a CRC-32 as 6 base62 digits.
import { hex, utf8 } from './bytes.mjs';

const prefix = 'eaas_sk_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a number in base62. The most significant digit is first, and the number is padded on the left with 0. */
export function base62(number, length) {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}

function fromBase62(text) {
  return [...text].reduce((number, digit) => number * 62n + BigInt(digits.indexOf(digit)), 0n);
}

/**
 * CRC-32 as in zlib: reflected, with the polynomial EDB88320. The initial value and the final XOR have all bits set.
 */
export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Returns a text followed by its six check digits. */
export function withChecksum(text) {
  return text + base62(BigInt(crc32(utf8(text))), 6);
}

export function formatToken(bytes) {
  return withChecksum(prefix + base62(BigInt(`0x${hex(bytes)}`), 43));
}

/** Returns the 32 bytes of a token. Throws for any other text. */
export function parseToken(token) {
  if (!/^eaas_sk_[0-9A-Za-z]{49}$/.test(token) || token.length !== 57)
    throw new Error('not the form of a token');
  const body = token.slice(0, 51);
  if (withChecksum(body) !== token) throw new Error('checksum');
  const number = fromBase62(body.slice(prefix.length));
  if (number >= 1n << 256n) throw new Error('more than 32 bytes');
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}
