import { hex, utf8 } from './bytes.mjs';

const prefix = 'eaas_sk_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function base62(number, length) {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}

function fromBase62(text) {
  return [...text].reduce((number, digit) => number * 62n + BigInt(digits.indexOf(digit)), 0n);
}

export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

export function withChecksum(text) {
  return text + base62(BigInt(crc32(utf8(text))), 6);
}

export function formatToken(bytes) {
  return withChecksum(prefix + base62(BigInt(`0x${hex(bytes)}`), 43));
}

export function parseToken(token) {
  if (!/^eaas_sk_[0-9A-Za-z]{49}$/.test(token) || token.length !== 57)
    throw new Error('not the form of a token');
  const body = token.slice(0, 51);
  if (withChecksum(body) !== token) throw new Error('checksum');
  const number = fromBase62(body.slice(prefix.length));
  if (number >= 1n << 256n) throw new Error('more than 32 bytes');
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}
