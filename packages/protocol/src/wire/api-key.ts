import { InputError } from '../errors.ts';
import { toUtf8 } from '../text.ts';

/** The prefix of every API key, by which people and secret scanners recognise API keys. */
export const apiKeyPrefix = 'eaas_sk_';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretDigits = 43;
const checksumDigits = 6;

/**
 * Formats 32 random bytes as an API key: the prefix, 43 base62 digits, and 6 digits of a CRC-32. The CRC-32 detects
 * typing errors.
 */
export function formatApiKey(secret: Uint8Array): string {
  if (secret.length !== 32)
    throw new InputError(`the secret of an API key must have 32 bytes (got ${secret.length})`);
  const number = secret.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const body = apiKeyPrefix + base62(number, secretDigits);
  return body + checksum(body);
}

/** Returns whether the text has the form and the checksum of an API key. An API key with this form might not exist. */
export function isApiKey(text: string): boolean {
  if (!/^eaas_sk_[0-9A-Za-z]{49}$/.test(text)) return false;
  const body = text.slice(0, -checksumDigits);
  return checksum(body) === text.slice(-checksumDigits) && fits(body.slice(apiKeyPrefix.length));
}

const fits = (digits: string): boolean =>
  Array.from(digits).reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n) < 1n << 256n;

const checksum = (body: string): string => base62(BigInt(crc32(toUtf8(body))), checksumDigits);

function base62(number: bigint, length: number): string {
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
