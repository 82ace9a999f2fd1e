// A client that uses only the protocol package and not the SDK.
import { type Context, open, seal } from '@eaas/protocol';
import type { Client } from '@eaas/test-kit/api';
import { ok } from '@eaas/test-kit/fixture';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Encrypts bytes as a client does, and returns the ciphertext. */
export async function sealedUnder(
  api: Client,
  keyId: string,
  bytes: Uint8Array,
  context?: Context,
): Promise<string> {
  const wrap = async (dek: Uint8Array) => {
    const wrapped = ok(await api.post(`/v1/keys/${keyId}/wrap`, { dek: base64(dek) }));
    const wrappedKey = Buffer.from(wrapped.wrapped_key, 'base64');
    return { keyId: wrapped.key_id, keyVersion: wrapped.key_version, wrappedKey };
  };
  return base64(await seal(bytes, wrap, { context }));
}

export async function openedBy(api: Client, ciphertext: string): Promise<string> {
  const unwrap = async ({ keyId, wrappedKey }: { keyId: string; wrappedKey: Uint8Array }) => {
    const answer = await api.post(`/v1/keys/${keyId}/unwrap`, { wrapped_key: base64(wrappedKey) });
    return Buffer.from(ok(answer).dek, 'base64');
  };
  const plaintext = await open(Buffer.from(ciphertext, 'base64'), unwrap, { anyKey: true });
  return Buffer.from(plaintext).toString('utf8');
}
