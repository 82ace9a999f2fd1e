// Sends a call to the service, with a deadline and retries.
import { countFrom, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import type { Input, Output, Route } from '@eaas/protocol/wire';
import { type Emit, type Observers, untraced } from '../events.ts';
import type { Fetch } from './connection.ts';
import { exchange } from './exchange.ts';
import { longest, within } from './abortable.ts';
import { aborted, type ServiceError } from '../errors.ts';

/** The options of every call. */
export interface CallOptions {
  /** If the signal aborts, the call throws ClientError `aborted`. The service might still carry out the call. */
  readonly signal?: AbortSignal | undefined;
}

export const callOptions: OptionRules<CallOptions> = { signal: 'signal' };

/** Sends a request with the credentials of the client, and with the members that they add to its body. */
export type Authorize = <T>(
  route: Route,
  input: object | undefined,
  send: (headers: Readonly<Record<string, string>>, input: object | undefined) => Promise<T>,
) => Promise<T>;

/** Calls a route of the API: `call('POST /v1/keys/:key_id/wrap', { key_id, dek })`. Throws ServiceError. */
export type Call = <R extends Route>(route: R, input: Input<R>, options?: CallOptions) => Promise<Output<R>>;

/** Answers a call, as a service in this process does. */
export type Answer = <R extends Route>(route: R, input: Input<R>) => Promise<Output<R>>;

/** Where a client sends its calls, and with what credentials. */
export interface Connection {
  readonly baseUrl: string;
  /** Authorizes the calls. A client with the app's sign-in sends its token instead. */
  readonly authorize: Authorize;
  /** Gets the headers and the body of each request and response as text. If it throws, the call throws the same error. */
  readonly inspect?: ((text: string) => void) | undefined;
  /** Loads the kinds of all responses. Without it, only those of the routes that pages call are known. */
  readonly loadKinds?: ((route: Route) => Promise<object>) | undefined;
  /** Says what a text of the service says for users of the client. */
  readonly reword?: ((detail: string) => string) | undefined;
  /** Answers the calls, if the service is in this process: no request is made. Throws ServiceError. */
  readonly inProcess?: Answer | undefined;
}

/** Options for the connection to the service. */
export interface TransportOptions {
  /** Allows `http:` to another machine. Anyone on the network path can then read credentials and data keys. */
  readonly insecureHttp?: boolean | undefined;
  /** Sends the requests. Defaults to the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * Time limits in milliseconds. `total` limits a call with all its retries, and defaults to 30,000. `attempt` limits
   * each attempt, including the time to read its response, and defaults to 10,000.
   */
  readonly timeouts?:
    | { readonly total?: number | undefined; readonly attempt?: number | undefined }
    | undefined;
  /** The maximum number of retries of a failed call. Only calls that are safe to repeat are retried. Defaults to 2. */
  readonly retries?: number | undefined;
}

export const transportOptions: OptionRules<TransportOptions> = {
  insecureHttp: 'flag',
  fetch: 'callback',
  timeouts: 'anything',
  retries: /* @__PURE__ */ countFrom(0),
};

export interface Patience {
  readonly total: number;
  readonly retries: number;
}

export function patienceOf({ timeouts = {}, retries = 2 }: TransportOptions) {
  requireOptions({ total: 'atLeastOne', attempt: 'atLeastOne' }, timeouts, 'timeouts');
  const { total = 30_000, attempt = 10_000 } = timeouts;
  return { total, attempt: Math.min(attempt, longest), retries };
}

export function createTransport(
  options: TransportOptions & Omit<Connection, 'authorize'> & Pick<Observers, 'tracing'>,
  authorize: Authorize,
  emit: Emit,
): Call {
  const { baseUrl, inspect, loadKinds, reword, inProcess, fetch: send = fetch, tracing = untraced } = options;
  const service = { ...patienceOf(options), baseUrl, inspect, loadKinds, reword, send, tracing };
  const call = async <R extends Route>(route: R, input: Input<R>, { signal }: CallOptions = {}) => {
    const start = Date.now();
    const seen = { attempts: 0 };
    let code: ServiceError['code'] | undefined;

    async function ask(stop: AbortSignal): Promise<Output<R>> {
      if (signal?.aborted) throw aborted();
      if (inProcess) {
        seen.attempts++;
        return inProcess(route, input);
      }
      return authorize(route, input as object | undefined, (headers, input) =>
        exchange({ ...service, route, input, headers, signal: stop, seen }),
      );
    }

    try {
      // Ends the call on an abort or a timeout, because the functions of the app do not receive a signal, and some
      // implementations of `fetch` ignore signals.
      return await within(ask, service.total, signal);
    } catch (error) {
      ({ code } = error as ServiceError);
      throw error;
    } finally {
      emit({ type: 'call', route, milliseconds: Date.now() - start, ...seen, ...(code && { code }) });
    }
  };
  return (route, input, options) =>
    tracing({ name: `eaas ${route}`, work: () => call(route, input, options) });
}
