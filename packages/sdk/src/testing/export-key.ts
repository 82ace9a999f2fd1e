import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { toUtf8 } from '@eaas/protocol';
import type { Input, Output } from '@eaas/protocol/wire';
import { type Call, keyDraft, record } from './call.ts';
import { Refusal } from './refusal.ts';
import { requireKey, requireStatus } from './require-key.ts';

type Jwk = Input<'POST /v1/keys/:key_id/export'>['public_key'];

/** POST /v1/keys/:key_id/export: every version and the hash key, each encrypted to the caller's RSA key. */
export async function exportKey(
  call: Call,
  { key_id, public_key }: Input<'POST /v1/keys/:key_id/export'>,
): Promise<Output<'POST /v1/keys/:key_id/export'>> {
  const publicKey = await importRsa(public_key);
  const key = requireKey(call, key_id);
  requireStatus(key, 'active', 'disabled');
  if (!key.exportable) {
    throw new Refusal(
      'key_state',
      'The key is not exportable; that is chosen at creation and never changes.',
    );
  }
  const versions = await Promise.all(
    key.versions.map(async ({ secret }, index) => ({
      key_version: index + 1,
      encrypted: await encryptTo(publicKey, secret),
    })),
  );
  const hash_key = await encryptTo(publicKey, key.hash_key);
  record(call, keyDraft('key.export', key, { jwk_thumbprint: await thumbprint(public_key) }));
  return { key_id: key.key_id, versions, hash_key };
}

async function importRsa({ n, e }: Jwk): Promise<CryptoKey> {
  // An even modulus is no product of two large primes.
  const isOdd = (bytesOf(n).at(-1) ?? 0) % 2 === 1;
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  try {
    if (isOdd) {
      return await crypto.subtle.importKey('jwk', { kty: 'RSA', n, e }, algorithm, false, ['encrypt']);
    }
  } catch {
    // Refused below, like any other.
  }
  throw new Refusal('bad_request', '`public_key` is not a usable RSA public key.');
}

async function encryptTo(publicKey: CryptoKey, secret: Uint8Array | null): Promise<string> {
  if (!secret) throw new Error('a key that is not destroyed has all its material');
  const encrypted = await crypto.subtle.encrypt('RSA-OAEP', publicKey, new Uint8Array(secret));
  return toBase64(new Uint8Array(encrypted));
}

/** RFC 7638, SHA-256. */
async function thumbprint({ n, e }: Jwk): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', toUtf8(JSON.stringify({ e, kty: 'RSA', n })));
  const text = toBase64(new Uint8Array(digest));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytesOf(base64url: string): Uint8Array {
  const text = base64url.replaceAll('-', '+').replaceAll('_', '/');
  return fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, '='));
}
