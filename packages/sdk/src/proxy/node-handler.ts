// Runs the proxy in node:http, Express and Fastify, whose requests and responses are not those of the web.
import { InputError } from '@eaas/protocol';
import { attempt, isBytes } from '@eaas/protocol/internal';
import { limits } from '@eaas/protocol/wire';

/**
 * A request of `node:http`, or of a framework based on `node:http`. The type lists only the members that the handler
 * uses.
 */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Only in Express: the URL with the path prefix of the router. `url` lacks this prefix. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: object;
  readonly readableDidRead: boolean;
  /** The body, if a framework has already read it: a parsed value, text, or bytes. */
  readonly body?: unknown;
  /** Yields the chunks of a body that nobody has read. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
}

/**
 * A response of `node:http`, or of a framework based on `node:http`. The type lists only the members that the handler
 * uses.
 */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableFinished: boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
  on(event: 'close', listener: () => void): unknown;
}

const nodeRequests = /* @__PURE__ */ new WeakMap<Request, NodeRequest>();

/**
 * Returns a handler `(req, res)` for `node:http`, Express, Fastify and similar frameworks. The handler responds to
 * every request.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { toNodeHandler } from '@eaas/sdk/proxy';
 *
 * createServer(toNodeHandler(proxy)).listen(Number(process.env.PORT)); // `proxy` of `createProxy`
 * ```
 */
export function toNodeHandler(
  proxy: (request: Request) => Promise<Response>,
): (req: NodeRequest, res: NodeResponse) => Promise<void> {
  return async (req, res) => {
    const gone = new AbortController();
    res.on('close', () => {
      if (!res.writableFinished) gone.abort();
    });
    const request = attempt(() => webRequest(req, gone.signal));
    if (request) nodeRequests.set(request, req);
    const refused = { status: 400, headers: { 'cache-control': 'no-store' } };
    const response = request ? await proxy(request) : new Response(null, refused);
    const body = await response.text();
    // Does not respond again if the framework has already responded, for example after a time limit.
    if (res.headersSent) return;
    res.statusCode = response.status;
    for (const [name, value] of response.headers) res.setHeader(name, value);
    res.end(body);
  };
}

/**
 * Returns the request that the framework passed to `toNodeHandler`, for use in `authorize`. Throws InputError for any
 * request that `toNodeHandler` did not create.
 *
 * @example
 * ```ts
 * import { type ProxyAuthorize, nodeRequestOf } from '@eaas/sdk/proxy';
 *
 * const authorize: ProxyAuthorize = (request) => {
 *   const { session } = nodeRequestOf(request) as { session?: { userId: string } }; // of your middleware
 *   return session && { keys: [keyId], operations: ['unwrap'], context: { user: session.userId } };
 * };
 * ```
 */
export function nodeRequestOf(request: Request): NodeRequest {
  const found = nodeRequests.get(request);
  if (!found) {
    throw new InputError(
      'the argument of `nodeRequestOf` must be the request that `toNodeHandler` passed to `authorize` (got another request)',
    );
  }
  return found;
}

function webRequest(req: NodeRequest, signal: AbortSignal): Request {
  const path = req.originalUrl ?? req.url ?? '';
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (!name.startsWith(':')) for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const host = String(req.headers[':authority'] ?? req.headers['host']);
  const scheme = 'encrypted' in req.socket && req.socket.encrypted ? 'https' : 'http';
  const { method = 'GET' } = req;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // Does not resolve the path against a base URL, because a path that begins with two slashes would replace the host.
  const url = new URL(`${scheme}://${host}${path}`);
  // Refuses a path that does not begin with a slash, and one with dot segments, because URL parsing removes them. The
  // framework and the proxy would then check different paths.
  if (url.pathname !== path.split('?', 1)[0]) {
    throw new InputError('the URL of a request must be a path that begins with `/` and has no dot segments');
  }
  return new Request(url, {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyOf(req, headers), duplex: 'half' }),
  });
}

function bodyOf(req: NodeRequest, headers: Headers): BodyInit {
  if (!req.readableDidRead) return streamOf(req);
  // Removes `content-encoding`, because the framework has already decompressed the body.
  headers.delete('content-encoding');
  headers.delete('content-length');
  const { body } = req;
  if (typeof body === 'string') return body;
  return isBytes(body) ? new Uint8Array(body) : JSON.stringify(body ?? null);
}

/**
 * Reads the body on demand, because Node discards one that nobody began to read. Reads the rest of a cancelled body, because
 * otherwise Node would not send the response.
 */
function streamOf(req: NodeRequest): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let length = 0;
  const discard = async (rest: AsyncIterator<Uint8Array>): Promise<void> => {
    while (!(await rest.next()).done);
  };
  const cancel = (): void => {
    if (chunks) discard(chunks).catch(() => undefined);
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    chunks ??= req[Symbol.asyncIterator]();
    const { done, value } = await chunks.next();
    if (!done) {
      controller.enqueue(value);
      length += value.length;
      // Ends the stream if the body is longer than the proxy accepts. Otherwise, a clone of the request could keep a body
      // of any length in memory.
      if (length <= limits.body) return;
    }
    controller.close();
    cancel();
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
