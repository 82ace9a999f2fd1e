import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { type Context, open, seal, type Unwrap, type Wrap } from '@eaas/protocol';
import { sealStream } from '@eaas/protocol/stream';
import type { Client } from '@eaas/test-kit/api';
import { ok } from '@eaas/test-kit/fixture';

// A client that uses only the protocol package and not the SDK.

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function wrapWith(api: Client, keyId: string): Wrap {
  return async (dek) => {
    const wrapped = ok(await api.post(`/v1/keys/${keyId}/wrap`, { dek: base64(dek) }));
    return {
      keyId: wrapped.key_id,
      keyVersion: wrapped.key_version,
      wrappedKey: Buffer.from(wrapped.wrapped_key, 'base64'),
    };
  };
}

function unwrapWith(api: Client): Unwrap {
  return async ({ keyId, wrappedKey }) => {
    const answer = await api.post(`/v1/keys/${keyId}/unwrap`, { wrapped_key: base64(wrappedKey) });
    return Buffer.from(ok(answer).dek, 'base64');
  };
}

export async function sealedUnder(
  api: Client,
  keyId: string,
  chunks: readonly Uint8Array[] = [Buffer.from('sealed by the client')],
  context?: Context,
): Promise<{ ciphertext: string; stream: string }> {
  const wrap = wrapWith(api, keyId);
  const ciphertext = await seal(Buffer.concat(chunks), wrap, { context });
  const stream = Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>;
  const sealed = await buffer(stream.pipeThrough(sealStream(wrap)) as never);
  return { ciphertext: base64(ciphertext), stream: base64(sealed) };
}

export async function openedBy(api: Client, ciphertext: string, context?: Context): Promise<string> {
  const bytes = Buffer.from(ciphertext, 'base64');
  const plaintext = await open(bytes, unwrapWith(api), { anyKey: true, context });
  return Buffer.from(plaintext).toString('utf8');
}
