import type { Input, Output, Problem, Route } from '@eaas/protocol/wire';
import { abortable } from './abortable.ts';
import { deadlineOf, longest } from './deadline.ts';
import { ServiceError, timeoutError, unreadable } from './errors.ts';
import type { Emit } from './events.ts';
import { load } from './load.ts';
import { type OptionNames, requireOptions } from './require-options.ts';

/** The options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

const timeoutNames: OptionNames<NonNullable<TransportOptions['timeouts']>> = { total: true, attempt: true };

/** Calls a route of the API: `call('POST /v1/keys/:key_id/wrap', { key_id, dek })`. Throws ServiceError. */
export type Call = <R extends Route>(route: R, input: Input<R>, options?: CallOptions) => Promise<Output<R>>;

/** Options for the connection to the service. */
export interface TransportOptions {
  /** The URL of the service. */
  readonly baseUrl: string;
  /** Allows `http:` to another machine. Anyone on the network path can then read credentials and data keys. */
  readonly insecureHttp?: boolean | undefined;
  /** Sends the requests. Defaults to the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Time limits in milliseconds. `total` limits a call with all its retries, and defaults to 30,000. `attempt` limits
   * each attempt, and defaults to 10,000.
   */
  readonly timeouts?:
    | { readonly total?: number | undefined; readonly attempt?: number | undefined }
    | undefined;
  /** The maximum number of retries of a failed call. Only calls that are safe to repeat are retried. Defaults to 2. */
  readonly retries?: number | undefined;
}

export const transportOptions: OptionNames<Omit<TransportOptions, 'baseUrl'>> = {
  insecureHttp: true,
  fetch: true,
  timeouts: true,
  retries: true,
};

export interface Patience {
  readonly total: number;
  readonly retries: number;
}

export function patienceOf({ timeouts = {}, retries = 2 }: Pick<TransportOptions, 'timeouts' | 'retries'>) {
  requireOptions(timeoutNames, timeouts, 'timeouts');
  return { total: timeouts.total ?? 30_000, attempt: timeouts.attempt ?? 10_000, retries };
}

/** Status 429 is not retried: it means that a quota is used up. */
export const retried: readonly number[] = [500, 502, 503, 504];

export const backoff = (retry: number): number => Math.random() * Math.min(2_000, 300 * 2 ** (retry - 1));

// Excludes creations, because a retry could create a second record, and rotations, because the service refuses a
// repeated rotation.
const repeatable = /^(GET|PUT|PATCH) |(wrap|hash|blind|decrypt)$|^DELETE .*api-keys/;

/** The errors never contain the request, because the request contains the API key. */
export function createTransport(
  { baseUrl, fetch: send = fetch, ...options }: TransportOptions,
  headers: () => Record<string, string> | Promise<Record<string, string>>,
  emit: Emit,
  explain: (error: ServiceError, headers: Record<string, string>) => ServiceError = (error) => error,
): Call {
  const patience = patienceOf(options);
  // A dynamic import keeps the library ky out of the first download of a page. If loading fails, the next call loads ky
  // again.
  import('ky').catch(() => {});
  return async <R extends Route>(route: R, input: Input<R>, { signal }: CallOptions = {}) => {
    const start = Date.now();
    const whole = deadlineOf(patience.total, signal);
    let attempts = 0;
    let failure: ServiceError | undefined;

    async function ask(): Promise<Output<R>> {
      const { default: ky, HTTPError } = await load('ky', import('ky'));
      const { path, ...request } = requestFor(route, { ...(input as object) });
      const added = await headers();
      try {
        const output = await ky<Output<R>>(path, {
          ...request,
          prefixUrl: baseUrl,
          headers: added,
          signal: whole.signal,
          timeout: Math.min(patience.attempt, longest),
          // Does not follow redirects, because a redirected request would contain the API key. Does not use
          // `redirect: 'error'`, because some runtimes lack it.
          redirect: 'manual',
          retry: {
            limit: repeatable.test(route) ? patience.retries : 0,
            methods: [request.method.toLowerCase() as 'get'],
            statusCodes: [...retried],
            backoffLimit: 2_000,
            maxRetryAfter: 5_000,
            jitter: true,
            retryOnTimeout: true,
          },
          fetch: (...request) => {
            attempts++;
            return send(...request);
          },
        }).json();
        if (Object(output) !== output) throw unreadable();
        return output;
      } catch (error) {
        const isResponse = error instanceof HTTPError;
        throw explain(isResponse ? await fromResponse(error.response) : serviceErrorOf(error), added);
      }
    }

    try {
      // Stops waiting when the signal aborts, because the function `headers` does not receive the signal, and some
      // implementations of `fetch` ignore signals.
      return await abortable(ask(), whole.signal);
    } catch (error) {
      failure = whole.signal.aborted && !signal?.aborted ? timeoutError() : (error as ServiceError);
      throw failure;
    } finally {
      whole.end();
      emit({
        type: 'call',
        route,
        milliseconds: Date.now() - start,
        attempts,
        ...(failure && { code: failure.code, requestId: failure.requestId }),
      });
    }
  };
}

function requestFor(route: Route, input: Record<string, unknown>) {
  const [method = '', template = ''] = route.split(' ');
  const path = template.slice(1).replace(/:(\w+)/g, (_, name: string) => {
    const value = input[name];
    delete input[name];
    return encodeURIComponent(String(value));
  });
  const isRead = /^(GET|DELETE)/.test(method);
  return { method, path, ...(isRead ? { searchParams: input as Record<string, string> } : { json: input }) };
}

/** Replaces an error of the library ky, because the error contains the API key and the body of the request. */
function serviceErrorOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof SyntaxError) return unreadable();
  return (error as Error | undefined)?.name === 'TimeoutError' ? timeoutError() : networkError(error);
}

async function fromResponse(response: Response): Promise<ServiceError> {
  const problem = (await response.json().catch(() => undefined)) as Partial<Problem> | undefined;
  return fromProblem(problem, response.status, response.headers.get('x-request-id') ?? undefined);
}

/** Shows only the code of a system error, because its message might contain secrets. */
function networkError(error: unknown): ServiceError {
  const code = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  const reason = typeof code === 'string' && /^[A-Z\d_]{2,40}$/.test(code) ? ` (${code})` : '';
  return new ServiceError('network', `the service could not be reached${reason}`);
}

/**
 * Returns false for a code or request id that contains an API key, because a wrong server could return the API key of
 * the request.
 */
function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) && !value.includes('eaas_sk_');
}

export function fromProblem(
  problem: Partial<Problem> | undefined,
  status = problem?.status,
  requestId?: string,
): ServiceError {
  const details = { status, requestId: isName(requestId) ? requestId : undefined };
  return isName(problem?.code) && typeof problem?.detail === 'string'
    ? new ServiceError(problem.code, problem.detail, details)
    : new ServiceError(
        'invalid_response',
        `the service responded with the status ${status} and no error details`,
        details,
      );
}
