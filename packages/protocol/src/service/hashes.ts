import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toBase64 } from '../base64.ts';
import { toHex } from '../bytes.ts';
import { toUtf8 } from '../text.ts';

/** Computes the fingerprint that `hash` returns. */
export function fieldHash(hashKey: Uint8Array, value: string): string {
  return toHex(hmac(sha256, hashKey, toUtf8(value)));
}

/** Returns the RFC 7638 thumbprint of an RSA public key. */
export function jwkThumbprint({ n, e }: { readonly n: string; readonly e: string }): string {
  const text = toBase64(sha256(toUtf8(JSON.stringify({ e, kty: 'RSA', n }))));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
