import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { anyContext } from '@eaas/test-kit/arbitraries';
import { runs } from '@eaas/test-kit/cases';
import { plaintextOf, refusedBytes } from '@eaas/test-kit/stream-cases';
import { chunk, contentOf, piecesOf, same, sendThrough, sourceOf } from '@eaas/test-kit/streams';
import { bytes, type StreamCase, vectors } from '@eaas/test-kit/vectors';
import { engines } from '../test/engines.ts';
import { keyService } from '../test/key-service.ts';
import type { Engine } from './engines/engine.ts';
import { nodeEngine } from './engines/node.ts';
import { DecryptionError, FormatError, InputError } from './errors.ts';
import { ciphertextSize, openFile, openStream, plaintextSize, sealStream } from './stream.ts';
import { sealChunk } from './stream-format.ts';

const keyId = '00000000-0000-4000-8000-000000000002';
const { wrap, unwrap } = keyService(keyId);
const options = { keyId, engine: nodeEngine };

const seal = async (content: Uint8Array): Promise<Uint8Array> =>
  (await sendThrough(sealStream(wrap, options), [content])).content;

const anyLength = fc
  .tuple(fc.constantFrom(0, 0, chunk, 2 * chunk), fc.integer({ min: -2, max: 300 }))
  .map(([base, more]) => Math.max(0, base + more));
const anyCuts = fc.array(fc.nat(3 * chunk), { maxLength: 6 });

test('a chunk at position 2^32 has another nonce than the chunk at position 0', () => {
  const key = nodeEngine.importKey(new Uint8Array(32));
  const streamKey = { engine: nodeEngine, key, commitment: new Uint8Array() };
  const [first, later] = [0, 2 ** 32].map((index) => sealChunk(streamKey, new Uint8Array(32), index, false));
  expect(later).not.toEqual(first);
});

describe('a stream', () => {
  test('a stream is decrypted completely, however its input is divided, with any engine', async () => {
    const engine = fc.constantFrom(...engines);
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(anyLength, anyCuts, anyCuts, anyContext, engine, engine),
        async ([length, cuts, sealedCuts, context, sealer, opener]) => {
          const content = contentOf(length);
          const sealing = sealStream(wrap, { context, engine: sealer });
          const sealed = await sendThrough(sealing, piecesOf(content, cuts));
          const opening = openStream(unwrap, { keyId, context, engine: opener });
          const opened = await sendThrough(opening, piecesOf(sealed.content, sealedCuts));
          expect(opened.error).toBeUndefined();
          expect(same(opened.content, content)).toBe(true);

          const sizes = sealed.chunks.slice(1).map((bytes) => bytes.length);
          expect(sizes.length).toBe(Math.max(1, Math.ceil(length / chunk)));
          expect(sizes.slice(0, -1).every((size) => size === chunk + 16)).toBe(true);
          expect(opened.chunks.slice(0, -1).every((bytes) => bytes.length === chunk)).toBe(true);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

const { cases, accepted_changes: changes, refusals } = vectors('envelope-v2');
const expectedOf = (id: string | null) => (id === null ? { anyKey: true as const } : { keyId: id });

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

async function expectBothWays(engine: Engine, vector: StreamCase): Promise<void> {
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

describe.each(engines)('the envelope, version 2, with $name', (engine) => {
  // The largest takes seconds in JavaScript alone.
  const inTime = cases.filter(({ ciphertext_length: length }) => length < 1 << 20 || engine !== engines[0]);
  test.each(runs(10) === 10 ? cases : inTime)(
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
    const opening = openFile(() => bytes(vector.dek), sourceOf(altered), options);
    const reading = opening.then((file) => file.read());
    // A file shows by its size what a stream shows by its chunks.
    await expect(reading).rejects.toMatchObject({
      name: expect.stringMatching(/^(?:Format|Decryption)Error$/),
    });
  });
});

const head = 26 + 78 + 32 + 32;

test.each([
  [1, 0, 0, 'the ciphertext was altered, or'],
  [2, 0, 1, 'the stream was cut short or altered after 65536 bytes'],
  [2, 16, 2, 'the stream is incomplete'],
  [2, 17, 2, 'the stream was cut short or altered after 131072 bytes'],
])(
  'of a stream cut after %i chunks and %i bytes, %i open, and it says where',
  async (chunks, more, open, message) => {
    const cut = (await seal(contentOf(3 * chunk))).subarray(0, head + chunks * (chunk + 16) + more);
    for (const engine of engines) {
      const { error, content } = await sendThrough(openStream(unwrap, { keyId, engine }), [cut]);
      expect(error).toMatchObject({ code: 'decryption', message: expect.stringContaining(message) });
      expect(same(content, contentOf(open * chunk))).toBe(true);
    }
  },
);

const anySize = fc.oneof(
  fc
    .tuple(fc.constantFrom(0, chunk, 2 * chunk, 3 * chunk), fc.integer({ min: -20, max: 20 }))
    .map(([base, more]) => Math.max(0, base + more)),
  fc.nat(2 ** 52),
);
const anyWrappedKey = fc.option(fc.integer({ min: 1, max: 2_048 }), { nil: undefined });

test.each([0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1])(
  '`ciphertextSize` returns the exact size of a stream of %d bytes',
  async (size) => {
    for (const length of [1, 78, 2_048]) {
      const wrapped = { keyId, keyVersion: 1, wrappedKey: new Uint8Array(length) };
      const stream = sealStream(() => wrapped, { engine: nodeEngine });
      const { content } = await sendThrough(stream, [new Uint8Array(size)]);
      expect(content.length).toBe(ciphertextSize(size, length));
    }
  },
);

test('`plaintextSize` is the inverse of `ciphertextSize`', () => {
  fc.assert(
    fc.property(anySize, anyWrappedKey, (size, wrappedKey) => {
      expect(plaintextSize(ciphertextSize(size, wrappedKey), wrappedKey)).toBe(size);
    }),
  );
});

test.each([0, head, head + 15, head + chunk + 16 + 1, head + chunk + 16 + 16, head + 2 * (chunk + 16) + 5])(
  'a ciphertext of %d bytes is refused, because no stream has this size',
  (size) => {
    expect(() => plaintextSize(size)).toThrow(FormatError);
  },
);

test.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53])(
  '`ciphertextSize` and `plaintextSize` refuse the invalid size %d',
  (size) => {
    expect(() => ciphertextSize(size)).toThrow(InputError);
    expect(() => plaintextSize(size)).toThrow(InputError);
  },
);

test.each([0, 2_049, 1.5])('a wrapped key of %d bytes is refused', (length) => {
  expect(() => ciphertextSize(1, length)).toThrow(InputError);
  expect(() => plaintextSize(1_000, length)).toThrow(InputError);
});
