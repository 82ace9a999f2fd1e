// Encrypts and decrypts streams, Blobs and files, with the keys, the engine and the halves of a client.
import type { ExpectedKey, Wrap, Wrapped } from '@eaas/protocol';
import { having, number, type OptionRules, requireKind, requireOptions } from '@eaas/protocol/internal';
import { openFile as open, openStream, sealStream } from '@eaas/protocol/internal-stream';
import {
  ciphertextSize,
  type EncryptedFile,
  maxHeadLength,
  parseStreamHead,
  plaintextSize,
} from '@eaas/protocol/stream';
import { type DecryptOptions, decryptOptions } from '../client/decrypt.ts';
import type { EncryptOptions } from '../client/encrypt.ts';
import { type WrapOptions, wrapOptions } from '../data-keys/calls.ts';
import { inside } from '../client/inside.ts';
import { type StreamClient, type StreamWriter, unwrapBy, wrapBy } from './wrapping.ts';
import { aBlob, type FileSource, sourceOf, type UrlSourceOptions } from './sources.ts';

/** How many bytes of plaintext a stream has processed. */
export interface StreamProgress {
  readonly bytes: number;
  /** The size of the plaintext in bytes, if it is known. */
  readonly total?: number | undefined;
}

interface Progressing extends Pick<StreamProgress, 'total'> {
  /** Called for each chunk, with `total` too. If this function throws, the stream fails with the same error. */
  readonly onProgress?: ((progress: StreamProgress) => void) | undefined;
}

/** Options for encrypting a stream. */
export interface EncryptStreamOptions extends WrapOptions, Progressing, Pick<EncryptOptions, 'context'> {}

type OpenOptions = Omit<DecryptOptions, 'as'>;

/** Options of `openFile`. Without `fetch` and `headers`, a URL is requested as the platform's `fetch` does it. */
export interface OpenFileOptions extends OpenOptions, UrlSourceOptions {}

/** Options for decrypting a stream. */
export interface DecryptStreamOptions extends OpenOptions, Progressing {}

const progressing: OptionRules<Progressing> = { onProgress: 'callback', total: number };
const encryptStreamOptions: OptionRules<EncryptStreamOptions> = {
  ...wrapOptions,
  ...progressing,
  context: 'object',
};
const { as: _, ...openOptions } = decryptOptions;
const openFileOptions: OptionRules<OpenFileOptions> = {
  ...openOptions,
  fetch: 'callback',
  headers: 'anything',
};
const decryptStreamOptions: OptionRules<DecryptStreamOptions> = { ...openOptions, ...progressing };

type ByteTransform = TransformStream<Uint8Array, Uint8Array>;

/**
 * Encrypts a stream of any length in constant memory, under a data key for this stream alone. Immediately asks the
 * service to wrap the data key. The stream fails with EaasError if the service refuses, and with the signal's reason if
 * the signal aborts.
 *
 * @example
 * ```ts
 * import { encryptStream } from '@eaas/sdk/stream';
 *
 * const body = upload.stream().pipeThrough(encryptStream(eaas, { context: { document: '17' } }));
 * const stored = await new Response(body).blob(); // or a file, or the body of a request
 * ```
 */
export function encryptStream(client: StreamWriter, options: EncryptStreamOptions = {}): ByteTransform {
  checkCall(client, 'wrap', encryptStreamOptions, options, 'encryptStream');
  return sealStream(wrapBy(client, options), streamOptions(client, options));
}

/**
 * Decrypts a stream in constant memory. Every chunk is authenticated, but the output is complete only if the stream
 * ends without an error. Fails with FormatError for input that is not an encrypted stream, with DecryptionError if
 * decryption fails, and with EaasError if the service refuses.
 *
 * @example
 * ```ts
 * import { decryptStream, encryptStream } from '@eaas/sdk/stream';
 *
 * const stored = new Blob(['a long text']).stream().pipeThrough(encryptStream(eaas));
 * const text = await new Response(stored.pipeThrough(decryptStream(eaas))).text();
 * console.log(text); // a long text
 * ```
 */
export function decryptStream(client: StreamClient, options: DecryptStreamOptions = {}): ByteTransform {
  checkCall(client, 'unwrap', decryptStreamOptions, options, 'decryptStream');
  return openStream(unwrapBy(client, options), openingOptions(client, options));
}

/** A stream whose size is known before it is read. */
export interface SizedStream {
  readonly stream: ReadableStream<Uint8Array>;
  /** The size in bytes, for example for Content-Length. */
  readonly size: number;
}

/**
 * Encrypts a Blob or a File of any size in constant memory. Throws EaasError if the service refuses. The returned
 * stream can fail with the errors of `encryptStream`.
 *
 * @example
 * ```ts
 * import { encryptBlob } from '@eaas/sdk/stream';
 *
 * const { stream, size } = await encryptBlob(eaas, upload, { context: { document: '17' } });
 * const stored = await new Response(stream).blob();
 * console.log(stored.size === size); // true
 * ```
 */
