import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { engines } from '../test/engines.ts';
import { keyService } from '../test/key-service.ts';
import { chunk, contentOf, same, sendThrough, sourceOf } from '@eaas/test-kit/streams';
import type { Engine } from './engines/engine.ts';
import { nodeEngine } from './engines/node.ts';
import { webCryptoEngine } from './engines/webcrypto.ts';
import { DecryptionError } from './errors.ts';
import type { Unwrap } from './seal.ts';
import { openFile, openStream, sealStream } from './stream.ts';
import { joinEnds } from './stream-ends.ts';

const keyId = '00000000-0000-4000-8000-000000000002';
const { wrap, unwrap } = keyService(keyId);
const content = contentOf(3 * chunk + 9);
const reason = new Error('enough');

function watched(engine: Engine = nodeEngine) {
  const seen = { keys: 0, chunks: 0 };
  const spy: Engine = {
    ...engine,
    importKey(key) {
      seen.keys++;
      return engine.importKey(key);
    },
    encrypt(...all) {
      seen.chunks++;
      return engine.encrypt(...all);
    },
    decrypt(...all) {
      seen.chunks++;
      return engine.decrypt(...all);
    },
    wipe(key) {
      seen.keys--;
      engine.wipe(key);
    },
  };
  return { seen, engine: spy };
}

type Through = (engine: Engine, signal?: AbortSignal) => TransformStream<Uint8Array, Uint8Array>;
const sealed = (await sendThrough(sealStream(wrap, { engine: nodeEngine }), [content])).content;
const directions: readonly [string, Through, Uint8Array][] = [
  ['sealing', (engine, signal) => sealStream(wrap, { engine, signal }), content],
  ['opening', (engine, signal) => openStream(unwrap, { keyId, engine, signal }), sealed],
];

