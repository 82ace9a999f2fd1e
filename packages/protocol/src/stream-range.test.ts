import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { engines } from '../test/engines.ts';
import { keyService } from '../test/key-service.ts';
import { chunk, contentOf, piecesOf, same, sendThrough, sourceOf } from '@eaas/test-kit/streams';
import { runs } from '@eaas/test-kit/cases';
import { nodeEngine } from './engines/node.ts';
import { DecryptionError, InputError } from './errors.ts';
import { openFile, type RangeSource, sealStream } from './stream.ts';

const keyId = '00000000-0000-4000-8000-000000000002';
const { wrap, unwrap } = keyService(keyId);
const head = 168;
const options = { keyId, engine: nodeEngine };

const seal = async (content: Uint8Array): Promise<Uint8Array> =>
  (await sendThrough(sealStream(wrap, { engine: nodeEngine }), [content])).content;
const thrownBy = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const streamOf = (pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

const lengths = [0, 1, 300, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 77];
const files = await Promise.all(
  lengths.map(async (length) => {
    const content = contentOf(length);
    return { content, sealed: await seal(content) };
  }),
);
const largest = files.at(-1) ?? { content: contentOf(0), sealed: contentOf(0) };
const anyFile = fc.constantFrom(...files);
const anyPlace = fc.oneof(
  fc
    .tuple(fc.nat(4), fc.integer({ min: -2, max: 2 }))
    .map(([index, more]) => Math.max(0, index * chunk + more)),
  fc.nat(4 * chunk),
);
const anyRange = fc
  .tuple(anyPlace, anyPlace)
  .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));

