import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { chunk, contentOf, same, sendThrough } from '@eaas/test-kit/streams';
import { bytesOf, observedClient } from '../../test/observed-client.ts';
import { DecryptionError, EaasClient, EaasError, FormatError, InputError } from '../index.ts';
import {
  ciphertextSize,
  decryptBlob,
  decryptStream,
  encryptBlob,
  encryptStream,
  type StreamProgress,
  rewrapHead,
} from './stream.ts';

const world = () => observedClient({ retries: 0 });

describe('encryptStream and decryptStream', () => {
  test("a stream is decrypted under the client's key or under a key that the caller passes", async () => {
    const { client, service, keyId } = await world();
    const { key_id: other } = await service.createKey('others');
    const content = contentOf(2 * chunk + 9);
    const contexts = { context: { file: '1' }, wrapContext: { owner: 'ada' } };
    for (const options of [{}, contexts, { keyId: other }, { keyId: other, ...contexts }]) {
      const sealed = await sendThrough(encryptStream(client, options), [content]);
      const opened = await sendThrough(decryptStream(client, { keyId, ...options }), [sealed.content]);
      expect(opened.error).toBeUndefined();
      expect(same(opened.content, content)).toBe(true);
      expect(sealed.content.length).toBe(ciphertextSize(content.length));
    }
  });

  test('decryptStream fails for a wrong or missing key or a wrong context', async () => {
    const { client, service, keyId } = await world();
    const nameless = new EaasClient(service);
    const { content } = await sendThrough(encryptStream(client, { wrapContext: { owner: 'ada' } }), [
      contentOf(9),
    ]);
    const { key_id: other } = await service.createKey('others');
    const wrapContext = { owner: 'ada' };
    for (const [by, options, kind] of [
      [client, { keyId: other, wrapContext }, DecryptionError],
      [client, { wrapContext, context: { file: '1' } }, DecryptionError],
      [client, { keyId, wrapContext: { owner: 'eve' } }, DecryptionError],
      [nameless, { wrapContext }, InputError],
    ] as const) {
      const { error, chunks } = await sendThrough(decryptStream(by, options), [content]);
      expect(error).toBeInstanceOf(kind);
      expect(chunks).toEqual([]);
    }
    const opened = await sendThrough(decryptStream(nameless, { anyKey: true, wrapContext }), [content]);
    expect(opened.content.length).toBe(9);
  });

  test('a stream fails with the error of the service', async () => {
    const { client, service } = await world();
    service.failNext('unavailable');
    const { error } = await sendThrough(encryptStream(client), [contentOf(9)]);
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(error).toBeInstanceOf(EaasError);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(service.apiKey);
  });

  test('a stream fails with the abort reason of its signal', async () => {
    const { client, keyId } = await world();
    const reason = new Error('enough');
    const controller = new AbortController();
    const onProgress = ({ bytes }: StreamProgress) => bytes > 0 && controller.abort(reason);
    const { signal } = controller;
    const sealed = await sendThrough(encryptStream(client, { signal, onProgress }), [contentOf(5 * chunk)]);
    expect(sealed.error).toBe(reason);
    const { content } = await sendThrough(encryptStream(client), [contentOf(9)]);
    const opened = await sendThrough(decryptStream(client, { keyId, signal }), [content]);
    expect(opened.error).toBe(reason);
  });
});

describe('encryptBlob and decryptBlob', () => {
  test.each([0, 9, chunk, 2 * chunk + 1])(
    'the sizes of an encrypted Blob of %d bytes are known before reading',
    async (length) => {
      const { client, keyId } = await world();
      const seen: StreamProgress[] = [];
      const onProgress = (progress: StreamProgress) => void seen.push(progress);
      const sealed = await encryptBlob(client, new Blob([contentOf(length)]), { onProgress });
      const bytes = await bytesOf(sealed.stream);
      expect(bytes.length).toBe(sealed.size);
      expect(seen.at(-1)).toEqual({ bytes: length, total: length });
      const opened = await decryptBlob(client, new Blob([new Uint8Array(bytes)]), { keyId });
      expect(opened.size).toBe(length);
      expect(same(await bytesOf(opened.stream), contentOf(length))).toBe(true);
    },
  );

  test('a Blob stays unread if its encryption cannot begin', async () => {
    const { client, service } = await world();
    const blob = new Blob(['content']);
    service.failNext('unavailable');
    const { signal } = new AbortController();
    await expect(encryptBlob(client, blob, { signal })).rejects.toMatchObject({ code: 'unavailable' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await expect(encryptBlob(client, blob, { context: { '': '' } })).rejects.toBeInstanceOf(InputError);
    const reason = new Error('enough');
    await expect(encryptBlob(client, blob, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('a Blob that is not an encrypted stream is refused before reading', async () => {
    const { client, keyId } = await world();
    await expect(decryptBlob(client, new Blob(['no stream']), { keyId })).rejects.toBeInstanceOf(FormatError);
    const { stream } = await encryptBlob(client, new Blob([contentOf(2 * chunk)]));
    const cut = (await bytesOf(stream)).slice(0, -chunk - 16);
    const opened = await decryptBlob(client, new Blob([cut]), { keyId });
    expect(opened.size).toBe(chunk);
    await expect(bytesOf(opened.stream)).rejects.toBeInstanceOf(DecryptionError);
  });
});

describe('rewrapHead', () => {
  test('rewrapping changes only the header of a stream', async () => {
    const { client, keyId } = await world();
    const content = contentOf(2 * chunk + 9);
    const context = { file: '1' };
    const sealed = (await sendThrough(encryptStream(client, { context }), [content])).content;
    const unchanged = await rewrapHead(client, sealed);
    expect(unchanged).toMatchObject({ rewrapped: false, keyVersion: 1, replaces: 168 });
    expect(same(unchanged.head, sealed.subarray(0, 168))).toBe(true);

    await client.keys.rotate(keyId);
    const moved = await rewrapHead(client, sealed.subarray(0, 200));
    expect(moved).toMatchObject({ rewrapped: true, keyVersion: 2, replaces: 168 });
    expect(same(moved.head, sealed.subarray(0, 168))).toBe(false);
    const stored = [moved.head, sealed.subarray(moved.replaces)];
    const opened = await sendThrough(decryptStream(client, { keyId, context }), stored);
    expect(same(opened.content, content)).toBe(true);
  });

  test('rewrapping refuses bytes that are not an encrypted stream', async () => {
    const { client, service } = await world();
    const sealed = (await sendThrough(encryptStream(client), [contentOf(9)])).content;
    await expect(rewrapHead(client, sealed.subarray(0, 100))).rejects.toBeInstanceOf(FormatError);
    const value = await client.encrypt('a value', { as: 'bytes' });
    await expect(rewrapHead(client, value)).rejects.toBeInstanceOf(FormatError);
    service.failNext('unavailable');
    await expect(rewrapHead(client, sealed)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
