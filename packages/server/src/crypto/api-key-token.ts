import { hash, randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';

export function newToken() {
  const token = formatApiKey(randomBytes(32));
  return { token, tokenHash: hashApiKey(token), hint: token.slice(-4) };
}

/** A fast hash is enough, because a token has 256 random bits. A slow password hash would add no security. */
export function hashApiKey(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}
