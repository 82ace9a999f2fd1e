import type { Wrap } from '@eaas/protocol';
import {
  ciphertextSize,
  maxHeadLength,
  parseStreamHead,
  plaintextSize,
  sealStream,
} from '@eaas/protocol/stream';
import {
  type DecryptStreamOptions,
  type EncryptStreamOptions,
  type StreamClient,
  streamOptions,
} from './options.ts';
import { decryptStream, wrapBy } from './streams.ts';

/** A stream whose size is known before it is read. */
export interface SizedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** In bytes: for Content-Length, or for a store that asks beforehand. */
  readonly size: number;
}

/**
 * Encrypts a Blob or a File, however large, without taking it into memory. Throws EaasError when the service refuses;
 * later the stream fails as that of encryptStream.
 */
export async function encryptBlob(
  client: StreamClient,
  blob: Blob,
  options: EncryptStreamOptions = {},
): Promise<SizedStream> {
  const wrapping = wrapBy(client, options);
  let answer: (wrappedKeyLength: number) => void;
  const answered = new Promise<number>((resolve) => (answer = resolve));
  const wrap: Wrap = async (dek) => {
    const wrapped = await wrapping(dek);
    answer(wrapped.wrappedKey.length);
    return wrapped;
  };
  const sealing = sealStream(wrap, streamOptions(client, { total: blob.size, ...options }));
  const writer = sealing.writable.getWriter();
  // Closed means failed here: nothing has closed it.
  const wrappedKeyLength = await Promise.race([answered, writer.closed]);
  writer.releaseLock();
  return {
    stream: blob.stream().pipeThrough(sealing),
    size: ciphertextSize(blob.size, wrappedKeyLength ?? undefined),
  };
}

/**
 * Decrypts a Blob or a File, however large, without taking it into memory. Throws FormatError when it is no stream. The
 * size is what the Blob's own size says; a Blob that was cut has a wrong one, and its stream fails.
 */
export async function decryptBlob(
  client: StreamClient,
  blob: Blob,
  options: DecryptStreamOptions = {},
): Promise<SizedStream> {
  const start = new Uint8Array(await blob.slice(0, maxHeadLength).arrayBuffer());
  const size = plaintextSize(blob.size, parseStreamHead(start).wrappedKey.length);
  const opening = decryptStream(client, { total: size, ...options });
  return { stream: blob.stream().pipeThrough(opening), size };
}
