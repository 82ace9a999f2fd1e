import type { Input, Output, Problem, Route } from '@eaas/protocol/wire';
import ky, { HTTPError, type KyInstance } from 'ky';
import { EaasError } from './errors.ts';

/** Makes a call of the API: `call('POST /v1/keys/:key_id/wrap', { key_id, dek })`. Throws EaasError. */
export type Call = <R extends Route>(route: R, input: Input<R>) => Promise<Output<R>>;

export interface TransportOptions {
  /** The address of the service, without `/v1`. */
  readonly baseUrl: string;
  /** An API key, or what answers one: asked before every call. */
  readonly apiKey: string | (() => string | Promise<string>);
  readonly fetch?: typeof fetch;
  /** Milliseconds for a call with all its retries; 30,000 where absent. */
  readonly timeout?: number;
}

/** Speaks HTTP with the service. */
export function createTransport({ baseUrl, apiKey, fetch, timeout = 30_000 }: TransportOptions): Call {
  const http = ky.create({
    prefixUrl: baseUrl,
    timeout: false,
    // 503 says that nothing was done. A 429 is a month's quota: trying again does not help.
    retry: {
      limit: 2,
      methods: ['get', 'post'],
      statusCodes: [503],
      backoffLimit: 1_000,
      maxRetryAfter: 5_000,
      jitter: true,
    },
    redirect: 'error',
    ...(fetch && { fetch }),
  });
  return async <R extends Route>(route: R, input: Input<R>): Promise<Output<R>> => {
    const token = typeof apiKey === 'string' ? apiKey : await apiKey();
    return send<Output<R>>(http, { token, signal: AbortSignal.timeout(timeout) }, route, {
      ...(input as object),
    });
  };
}

async function send<Answer>(
  http: KyInstance,
  { token, signal }: { readonly token: string; readonly signal: AbortSignal },
  route: Route,
  rest: Record<string, unknown>,
): Promise<Answer> {
  const [method = '', template = ''] = route.split(' ');
  const path = template.slice(1).replace(/:(\w+)/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const payload = method === 'GET' ? { searchParams: rest as Record<string, string> } : { json: rest };
  const headers = { authorization: `Bearer ${token}` };
  try {
    return await http<Answer>(path, { method, headers, signal, ...payload }).json();
  } catch (error) {
    throw await translate(error);
  }
}

/** What ky throws carries the request, with the API key and the body: none of it goes on. */
async function translate(error: unknown): Promise<EaasError> {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new EaasError('timeout', 'the service did not answer in time');
  if (error instanceof HTTPError) return fromAnswer(error.response);
  if (error instanceof SyntaxError) return new EaasError('invalid_response', 'the service answered no JSON');
  return new EaasError('network', 'the service could not be reached');
}

async function fromAnswer(response: Response): Promise<EaasError> {
  const { status, headers } = response;
  const details = { status, requestId: headers.get('x-request-id') ?? undefined };
  const problem = (await response.json().catch(() => undefined)) as Partial<Problem> | undefined;
  if (typeof problem?.code === 'string' && typeof problem.detail === 'string') {
    return new EaasError(problem.code, problem.detail, details);
  }
  return new EaasError('invalid_response', `the service answered ${status} without saying why`, details);
}
