import { hash, randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';

/** Generates a token with the hash and the hint (its last four characters) that are stored in its place. */
export function newApiKey() {
  const token = formatApiKey(randomBytes(32));
  return { token, tokenHash: hashApiKey(token), hint: token.slice(-4) };
}

/** Hashes a token. SHA-256 suffices because a token has 256 random bits. */
export function hashApiKey(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}
