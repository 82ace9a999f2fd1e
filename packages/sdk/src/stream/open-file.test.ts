import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chunk, contentOf, same, sendThrough, sourceOf } from '@eaas/test-kit/streams';
import { runs } from '@eaas/test-kit/cases';
import { observedClient } from '../../test/observed-client.ts';
import { DecryptionError } from '../index.ts';
import { encryptStream, type FileSource, openFile, SourceError } from './stream.ts';

const content = contentOf(9 * chunk + 77);
const { client, keyId } = await observedClient({ retries: 0 });
const sealed = Uint8Array.from((await sendThrough(encryptStream(client), [content])).content);
const small = Uint8Array.from((await sendThrough(encryptStream(client), [content.subarray(0, 9)])).content);

const store = {
  object: sealed,
  etag: '"1"' as string | undefined,
  ignoresRange: false,
  asked: [] as string[],
};
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const asUsual = (request: IncomingMessage, response: ServerResponse): void => {
  const { object, etag, ignoresRange } = store;
  store.asked.push(request.headers.range ?? '');
  const [, start = 0, last = 0] = (/^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []).map(Number);
  if (etag) response.setHeader('etag', etag);
  if (ignoresRange) return void response.end(object);
  if (start >= object.length) return void response.writeHead(416).end();
  const end = Math.min(last + 1, object.length);
  response.setHeader('content-range', `bytes ${start}-${end - 1}/${object.length}`);
  response.writeHead(206).end(object.subarray(start, end));
};
const server = createServer((request, response) => answer(request, response));
let url: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eaas-stream-'));
  await writeFile(join(folder, 'sealed'), sealed);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/object`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  answer = asUsual;
  Object.assign(store, { object: sealed, etag: '"1"', ignoresRange: false, asked: [] });
});

const sources: readonly [string, (use: (source: FileSource) => Promise<void>) => Promise<void>][] = [
  ['a Blob', (use) => use(new Blob([sealed]))],
  ['a URL', (use) => use(url)],
  ['a source of the app', (use) => use(sourceOf(sealed))],
  [
    'a file on disk',
    async (use) => {
      const handle = await open(join(folder, 'sealed'));
      try {
        await use(handle);
      } finally {
        await handle.close();
      }
    },
  ],
];

test.each(sources)('reading any part of %s returns the same part of the plaintext', async (_, withSource) => {
  await withSource(async (source) => {
    const file = await openFile(client, source, { keyId });
    expect(file.size).toBe(content.length);
    const anyPlace = fc.nat(content.length + 100);
    await fc.assert(
      fc.asyncProperty(anyPlace, anyPlace, async (a, b) => {
        const range = { start: Math.min(a, b), end: Math.max(a, b) };
        expect(same(await file.read(range), content.subarray(range.start, range.end))).toBe(true);
      }),
      { numRuns: runs(30) },
    );
    expect(same(await file.read(), content)).toBe(true);
    file.close();
  });
});

describe('openFile with a URL', () => {
  test('a read of an encrypted file at a URL requests each range once', async () => {
    const file = await openFile(client, url, { keyId });
    const start = sealed.length - chunk - 16;
    expect(store.asked).toEqual(['bytes=0-2137', `bytes=${start}-${sealed.length - 1}`]);
    await file.read({ start: 2 * chunk, end: 4 * chunk });
    expect(store.asked[2]).toBe(`bytes=${168 + 2 * (chunk + 16)}-${168 + 4 * (chunk + 16) - 1}`);
    store.asked.length = 0;
    store.object = small;
    const little = await openFile(client, url, { keyId });
    expect(same(await little.read(), content.subarray(0, 9))).toBe(true);
    expect(store.asked).toEqual(['bytes=0-2137']);
  });

  test.each([
    ['the whole object', 200, `bytes 0-2137/${sealed.length}`],
    ['no range', 206, undefined],
    ['another range', 206, 'bytes 5-2142/600000'],
    ['less than was asked for', 206, 'bytes 0-2136/600000'],
    ['an unknown size', 206, 'bytes 0-2137/*'],
    ['an error', 403, undefined],
  ])('a URL is refused if its server responds with %s', async (_, status, range) => {
    answer = (_request, response) => {
      if (range) response.setHeader('content-range', range);
      response.writeHead(status).end(new Uint8Array(2_138));
    };
    const opening = openFile(client, url, { keyId });
    await expect(opening).rejects.toMatchObject({ name: 'SourceError', code: 'source', status });
  });

  test('reading a URL stops if the server sends more than the requested part', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pulled > 100) throw new Error('read without end');
        controller.enqueue(new Uint8Array(chunk));
      },
    });
    const headers = { 'content-range': 'bytes 0-2137/600000' };
    const lying = async () => new Response(endless, { status: 206, headers });
    const opening = openFile(client, url, { keyId, fetch: lying });
    await expect(opening).rejects.toMatchObject({ code: 'source', status: 206 });
  });

  test('reading a URL throws SourceError if the object at the URL changed', async () => {
    const another = Uint8Array.from((await sendThrough(encryptStream(client), [content])).content);
    for (const change of [
      { etag: '"2"' },
      { object: another, etag: '"2"' },
      { object: sealed.subarray(0, -1) },
      { ignoresRange: true },
    ]) {
      Object.assign(store, { object: sealed, etag: '"1"', ignoresRange: false });
      const file = await openFile(client, url, { keyId });
      Object.assign(store, change);
      await expect(file.read({ end: 3 * chunk })).rejects.toBeInstanceOf(SourceError);
    }
    Object.assign(store, { object: sealed, etag: undefined, ignoresRange: false });
    const file = await openFile(client, url, { keyId });
    store.object = another;
    await expect(file.read({ end: 3 * chunk })).rejects.toBeInstanceOf(DecryptionError);
  });

  test('a URL is requested with the given headers', async () => {
    const seen: (string | undefined)[] = [];
    answer = (request, response) => {
      seen.push(request.headers.authorization);
      asUsual(request, response);
    };
    const headers = { authorization: 'Bearer store' };
    const file = await openFile(client, new URL(url), { keyId, headers });
    expect(seen).toEqual(['Bearer store', 'Bearer store']);
    const reason = new Error('enough');
    const reading = file.read({ signal: AbortSignal.abort(reason) });
    await expect(reading).rejects.toBe(reason);
    expect(seen).toHaveLength(2);
  });
});

test('reading a file on disk fails if it becomes shorter', async () => {
  const path = join(folder, 'shrinking');
  await writeFile(path, sealed);
  const handle = await open(path, 'r+');
  const file = await openFile(client, handle, { keyId });
  await handle.truncate(168 + 2 * (chunk + 16));
  expect(same(await file.read({ end: 2 * chunk }), content.subarray(0, 2 * chunk))).toBe(true);
  await expect(file.read({ end: 3 * chunk })).rejects.toBeInstanceOf(DecryptionError);
  await handle.close();
});

test('a file is closed at the end of a `using` block, and what is no file is refused', async () => {
  const file = await openFile(client, new Blob([sealed]), { keyId });
  file[Symbol.dispose]();
  await expect(file.read({ end: 9 })).rejects.toThrow('closed');
  for (const none of [undefined, null, {}, sealed, { size: 9 }, 'files/a.enc']) {
    await expect(openFile(client, none as never, { keyId })).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining(
        'a Blob, an open file (`await open(path)`), a URL, or an object with `size` and `read`',
      ) as string,
    });
  }
});
