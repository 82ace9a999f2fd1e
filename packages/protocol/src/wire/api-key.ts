import { InputError } from '../errors.ts';
import { toUtf8 } from '../text.ts';

/** What every API key begins with, so that people and scanners can tell one. */
export const apiKeyPrefix = 'eaas_sk_';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretDigits = 43;
const checksumDigits = 6;

/** The API key that spells 32 random bytes: prefix, 43 base62 digits, 6 of a CRC-32 against typing errors. */
export function formatApiKey(secret: Uint8Array): string {
  if (secret.length !== 32) throw new InputError('an API key is made from 32 bytes');
  const number = secret.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = apiKeyPrefix + base62(number, secretDigits);
  return body + checksum(body);
}

/** Whether the text is spelled like an API key, checksum included; says nothing of whether it is known. */
export function isApiKey(text: string): boolean {
  if (!/^eaas_sk_[0-9A-Za-z]{49}$/.test(text)) return false;
  const body = text.slice(0, -checksumDigits);
  return checksum(body) === text.slice(-checksumDigits) && fits(body.slice(apiKeyPrefix.length));
}

function fits(digits: string): boolean {
  const number = Array.from(digits).reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n);
  return number < 1n << 256n;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(toUtf8(body))), checksumDigits);
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) {
    digits = alphabet.charAt(Number(rest % 62n)) + digits;
  }
  return digits;
}

/** CRC-32 as in zlib (ISO 3309), bit by bit: it runs over 51 characters. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
