import { hash, randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';

/**
 * Generates an API key's token, its hash, and its hint (the last four characters). The database stores only the hash
 * and the hint.
 */
export function newApiKey() {
  const token = formatApiKey(randomBytes(32));
  return { token, tokenHash: hashApiKey(token), hint: token.slice(-4) };
}

/** Hashes an API key's token. A slow password hash is not needed, because a token has 256 random bits. */
export function hashApiKey(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}