export async function encryptBlob(
  client: StreamWriter,
  blob: Blob,
  options: EncryptStreamOptions = {},
): Promise<SizedStream> {
  checkCall(client, 'wrap', encryptStreamOptions, options, 'encryptBlob');
  requireKind(aBlob, blob, 'the second argument');
  const wrapping = wrapBy(client, options);
  let resolve: (wrapped: Wrapped) => void;
  const isWrapped = new Promise<Wrapped>((done) => {
    resolve = done;
  });
  const wrap: Wrap = async (dek) => {
    const wrapped = await wrapping(dek);
    resolve(wrapped);
    return wrapped;
  };
  const sealing = sealStream(wrap, streamOptions(client, { total: blob.size, ...options }));
  const writer = sealing.writable.getWriter();
  // Waits for the wrapped key, because the size of the ciphertext depends on the length of the wrapped key.
  // `writer.closed` ends the wait with an error if the service refuses to wrap the data key.
  const wrapped = await Promise.race([isWrapped, writer.closed]).catch(async (error: unknown) => {
    // Nobody will read the stream, so it must not wait for the signal.
    await sealing.readable.cancel(error).catch(() => undefined);
    throw error;
  });
  writer.releaseLock();
  const size = ciphertextSize(blob.size, wrapped?.wrappedKey.length);
  return { stream: blob.stream().pipeThrough(sealing), size };
}

/**
 * Decrypts a Blob or a File of any size in constant memory. Throws FormatError if the Blob is not an encrypted stream.
 * The returned `size` is not authenticated: if the Blob was truncated, `size` is wrong and the stream fails.
 *
 * @example
 * ```ts
 * import { decryptBlob, encryptBlob } from '@eaas/sdk/stream';
 *
 * const stored = await new Response((await encryptBlob(eaas, new Blob(['a scan']))).stream).blob();
 * const { stream } = await decryptBlob(eaas, stored);
 * console.log(await new Response(stream).text()); // a scan
 * ```
 */
export async function decryptBlob(
  client: StreamClient,
  blob: Blob,
  options: DecryptStreamOptions = {},
): Promise<SizedStream> {
  checkCall(client, 'unwrap', decryptStreamOptions, options, 'decryptBlob');
  requireKind(aBlob, blob, 'the second argument');
  const start = new Uint8Array(await blob.slice(0, maxHeadLength).arrayBuffer());
  const size = plaintextSize(blob.size, parseStreamHead(start).wrappedKey.length);
  const opening = decryptStream(client, { total: size, ...options });
  return { stream: blob.stream().pipeThrough(opening), size };
}

/**
 * Opens an encrypted Blob, file or object at a URL, to decrypt any part of it. Unwraps the data key and reads the last
 * chunk, so the size is authenticated and a truncated stream is refused. Throws FormatError, DecryptionError, EaasError,
 * and SourceError for a server that does not answer range requests. Close the returned object after use, and an open file
 * when you no longer read from it.
 *
 * If a page reads from a server of another origin, this server must list Content-Range in the header
 * Access-Control-Expose-Headers. This list should also contain ETag. Without ETag, a changed object of the same length is
 * not recognized.
 *
 * @example
 * ```ts
 * import { encryptBlob, openFile } from '@eaas/sdk/stream';
 *
 * const stored = await new Response((await encryptBlob(eaas, new Blob(['0123456789']))).stream).blob();
 * const file = await openFile(eaas, stored); // or a file handle, or a URL
 * console.log(new TextDecoder().decode(await file.read({ start: 3, end: 6 }))); // 345
 * file.close();
 * ```
 */
export async function openFile(
  client: StreamClient,
  file: FileSource,
  options: OpenFileOptions = {},
): Promise<EncryptedFile> {
  checkCall(client, 'unwrap', openFileOptions, options, 'openFile');
  const opening = openingOptions(client, options);
  const source = await sourceOf(file, options);
  return open(unwrapBy(client, options), source, opening);
}

function checkCall<T>(client: unknown, method: string, rules: OptionRules<T>, options: T, of: string): void {
  requireKind(having('a client', method), client, 'the first argument');
  requireOptions(rules, options, of);
}

function openingOptions(client: StreamClient, options: DecryptStreamOptions) {
  const { keyId = client.keyId ?? [], anyKey } = options;
  const expected: ExpectedKey = anyKey ? { anyKey } : { keyId };
  return { ...streamOptions(client, options), ...expected };
}

function streamOptions(
  client: StreamWriter,
  { context, signal, onProgress, total }: Progressing & Pick<OpenOptions, 'context' | 'signal'>,
): Parameters<typeof sealStream>[1] {
  const progress = onProgress && ((bytes: number) => onProgress({ bytes, total }));
  return { context, signal, engine: client[inside].engines.streams, onProgress: progress };
}