describe.each(directions)('%s a stream', (_, through, input) => {
  test('each chunk of a stream has separate memory and can move to another thread', async () => {
    const { chunks } = await sendThrough(through(nodeEngine), [input]);
    expect(new Set(chunks.map(({ buffer }) => buffer)).size).toBe(chunks.length);
  });

  test('the data key is wiped when the stream ends', async () => {
    const { engine, seen } = watched();
    await sendThrough(through(engine), [input]);
    expect(seen).toEqual({ keys: 0, chunks: 4 });
  });

  test('if the reader cancels a stream, the data key is wiped and the writer fails', async () => {
    const { engine, seen } = watched();
    const { readable, writable } = through(engine);
    const writer = writable.getWriter();
    const written = writer.write(input).catch((error: unknown) => error);
    const reader = readable.getReader();
    await reader.read();
    await reader.cancel(reason);
    expect(await written).toBe(reason);
    await expect(writer.closed).rejects.toBe(reason);
    expect(seen.keys).toBe(0);
    expect(seen.chunks).toBeLessThan(4);
  });

  test('if the writer aborts a stream, the data key is wiped and the reader fails', async () => {
    const { engine, seen } = watched();
    const { readable, writable } = through(engine);
    const writer = writable.getWriter();
    const written = writer.write(input.subarray(0, 1_000));
    await written;
    await writer.abort(reason);
    await expect(readable.getReader().read()).rejects.toBe(reason);
    expect(seen.keys).toBe(0);
  });

  test('an aborted signal wipes the data key and fails both ends of the stream', async () => {
    const { engine, seen } = watched();
    const controller = new AbortController();
    const { readable, writable } = through(engine, controller.signal);
    const writer = writable.getWriter();
    const written = writer.write(input).catch((error: unknown) => error);
    const reader = readable.getReader();
    await reader.read();
    controller.abort(reason);
    expect(await written).toBe(reason);
    await expect(reader.read()).rejects.toBe(reason);
    await expect(writer.closed).rejects.toBe(reason);
    expect(seen.keys).toBe(0);
  });

  test('a stream does no work if its signal is already aborted', async () => {
    const { error, chunks } = await sendThrough(through(nodeEngine, AbortSignal.abort(reason)), [input]);
    expect(error).toBe(reason);
    expect(chunks).toEqual([]);
  });

  test('the data key is wiped when the stream fails', async () => {
    const { engine, seen } = watched();
    const nonsense = 'text' as unknown as Uint8Array;
    const { error } = await sendThrough(through(engine), [input, nonsense]);
    expect(error).toBeInstanceOf(TypeError);
    expect(seen.keys).toBe(0);

    // The key must be wiped even if nobody reads the stream.
    const { writable } = through(engine);
    const writer = writable.getWriter();
    await writer.write(input.subarray(0, 1_000));
    await expect(writer.write(nonsense)).rejects.toBeInstanceOf(TypeError);
    expect(seen.keys).toBe(0);
  });

  test.each(engines)(
    "with $name, the stream does not use the writer's memory after a write has resolved",
    async (engine) => {
      const { readable, writable } = through(engine);
      const all = new Response(readable).arrayBuffer();
      const writer = writable.getWriter();
      const buffer = new Uint8Array(70_000);
      for (let at = 0; at < input.length; at += buffer.length) {
        const piece = input.subarray(at, at + buffer.length);
        buffer.set(piece);
        await writer.write(buffer.subarray(0, piece.length));
        buffer.fill(0xee);
      }
      await writer.close();
      const out = new Uint8Array(await all);
      const opened =
        input === sealed ? out : (await sendThrough(openStream(unwrap, { keyId }), [out])).content;
      expect(same(opened, content)).toBe(true);
    },
  );

  test('the stream waits for the reader, even within one very long write', async () => {
    // Asynchronous, and done in the same turn, so that nothing is left to do at the next one.
    const { engine, seen } = watched({
      ...nodeEngine,
      encrypt: async (...all) => nodeEngine.encrypt(...all),
      decrypt: async (...all) => nodeEngine.decrypt(...all),
    });
    const { readable, writable } = through(engine);
    const large = Buffer.concat([input, new Uint8Array(20 * chunk)]);
    writable
      .getWriter()
      .write(large)
      .catch(() => undefined);
    const reader = readable.getReader();
    // An asynchronous engine works on some chunks at the same time.
    for (let taken = 1; taken < 4; taken++) {
      await reader.read();
      await new Promise(setImmediate);
      expect(seen.chunks).toBeLessThanOrEqual(taken + 4);
    }
    expect(seen.chunks).toBeGreaterThan(4);
    await reader.cancel();
  });
});

test.each([
  ['ends', (writer: WritableStreamDefaultWriter) => writer.close()],
  ['is aborted', (writer: WritableStreamDefaultWriter) => writer.abort(reason)],
  ['fails', (writer: WritableStreamDefaultWriter) => writer.write('text').catch(() => undefined)],
])('the plaintext that a stream buffers is overwritten when the stream %s', async (_, end) => {
  const buffers: Uint8Array[] = [];
  const work = (bytes: Uint8Array) => (buffers.push(bytes), bytes.slice());
  const { readable, writable } = joinEnds({ chunkLength: 4, chunk: work });
  const reading = new Response(readable).arrayBuffer().catch(() => undefined);
  const writer = writable.getWriter();
  writer.closed.catch(() => undefined);
  await writer.write(Uint8Array.of(1, 2, 3));
  await writer.write(Uint8Array.of(4, 5));
  expect(buffers[0]?.some((byte) => byte !== 0)).toBe(true);
  await end(writer);
  expect(buffers[0]).toEqual(new Uint8Array(4));
  await reading;
});

