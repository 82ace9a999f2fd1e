// The hashes that responses show: fingerprints of values, and the names of public keys.
// The rule of `hash` and the export of keys compute them.
import { toBase64 } from '@eaas/protocol/base64';
import { toHex } from '@eaas/protocol/internal';
import { toUtf8 } from '@eaas/protocol';
import { hmac, sha256 } from '#platform';
import type { Secret } from '../crypto/secret.ts';

/** Computes the fingerprint that `hash` returns. */
export function fieldHash(hashKey: Secret, value: string): string {
  return toHex(hmac(hashKey, toUtf8(value)));
}

/** Returns the RFC 7638 thumbprint of an RSA public key. */
export function jwkThumbprint({ n, e }: { readonly n: string; readonly e: string }): string {
  const text = toBase64(sha256(toUtf8(JSON.stringify({ e, kty: 'RSA', n }))));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
