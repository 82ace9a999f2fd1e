// The text of an API key: a prefix that secret scanners recognise, and a checksum that finds typing errors.
import { bytesOfBase62, checksum, checksumDigits, secretText } from '../base62.ts';
import { InputError } from '../errors.ts';

/** The prefix of every API key, by which people and secret scanners recognise API keys. */
const apiKeyPrefix = 'eaas_sk_';

/**
 * Formats 32 random bytes as an API key: the prefix, 43 base62 digits, and 6 digits of a CRC-32. The CRC-32 detects
 * typing errors.
 */
export function formatApiKey(secret: Uint8Array): string {
  if (secret.length !== 32) {
    throw new InputError(`the secret of an API key must have 32 bytes (got ${secret.length})`);
  }
  return secretText(apiKeyPrefix, secret);
}

/** Returns whether the text has the form and the checksum of an API key. An API key with this form might not exist. */
export function isApiKey(text: string): boolean {
  if (!/^eaas_sk_[0-9A-Za-z]{49}$/.test(text)) return false;
  const body = text.slice(0, -checksumDigits);
  return checksum(body) === text.slice(-checksumDigits) && !!bytesOfBase62(body.slice(apiKeyPrefix.length));
}