test.each([
  [
    'a stream',
    'context',
    (given: Unwrap, engine: Engine) =>
      sendThrough(openStream(given, { keyId, engine, context: { row: '1' } }), [sealed]).then(
        ({ error }) => error,
      ),
  ],
  [
    'a file',
    'context',
    (given: Unwrap, engine: Engine) =>
      openFile(given, sourceOf(sealed), { keyId, engine, context: { row: '1' } }),
  ],
  [
    'a file',
    'last chunk',
    (given: Unwrap, engine: Engine) =>
      openFile(given, sourceOf(sealed.with(sealed.length - 1, (sealed.at(-1) ?? 0) ^ 1)), { keyId, engine }),
  ],
])('if %s has another %s, the data key is wiped', async (_, __, opening) => {
  const { engine, seen } = watched();
  const deks: Uint8Array[] = [];
  const remember: Unwrap = async (wrapped) => {
    const dek = (await unwrap(wrapped)) as Uint8Array;
    deks.push(dek);
    return dek;
  };
  const error = await Promise.resolve(opening(remember, engine)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DecryptionError);
  expect(deks).toEqual([new Uint8Array(32)]);
  expect(seen.keys).toBe(0);
});

test('any number of streams add one listener to their signal, and an abort fails each that is still open', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const open = Array.from({ length: 12 }, () => sealStream(wrap, { engine: nodeEngine, signal }));
  const ended = open.map(({ readable }) => new Response(readable).arrayBuffer());
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  const [first] = open;
  await first?.writable.getWriter().close();
  await ended[0];
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  controller.abort(reason);
  const errors = await Promise.all(ended.slice(1).map((end) => end.catch((error: unknown) => error)));
  expect(errors).toEqual(Array.from({ length: 11 }, () => reason));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('the data key is wiped only after every chunk is encrypted', async () => {
  let slow = 1;
  let active = 0;
  let activeWhenWiped = -1;
  const engine: Engine = {
    ...webCryptoEngine,
    async encrypt(...all) {
      active++;
      await webCryptoEngine.encrypt(...(all as Parameters<typeof webCryptoEngine.encrypt>));
      if (slow-- > 0) await new Promise((resolve) => setTimeout(resolve, 50));
      active--;
    },
    wipe: () => {
      activeWhenWiped = active;
    },
  };
  const out = await sendThrough(sealStream(wrap, { engine }), [content]);
  expect(out.error).toBeUndefined();
  expect(activeWhenWiped).toBe(0);
});

test.each(engines)(
  'with $name, closing a stream fails if the encryption of any chunk fails',
  async (engine) => {
    const bytes = Uint8Array.from(sealed);
    const at = 168 + 2 * (chunk + 16);
    bytes.set([(bytes[at] ?? 0) ^ 1], at);
    const { readable, writable } = openStream(unwrap, { keyId, engine });
    const reading = new Response(readable).arrayBuffer().catch((error: unknown) => error);
    const writer = writable.getWriter();
    const writing = writer.write(bytes).catch(() => undefined);
    await expect(writer.close()).rejects.toBeInstanceOf(DecryptionError);
    await writing;
    expect(await reading).toBeInstanceOf(DecryptionError);
  },
);

test('a data key that arrives after a stream was cancelled is wiped without use', async () => {
  const { engine, seen } = watched();
  let answer: (wrapped: ReturnType<typeof wrap>) => void = () => undefined;
  let dek = new Uint8Array(0);
  const { readable } = sealStream(
    (given) => {
      dek = given as typeof dek;
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    { engine },
  );
  await readable.cancel(reason);
  answer(await wrap(dek));
  await expect.poll(() => dek.every((byte) => byte === 0)).toBe(true);
  await expect.poll(() => seen.keys).toBe(0);
});

test('`onProgress` gets the number of plaintext bytes so far, and the stream fails with what it throws', async () => {
  for (const engine of [nodeEngine, webCryptoEngine]) {
    const seen: number[] = [];
    const opened: number[] = [];
    const options = { keyId, engine };
    const out = await sendThrough(
      sealStream(wrap, { ...options, onProgress: (bytes) => void seen.push(bytes) }),
      [content],
    );
    await sendThrough(openStream(unwrap, { ...options, onProgress: (bytes) => void opened.push(bytes) }), [
      out.content,
    ]);
    expect(seen).toEqual([0, chunk, 2 * chunk, 3 * chunk, content.length]);
    expect(opened).toEqual(seen.slice(1));
  }
  const throwing = (): never => {
    throw reason;
  };
  const { error } = await sendThrough(sealStream(wrap, { onProgress: throwing }), [content]);
  expect(error).toBe(reason);
});