describe('a file', () => {
  test('an opened encrypted file keeps its size if the source grows', async () => {
    const { content, sealed } = largest;
    let size = sealed.length;
    const growing = { ...sourceOf(Uint8Array.from([...sealed, 0])), get: () => size };
    Object.defineProperty(growing, 'size', growing);
    const file = await openFile(unwrap, growing, options);
    size += 1;
    expect(same(await file.read({ start: 3 * chunk }), content.subarray(3 * chunk))).toBe(true);
  });

  test('reading a range of an encrypted file returns the plaintext of this range', async () => {
    const anyCuts = fc.array(fc.nat(3 * chunk), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(anyFile, anyRange, fc.constantFrom(...engines.slice(1)), fc.option(anyCuts)),
        async ([{ content, sealed }, range, engine, cuts]) => {
          const asked: number[] = [];
          const file = await openFile(
            unwrap,
            {
              size: sealed.length,
              async read(start, end) {
                asked.push(end - start);
                const part = sealed.subarray(start, end);
                return cuts ? streamOf(piecesOf(part, cuts)) : part;
              },
            },
            { keyId, engine },
          );
          expect(file.size).toBe(content.length);
          asked.length = 0;
          expect(same(await file.read(range), content.subarray(range.start, range.end))).toBe(true);
          const most = range.end - range.start + 2 * (chunk + 16);
          expect(asked.length).toBeLessThanOrEqual(1);
          expect(asked.every((length) => length <= most + 64)).toBe(true);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test('`read` without a range returns the whole file, and `stream` returns it in chunks', async () => {
    const file = await openFile(unwrap, sourceOf(largest.sealed), options);
    expect(same(await file.read(), largest.content)).toBe(true);
    const sizes: number[] = [];
    for await (const piece of file.stream({ start: 10 })) sizes.push(piece.length);
    expect(sizes).toEqual([chunk - 10, chunk, chunk, 77]);
  });

  test('reading a range fails only if the range includes an altered chunk', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(largest.sealed.length - head - 1), anyRange, async (place, range) => {
        const altered = Uint8Array.from(largest.sealed);
        const file = await openFile(unwrap, sourceOf(altered), options);
        altered.set([(altered[head + place] ?? 0) ^ 1], head + place);
        const index = Math.floor(place / (chunk + 16));
        const end = Math.min(range.end, largest.content.length);
        const touched = range.start < end && range.start < (index + 1) * chunk && end > index * chunk;
        const out = await thrownBy(file.read(range));
        expect(out instanceof DecryptionError).toBe(touched);
        const expected = largest.content.subarray(range.start, end);
        expect(touched || same(out as Uint8Array, expected)).toBe(true);
      }),
      { numRuns: runs(100) },
    );
  });

  test('reading an encrypted file fails if its source returns fewer or more bytes than requested', async () => {
    let change = 0;
    const source: RangeSource = {
      size: largest.sealed.length,
      read: (start, end) => largest.sealed.subarray(start, end + change),
    };
    const file = await openFile(unwrap, source, options);
    for (const missing of [1, chunk + 16, 2 * (chunk + 16)]) {
      change = -missing;
      const reading = file.read({ end: 2 * chunk });
      await expect(reading).rejects.toBeInstanceOf(DecryptionError);
      await expect(reading).rejects.toThrow('the stream is incomplete');
    }
    change = 1;
    await expect(file.read({ end: 2 * chunk })).rejects.toBeInstanceOf(InputError);
  });

  test('opening a file reads at most twice, and needs a key to expect', async () => {
    const read = vi.fn<RangeSource['read']>((start, end) => largest.sealed.subarray(start, end));
    const source = { size: largest.sealed.length, read };
    await openFile(unwrap, source, options);
    expect(read.mock.calls.length).toBe(2);
    await expect(openFile(unwrap, source, { keyId: [] })).rejects.toBeInstanceOf(InputError);
  });

  test('reading a file throws the errors of its source and signal unchanged', async () => {
    const reason = new Error('gone');
    const failing: RangeSource = { size: 1_000, read: () => Promise.reject(reason) };
    await expect(openFile(unwrap, failing, options)).rejects.toBe(reason);
    let cancelled: unknown;
    let stuck = false;
    const source: RangeSource = {
      size: largest.sealed.length,
      read: (start, end) =>
        stuck
          ? new ReadableStream({
              cancel: (given) => {
                cancelled = given;
              },
            })
          : largest.sealed.subarray(start, end),
    };
    const file = await openFile(unwrap, source, options);
    stuck = true;
    const controller = new AbortController();
    const reading = thrownBy(file.read({ signal: controller.signal }));
    await new Promise(setImmediate);
    controller.abort(reason);
    expect(await reading).toBe(reason);
    await expect.poll(() => cancelled).toBe(reason);
  });

  test('an encrypted file cannot be read after it was closed', async () => {
    const file = await openFile(unwrap, sourceOf(largest.sealed), options);
    const started = file.stream({ end: 0 });
    file.close();
    await expect(file.read({ end: 5 })).rejects.toBeInstanceOf(InputError);
    await expect(file.read({ end: 0 })).rejects.toBeInstanceOf(InputError);
    await expect(started.getReader().read()).rejects.toBeInstanceOf(InputError);
  });

  test.each([0, 5])('reading %i bytes of a file fails if the signal was aborted before', async (end) => {
    const file = await openFile(unwrap, sourceOf(largest.sealed), options);
    const reason = new Error('enough');
    expect(await thrownBy(file.read({ end, signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  test.each([{ start: -1 }, { start: 0.5 }, { start: 3, end: 2 }, { end: Number.NaN }])(
    'reading the invalid range %j of an encrypted file is refused',
    async (range) => {
      const file = await openFile(unwrap, sourceOf(largest.sealed), options);
      await expect(file.read(range)).rejects.toBeInstanceOf(InputError);
      expect(() => file.stream(range)).toThrow(InputError);
    },
  );
});

describe('an altered file', () => {
  const chunkAt = (index: number): number => head + index * (chunk + 16);

  test('is refused after bytes were appended or its last chunk was replaced', async () => {
    const other = await seal(largest.content);
    const cutAt = chunkAt(3);
    for (const altered of [
      Buffer.concat([largest.sealed, new Uint8Array(1)]),
      Buffer.concat([largest.sealed, largest.sealed.subarray(cutAt)]),
      Buffer.concat([largest.sealed.subarray(0, cutAt), other.subarray(cutAt)]),
    ]) {
      await expect(openFile(unwrap, sourceOf(altered), options)).rejects.toBeInstanceOf(DecryptionError);
    }
  });

  test('refuses chunks that were swapped, repeated or taken from another file', async () => {
    const other = await seal(largest.content);
    for (const [at, from, index] of [
      [0, largest.sealed, 1],
      [1, largest.sealed, 0],
      [2, largest.sealed, 1],
      [1, other, 1],
    ] as const) {
      const altered = Uint8Array.from(largest.sealed);
      altered.set(from.subarray(chunkAt(index), chunkAt(index + 1)), chunkAt(at));
      const file = await openFile(unwrap, sourceOf(altered), options);
      const reading = file.read({ start: at * chunk, end: at * chunk + 1 });
      await expect(reading).rejects.toBeInstanceOf(DecryptionError);
    }
  });
});
