import type { Input, Output, Problem, Route } from '@eaas/protocol/wire';
import ky, { HTTPError } from 'ky';
import { abortable } from './abortable.ts';
import { deadlineOf, longest } from './deadline.ts';
import { EaasError, late, unreadable } from './errors.ts';
import type { Emit } from './events.ts';

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Makes a call of the API: `call('POST /v1/keys/:key_id/wrap', { key_id, dek })`. Throws EaasError. */
export type Call = <R extends Route>(route: R, input: Input<R>, options?: CallOptions) => Promise<Output<R>>;

/** How calls are made. */
export interface TransportOptions {
  /** The address of the service. */
  readonly baseUrl: string;
  /** Makes the requests; the platform’s where absent. */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds: for a call with all its retries (30,000 where absent), and for each attempt (10,000). */
  readonly timeouts?:
    | { readonly total?: number | undefined; readonly attempt?: number | undefined }
    | undefined;
  /** How often a call that may be repeated is sent again; 2 where absent. */
  readonly retries?: number | undefined;
}

/** How long to wait for a call that another began: for its place among those under way, and for its answer. */
export function patienceOf({ timeouts }: Pick<TransportOptions, 'timeouts'>): number {
  return 2 * (timeouts?.total ?? total);
}

const total = 30_000;

// A repeated create would make two, and a repeated change of state would be refused for its own success.
const repeatable = /^(GET|PUT|PATCH) |(wrap|hash|decrypt)$|^DELETE .*api-keys/;

/** Speaks HTTP with the service. `headers` is asked before every call. */
export function createTransport(
  { baseUrl, fetch: send = fetch, timeouts = {}, retries = 2 }: TransportOptions,
  headers: () => Record<string, string> | Promise<Record<string, string>>,
  emit: Emit,
): Call {
  const { total: most = total, attempt = 10_000 } = timeouts;
  return async <R extends Route>(
    route: R,
    input: Input<R>,
    { signal }: CallOptions = {},
  ): Promise<Output<R>> => {
    const start = Date.now();
    let attempts = 0;
    let told: EaasError | undefined;
    const whole = deadlineOf(most, signal);

    async function ask(): Promise<Output<R>> {
      const { method, path, rest } = address(route, { ...(input as object) });
      const asked = await headers();
      try {
        const answer = await ky<Output<R>>(path, {
          prefixUrl: baseUrl,
          method,
          headers: asked,
          signal: whole.signal,
          timeout: Math.min(attempt, longest),
          // Followed, a redirect would take the API key along; 'error' is unknown to some runtimes.
          redirect: 'manual',
          // 429 is a month's quota, and 409 and 422 stay what they are.
          retry: {
            limit: repeatable.test(route) ? retries : 0,
            methods: [method.toLowerCase() as 'get'],
            statusCodes: [500, 502, 503, 504],
            backoffLimit: 2_000,
            maxRetryAfter: 5_000,
            jitter: true,
            retryOnTimeout: true,
          },
          fetch: (request, init) => {
            attempts++;
            return send(request, init);
          },
          [/^(GET|DELETE)/.test(method) ? 'searchParams' : 'json']: rest,
        }).json();
        if (Object(answer) !== answer) throw unreadable();
        return answer;
      } catch (error) {
        throw await translate(error);
      }
    }

    try {
      // Raced, because neither what answers the headers nor every `fetch` listens to a signal.
      return await abortable(ask(), whole.signal);
    } catch (error) {
      told = whole.signal.aborted && !signal?.aborted ? late() : (error as EaasError);
      throw told;
    } finally {
      whole.end();
      emit({
        type: 'call',
        route,
        milliseconds: Date.now() - start,
        attempts,
        ...(told && { code: told.code, requestId: told.requestId }),
      });
    }
  };
}

/** Puts into the path what belongs there; the rest is the query, or the body. */
function address(
  route: Route,
  rest: Record<string, unknown>,
): { method: string; path: string; rest: Record<string, string> } {
  const [method = '', template = ''] = route.split(' ');
  const path = template.slice(1).replace(/:(\w+)/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return { method, path, rest: rest as Record<string, string> };
}

/** What ky throws carries the request, with the API key and the body: none of it goes on. */
async function translate(error: unknown): Promise<EaasError> {
  if (error instanceof EaasError) return error;
  if (error instanceof HTTPError) return fromAnswer(error.response);
  if (error instanceof SyntaxError) return unreadable();
  return (error as Error | undefined)?.name === 'TimeoutError'
    ? late()
    : new EaasError('network', `the service could not be reached${reasonOf(error)}`);
}

/** The system's own code, ECONNREFUSED say, where the platform tells: its messages may hold more than may be shown. */
function reasonOf(error: unknown): string {
  const code = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return typeof code === 'string' && /^[A-Z\d_]{2,40}$/.test(code) ? ` (${code})` : '';
}

async function fromAnswer(response: Response): Promise<EaasError> {
  const problem = (await response.json().catch(() => undefined)) as Partial<Problem> | undefined;
  return fromProblem(problem, response.status, response.headers.get('x-request-id') ?? undefined);
}

/** The error that a problem document stands for. */
export function fromProblem(
  problem: Partial<Problem> | undefined,
  status = problem?.status,
  requestId?: string,
): EaasError {
  const details = { status, requestId };
  return typeof problem?.code === 'string' && typeof problem.detail === 'string'
    ? new EaasError(problem.code, problem.detail, details)
    : new EaasError('invalid_response', `the service answered ${status} without saying why`, details);
}
