import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { engines } from '../../../test/protocol/engines.ts';
import { sendThrough } from '../../../test/protocol/streams.ts';
import { plaintextOf, refusedBytes } from '../../../test/vectors/stream-cases.ts';
import { bytes, type StreamCase, vectors } from '../../../test/vectors/vectors.ts';
import { DecryptionError, FormatError } from './errors.ts';
import { openStream, sealStream } from './stream.ts';

const { cases, accepted_changes: changes, refusals } = vectors('envelope-v2');
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b);
const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const expectedOf = (id: string | null) => (id === null ? { anyKey: true as const } : { keyId: id });

/** Has the next random bytes be the DEK and then the salt of the vector. */
function draw({ dek, salt }: StreamCase): void {
  const spy = vi.spyOn(crypto, 'getRandomValues');
  for (const drawn of [dek, salt]) {
    spy.mockImplementationOnce((array) => {
      (array as unknown as Uint8Array).set(bytes(drawn));
      return array;
    });
  }
}

afterEach(() => void vi.restoreAllMocks());

describe.each(engines)('the envelope, version 2, with $name', (engine) => {
  test.each(cases)('vector, both ways: $name', async (vector) => {
    const options = { engine, context: vector.context ?? undefined };
    const plaintext = plaintextOf(vector);
    draw(vector);
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
  });

  test.each(changes)('vector, opened all the same: $name', async (vector) => {
    const options = { engine, context: vector.context ?? undefined, ...expectedOf(vector.expected_key_id) };
    const opened = await sendThrough(
      openStream(() => bytes(vector.dek), options),
      [bytes(vector.ciphertext)],
    );
    expect(opened.error).toBeUndefined();
    expect(same(opened.content, bytes(vector.plaintext))).toBe(true);
  });

  test.each(refusals)('vector, refused: $name', async (vector) => {
    const options = { engine, context: vector.context ?? undefined, ...expectedOf(vector.expected_key_id) };
    const altered = refusedBytes(vector, cases);
    const opened = await sendThrough(
      openStream(() => bytes(vector.dek), options),
      [altered],
    );
    expect(opened.error).toBeInstanceOf(vector.error === 'format' ? FormatError : DecryptionError);
    const base = cases.find(({ name }) => name === vector.base);
    const original = base ? plaintextOf(base) : bytes('');
    expect(same(opened.content, original.subarray(0, opened.content.length))).toBe(true);
  });
});
