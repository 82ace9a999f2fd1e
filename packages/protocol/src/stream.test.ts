import { describe, expect, test } from 'vitest';
import { engines } from '../test/engines.ts';
import { expectBothWays } from '../test/stream-vector.ts';
import { sendThrough } from '@eaas/test-kit/streams';
import { plaintextOf, refusedBytes } from '@eaas/test-kit/stream-cases';
import { bytes, type StreamCase, vectors } from '@eaas/test-kit/vectors';
import { DecryptionError, FormatError } from './errors.ts';
import { openFile, openStream } from './stream.ts';

const isSmall = ({ ciphertext_length: length }: StreamCase): boolean => length < 1 << 20;
const { cases, accepted_changes: changes, refusals } = vectors('envelope-v2');
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b);
const expectedOf = (id: string | null) => (id === null ? { anyKey: true as const } : { keyId: id });

describe.each(engines)('the envelope, version 2, with $name', (engine) => {
  test.each(cases.filter(isSmall))(
    'encryption gives the envelope of the vector, and decryption gives its plaintext: $name',
    async (vector) => {
      await expectBothWays(engine, vector);
    },
  );

  test.each(changes)('a changed stream that a reader must accept decrypts: $name', async (vector) => {
    const options = { engine, context: vector.context ?? undefined, ...expectedOf(vector.expected_key_id) };
    const opened = await sendThrough(
      openStream(() => bytes(vector.dek), options),
      [bytes(vector.ciphertext)],
    );
    expect(opened.error).toBeUndefined();
    expect(same(opened.content, bytes(vector.plaintext))).toBe(true);
  });

  test.each(refusals)('the invalid stream of the vector is refused: $name', async (vector) => {
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
    const source = {
      size: altered.length,
      read: (start: number, end: number) => altered.subarray(start, end),
    };
    const reading = openFile(() => bytes(vector.dek), source, options).then((file) => file.read());
    // A file shows by its size what a stream shows by its chunks.
    await expect(reading).rejects.toMatchObject({
      name: expect.stringMatching(/^(?:Format|Decryption)Error$/),
    });
  });
});
