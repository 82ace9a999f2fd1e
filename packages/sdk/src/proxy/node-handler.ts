import { InputError } from '@eaas/protocol';
import type { Proxy } from './proxy.ts';

/** What is needed of a request of node:http, or of a framework on top of it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Express: the address before a router took its part. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: object;
  readonly readableDidRead: boolean;
  /** Where a framework has read the body already: parsed, as text, or as bytes. */
  readonly body?: unknown;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  resume(): unknown;
}

/** What is needed of a response of node:http, or of a framework on top of it. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly writableFinished: boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
  on(event: 'close', listener: () => void): unknown;
}

const nodeRequests = /* @__PURE__ */ new WeakMap<Request, NodeRequest>();

/** The proxy as node:http calls it, for Express, Fastify and others: `(req, res)`. Answers every request. */
export function toNodeHandler(proxy: Proxy): (req: NodeRequest, res: NodeResponse) => Promise<void> {
  return async (req, res) => {
    const response = await answer(proxy, req, res);
    const body = await response.text();
    // Somebody else has answered meanwhile: a time limit of the framework, say.
    if (res.headersSent) return;
    res.statusCode = response.status;
    for (const [name, value] of response.headers) res.setHeader(name, value);
    res.end(body);
  };
}

/** In `authorize`: the request that toNodeHandler was given, with what the framework put on it. InputError elsewhere. */
export function nodeRequestOf(request: Request): NodeRequest {
  const found = nodeRequests.get(request);
  if (!found) throw new InputError('this request did not come through toNodeHandler');
  return found;
}

async function answer(proxy: Proxy, req: NodeRequest, res: NodeResponse): Promise<Response> {
  const gone = new AbortController();
  res.on('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  let request: Request;
  try {
    request = webRequest(req, gone.signal);
  } catch {
    return new Response(null, { status: 400, headers: { 'cache-control': 'no-store' } });
  }
  nodeRequests.set(request, req);
  return proxy(request);
}

/** Throws where the address or a header cannot be said in a Request. */
function webRequest(req: NodeRequest, signal: AbortSignal): Request {
  const path = req.originalUrl ?? req.url ?? '';
  if (!path.startsWith('/')) throw new InputError('the address is not a path');
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (!name.startsWith(':')) for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const host = String(req.headers[':authority'] ?? req.headers['host']);
  const scheme = 'encrypted' in req.socket && req.socket.encrypted ? 'https' : 'http';
  const { method = 'GET' } = req;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // Put together as text: resolved against a base, a path that begins with two slashes would name another host.
  const url = new URL(`${scheme}://${host}${path}`);
  // Dot segments, or a Host that brings a path, would lead elsewhere than those thought who let the request pass.
  if (url.pathname !== path.split('?', 1)[0])
    throw new InputError('the address is not the path that was sent');
  return new Request(url, {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyOf(req, headers), duplex: 'half' }),
  });
}

function bodyOf(req: NodeRequest, headers: Headers): BodyInit {
  if (!req.readableDidRead) return streamOf(req);
  // What has been read is inflated, and of another length than was announced.
  headers.delete('content-encoding');
  headers.delete('content-length');
  const { body } = req;
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body ?? null);
}

/** The body as it arrives. What is not wanted of it is thrown away, so that the answer arrives. */
function streamOf(req: NodeRequest): ReadableStream<Uint8Array> {
  let open = true;
  const settle = (how: () => void) => () => {
    if (open) how();
    open = false;
  };
  const begin = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const cut = settle(() =>
      controller.error(new InputError('the connection closed before the body had arrived')),
    );
    req.on('data', (chunk) => {
      if (open) controller.enqueue(chunk);
    });
    req.on(
      'end',
      settle(() => controller.close()),
    );
    req.on('error', cut);
    req.on('close', cut);
    req.resume();
  };
  let begun = false;
  return new ReadableStream(
    {
      pull: (controller) => {
        if (!begun) begin(controller);
        begun = true;
      },
      cancel: settle(() => undefined),
    },
    // Node throws away by itself what nobody began to read: nothing begins before the first read.
    { highWaterMark: 0 },
  );
}
