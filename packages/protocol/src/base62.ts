// 32 bytes as text that people copy: 43 base62 digits, and 6 digits of a checksum.
import { toUtf8 } from './text.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
export const checksumDigits = 6;

/** Six base62 digits of the CRC-32 of a text. */
export const checksum = (body: string): string => digitsOf(BigInt(crc32(toUtf8(body))), checksumDigits);

/** Writes 32 bytes as text: the prefix, 43 base62 digits, and the checksum of both. */
export function secretText(prefix: string, bytes: Uint8Array): string {
  const number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = prefix + digitsOf(number, 43);
  return body + checksum(body);
}

/** Reads base62 digits as 32 bytes, or returns undefined for a number that has more. */
export function bytesOfBase62(digits: string): Uint8Array<ArrayBuffer> | undefined {
  let number = Array.from(digits).reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n);
  const bytes = new Uint8Array(32);
  for (let at = 31; at >= 0; at--, number >>= 8n) bytes[at] = Number(number & 255n);
  return number === 0n ? bytes : undefined;
}

function digitsOf(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) {
    digits = alphabet.charAt(Number(rest % 62n)) + digits;
  }
  return digits;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
