import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toBase64 } from '../base64.ts';
import { toHex } from '../bytes.ts';
import { toUtf8 } from '../text.ts';

/** Returns the fingerprint of a value: HMAC-SHA-256 in hex. Throws InputError for text with a lone surrogate. */
export function fieldHash(hashKey: Uint8Array, value: string): string {
  return toHex(hmac(sha256, hashKey, toUtf8(value)));
}

/** Returns the thumbprint of an RSA public key (RFC 7638, SHA-256). The audit log identifies the key by its thumbprint. */
export function jwkThumbprint({ n, e }: { readonly n: string; readonly e: string }): string {
  const text = toBase64(sha256(toUtf8(JSON.stringify({ e, kty: 'RSA', n }))));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
