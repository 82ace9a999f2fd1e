import { maxHeadLength, type RangeSource } from '@eaas/protocol/stream';
import { SourceError } from './source-error.ts';

/** How the ranges are asked for. */
export interface UrlSourceOptions {
  /** Makes the requests; the platform’s where absent. */
  readonly fetch?: typeof fetch | undefined;
  /** Sent with every request: what the store asks for. A redirect takes them along, `authorization` to its own origin only. */
  readonly headers?: HeadersInit | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Part {
  readonly response: Response;
  readonly total: number;
  readonly etag: string | null;
}

/**
 * The parts of an object that a server gives out by range requests (RFC 9110, section 14). Asks for the beginning at
 * once. Throws SourceError when it does not give out parts, or when the object changes later; `fetch` throws its own.
 * From another origin it must expose Content-Range, and ETag to have a change noticed early.
 */
export async function urlSource(url: string | URL, options: UrlSourceOptions = {}): Promise<RangeSource> {
  const { total, etag, response } = await requestPart(url, options, 0, maxHeadLength);
  const beginning = await beginningOf(response);
  return {
    size: total,
    async read(start, end, signal) {
      if (end <= beginning.length) return beginning.subarray(start, end);
      const part = await requestPart(url, { ...options, signal: signal ?? options.signal }, start, end);
      // Compared, not sent as If-Range: that would need a preflight, and a server that ignores it goes unnoticed.
      if (part.total === total && part.etag === etag && part.response.body) return part.response.body;
      await part.response.body?.cancel();
      throw new SourceError('the object changed since it was opened', part.response.status);
    },
  };
}

/** The first bytes: no more than were asked for, whatever the server sends. */
async function beginningOf({ body, status }: Response): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    parts.push(read.value);
    length += read.value.length;
    if (length <= maxHeadLength) continue;
    await reader?.cancel();
    throw new SourceError('the server answers more than the part that was asked for', status);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function requestPart(
  url: string | URL,
  { fetch: send = fetch, headers, signal }: UrlSourceOptions,
  start: number,
  end: number,
): Promise<Part> {
  const asked = new Headers(headers);
  asked.set('range', `bytes=${start}-${end - 1}`);
  const response = await send(url, { headers: asked, signal: signal ?? null });
  const { status } = response;
  const [, first, last, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? [];
  const isPart = status === 206 && Number(first) === start;
  // The beginning may be all there is.
  if (isPart && Number(last) === Math.min(end, Number(total)) - 1) {
    return { response, total: Number(total), etag: response.headers.get('etag') };
  }
  await response.body?.cancel();
  throw new SourceError(refusal(status), status);
}

function refusal(status: number): string {
  if (status === 200) return 'the server answers the whole object where a part was asked for';
  if (status === 206) return 'the server does not say which part it answers: is Content-Range exposed?';
  return `the server answered ${status} where a part was asked for`;
}
