import { hash, randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';

/** An API key as it is made: the token is shown once, and only the rest is kept. */
export interface NewApiKey {
  readonly token: string;
  readonly tokenHash: Uint8Array;
  /** The token's last four characters, by which people recognise it. */
  readonly hint: string;
}

export function newApiKey(): NewApiKey {
  const token = formatApiKey(randomBytes(32));
  return { token, tokenHash: hashApiKey(token), hint: token.slice(-4) };
}

/** What is stored of an API key: SHA-256 suffices, because 256 random bits cannot be guessed. */
export function hashApiKey(token: string): Uint8Array {
  return hash('sha256', token, 'buffer');
}
