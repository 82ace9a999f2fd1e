import { createHash } from 'node:crypto';
import type { Engine } from '@eaas/protocol';
import { openStream, sealStream } from '../src/stream.ts';
import { expect, onTestFinished, vi } from 'vitest';
import { plaintextOf } from '@eaas/test-kit/stream-cases';
import { bytes, type StreamCase } from '@eaas/test-kit/vectors';
import { sendThrough } from '@eaas/test-kit/streams';

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b);
const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

function draw({ dek, salt }: StreamCase): void {
  const spy = vi.spyOn(crypto, 'getRandomValues');
  for (const drawn of [dek, salt]) {
    spy.mockImplementationOnce((array) => {
      (array as unknown as Uint8Array).set(bytes(drawn));
      return array;
    });
  }
}

export async function expectBothWays(engine: Engine, vector: StreamCase): Promise<void> {
  const options = { engine, context: vector.context ?? undefined };
  const plaintext = plaintextOf(vector);
  draw(vector);
  onTestFinished(() => void vi.restoreAllMocks());
  const wrapped = {
    keyId: vector.key_id,
    keyVersion: vector.key_version,
    wrappedKey: bytes(vector.wrapped_key),
  };
  const sealed = await sendThrough(
    sealStream(() => wrapped, options),
    [plaintext],
  );
  expect(sealed.content.length).toBe(vector.ciphertext_length);
  expect(sha256(sealed.content)).toBe(vector.ciphertext_sha256);
  expect(same(sealed.chunks[0] ?? bytes(''), bytes(vector.header))).toBe(true);
  expect(sealed.chunks.length).toBe(1 + vector.chunks);

  const opening = openStream(() => bytes(vector.dek), { ...options, keyId: vector.key_id });
  const opened = await sendThrough(opening, [sealed.content]);
  expect(opened.error).toBeUndefined();
  expect(same(opened.content, plaintext)).toBe(true);
}
