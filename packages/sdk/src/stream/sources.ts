// Reads parts of an encrypted file for `openFile`: from a Blob, an open file, a URL, or whatever the app provides.
import { EaasError, having, requireKind } from '@eaas/protocol/internal';
import { maxHeadLength, type RangeSource } from '@eaas/protocol/stream';
import { httpHeaders } from '../http/connection.ts';
import { readAll } from '../http/read-all.ts';
import type { CallOptions, TransportOptions } from '../http/transport.ts';

/**
 * Thrown if the server of a URL did not return exactly the requested part, or if the object at the URL has changed since
 * it was opened.
 *
 * @example
 * ```ts
 * import { openFile, SourceError } from '@eaas/sdk/stream';
 *
 * const error = await openFile(eaas, 'https://files.example/empty').catch((error: unknown) => error);
 * if (error instanceof SourceError) console.error(error.status, error.message);
 * ```
 */
export class SourceError extends EaasError {
  override readonly name = 'SourceError';
  readonly code = 'source';
  /** The HTTP status of the server's response. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export const aBlob = /* @__PURE__ */ having('a Blob or a File', 'stream', 'arrayBuffer');

/**
 * What `openFile` reads: a Blob or a File, an open file of `node:fs/promises`, the URL of an object on a server with range
 * requests, or anything of a known size that reads a range.
 */
export type FileSource = Blob | ReadableHandle | string | URL | RangeSource;

/** How `openFile` requests the parts of an object at a URL. */
export interface UrlSourceOptions extends CallOptions, Pick<TransportOptions, 'fetch'> {
  /**
   * Headers to send with every request to a URL, also after a redirect. A redirect to another origin removes
   * `authorization`.
   */
  readonly headers?: RequestInit['headers'] | undefined;
}

/** Returns what reads parts of a file. Throws the errors of `urlSource`, and InputError for anything else. */
export async function sourceOf(file: FileSource, options: UrlSourceOptions): Promise<RangeSource> {
  // Outside of a page, a text without a scheme is the path of a file, which `fetch` does not read.
  const isUrl = typeof file === 'string' && ('location' in globalThis || /^\w[\w+.-]+:/.test(file));
  if (isUrl || file instanceof URL) return urlSource(file, options);
  const given = Object(file) as Partial<Blob & ReadableHandle>;
  if (typeof given.stream === 'function') {
    const blob = file as Blob;
    return { size: blob.size, read: (start, end) => blob.slice(start, end).stream() };
  }
  if (typeof given.stat === 'function') return handleSource(file as ReadableHandle);
  requireKind(anyFile, file, 'the second argument');
  return file as RangeSource;
}

const anyFile = /* @__PURE__ */ having(
  'a Blob, an open file (`await open(path)`), a URL, or an object with `size` and `read`',
  'read',
);

/** The methods that `openFile` calls on an open file. A FileHandle of `node:fs/promises` has these methods. */
export interface ReadableHandle {
  /** Returns the length of the file. */
  stat(): Promise<{ readonly size: number }>;
  /** Reads bytes from a position. */
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

const pieceLength = 262_144;

async function handleSource(handle: ReadableHandle): Promise<RangeSource> {
  const { size } = await handle.stat();
  const read = (start: number, end: number): ReadableStream<Uint8Array> => {
    let at = start;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const buffer = new Uint8Array(Math.min(pieceLength, end - at));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
      if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
      at += bytesRead;
      if (bytesRead === 0 || at === end) controller.close();
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  };
  return { size, read };
}

/**
 * Returns a source that reads parts of an object by range requests (RFC 9110, section 14). Immediately requests the
 * beginning of the object. Throws SourceError if the server does not support ranges. Also throws the errors of `fetch`.
 * A later read throws SourceError if the object has changed.
 */
async function urlSource(url: string | URL, options: UrlSourceOptions): Promise<RangeSource> {
  const { total, etag, response } = await requestPart(url, options, 0, maxHeadLength);
  const tooLong = () =>
    new SourceError('the server sent more bytes than the requested range', response.status);
  const beginning = response.body ? await readAll(response.body, maxHeadLength, tooLong) : new Uint8Array(0);
  return {
    size: total,
    async read(start, end, signal) {
      if (end <= beginning.length) return beginning.subarray(start, end);
      const part = await requestPart(url, { ...options, signal }, start, end);
      // Compares the ETag of the response instead of sending `If-Range`. In a browser, `If-Range` needs a preflight
      // request, and some servers ignore `If-Range`.
      if (part.total === total && part.etag === etag && part.response.body) return part.response.body;
      await part.response.body?.cancel();
      throw new SourceError(
        'the object at the URL changed after it was opened: open it again',
        part.response.status,
      );
    },
  };
}

async function requestPart(
  url: string | URL,
  { fetch: send = fetch, headers, signal }: UrlSourceOptions,
  start: number,
  end: number,
) {
  const requested = httpHeaders(headers);
  requested.set('range', `bytes=${start}-${end - 1}`);
  const response = await send(url, { headers: requested, signal: signal ?? null });
  const { status } = response;
  const range = response.headers.get('content-range') ?? '';
  const [first, last, total] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(range) ?? []).slice(1).map(Number);
  // Reads only a body that matches the requested range, because any other body might be the whole object.
  if (status === 206 && first === start && total !== undefined && last === Math.min(end, total) - 1) {
    return { response, total, etag: response.headers.get('etag') };
  }
  await response.body?.cancel();
  const reasons: Readonly<Record<number, string>> = {
    200: 'the server sent the whole object instead of a part',
    206: 'the server must send the header Content-Range, and expose it to pages of other origins',
  };
  throw new SourceError(reasons[status] ?? `the server responded with ${status} instead of a part`, status);
}
