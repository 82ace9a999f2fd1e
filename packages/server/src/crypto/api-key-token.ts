import { hash, randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';

export function newApiKey() {
  const token = formatApiKey(randomBytes(32));
  return { token, tokenHash: hashApiKey(token), hint: token.slice(-4) };
}

/** A slow password hash is not needed, because a token has 256 random bits. */
export function hashApiKey(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}
