// The options of the proxy, checked once, and the events that tell its operator what was refused and what failed.
import { InputError } from '@eaas/protocol';
import { list, type OptionRules, requireKind, requireOptions } from '@eaas/protocol/internal';
import { baseUrlOf, parseUrl } from '../http/connection.ts';
import type { TransportOptions } from '../http/transport.ts';
import { notify } from '../events.ts';
import type { ProxyAuthorize, ProxyOperation } from './grant.ts';

/** Options of the proxy: the service, the pages that can call the proxy, and the permissions of each session. */
export interface ProxyOptions extends Pick<TransportOptions, 'insecureHttp' | 'fetch'> {
  /** The URL of the service, without `/v1`. */
  readonly baseUrl: string | URL;
  /** An API key, or a function that returns an API key. The proxy calls the function before every call. */
  readonly apiKey: string | (() => string | Promise<string>);
  /**
   * Returns a grant for the session that sent the request. The proxy calls `authorize` for each request from an
   * accepted origin, before it reads the body.
   */
  readonly authorize: ProxyAuthorize;
  /** The path where the proxy is mounted. Defaults to `/api/eaas`. */
  readonly basePath?: string | undefined;
  /**
   * The app's own origin, such as `https://app.example`. Set `origin` in production: without it, the proxy accepts
   * every host name that leads to this server. `origin` is also needed behind a proxy that terminates TLS, because the
   * URL of a request then does not have the app's origin.
   */
  readonly origin?: string | undefined;
  /**
   * Other origins whose pages can call the proxy. The app must respond to their preflights and set the CORS headers.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * If true, the proxy accepts requests without `Origin` and `Sec-Fetch-Site`. Programs other than browsers
   * send such requests. Defaults to false.
   */
  readonly allowWithoutOrigin?: boolean | undefined;
  /** The time limit in milliseconds for reading a request, and the one for calling the service. Defaults to 30,000. */
  readonly timeout?: number | undefined;
  /**
   * Called for failures that the operator must fix, for refused origins, and for requests that `authorize` did not
   * permit. The browser does not receive the details.
   */
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined;
}

/**
 * A failure that the operator must fix, or a refused request. The event contains no API key and no value. Only `error`
 * can contain other data, because this error is from the app's own code.
 */
export type ProxyEvent =
  | {
      /**
       * The request came from another site or from a program, or the option `origin` is wrong. The page gets 403.
       */
      readonly type: 'origin_refused';
      /** The first 256 characters of the header `Origin`, if the request has this header. */
      readonly origin: string | undefined;
      /** The first 256 characters of the header `Sec-Fetch-Site`, if the request has this header. */
      readonly secFetchSite: string | undefined;
      /**
       * The origins that the proxy accepts: `allowedOrigins`, and either `origin` or the origin of the request's URL.
       */
      readonly expected: readonly string[];
    }
  | {
      /**
       * `authorize` did not permit the request. `session` means that `authorize` returned no grant. `operation` and
       * `key` mean that the grant lacks the operation or the key. The page gets 403, or 404 for the key. A request emits at
       * most one such event.
       */
      readonly type: 'grant_refused';
      readonly missing: 'session' | 'operation' | 'key';
      readonly operation: ProxyOperation;
      /** The key id of the request. Undefined if it is not a UUID, or is in a body that the proxy did not read. */
      readonly keyId: string | undefined;
    }
  | {
      /** The service refused the proxy's API key, or the API key lacks a permission (`code`). The page gets 502. */
      readonly type: 'api_key_refused';
      readonly code: string;
      readonly requestId: string | undefined;
    }
  | {
      /**
       * The service cannot be reached, is not ready, responds with nonsense, or takes longer than `timeout` (30 s). The page gets
       * 502, 503 or 504.
       */
      readonly type: 'service_failed';
      readonly reason: 'network' | 'timeout' | 'invalid_response' | 'unavailable';
      readonly requestId: string | undefined;
    }
  | {
      /**
       * `authorize_failed`: `authorize` threw, or returned something that is not a grant; the page gets 500. `failed`: the function
       * `apiKey` threw; the page gets 502.
       */
      readonly type: 'authorize_failed' | 'failed';
      readonly error: unknown;
    };

const rules: OptionRules<ProxyOptions> = {
  baseUrl: 'anything',
  insecureHttp: 'flag',
  apiKey: 'anything',
  authorize: 'anything',
  basePath: 'text',
  origin: 'text',
  allowedOrigins: list,
  allowWithoutOrigin: 'flag',
  timeout: 'atLeastOne',
  fetch: 'callback',
  onEvent: 'callback',
};

export type Settings = ReturnType<typeof checkOptions>;

export function checkOptions(options: ProxyOptions) {
  requireOptions(rules, options, 'createProxy');
  requireKind('callback', options.authorize, '`authorize`');
  const { apiKey, basePath = '/api/eaas', timeout = 30_000, origin, allowedOrigins = [], onEvent } = options;
  if (typeof apiKey !== 'function' && !/^eaas_sk_\w+$/.test(apiKey)) {
    throw new InputError('`apiKey` must be an API key, or a function that returns an API key');
  }
  // Refuses a `basePath` that URL parsing would change, such as `/a b` or `/a/../b`. The path of a parsed request URL
  // can never begin with such a `basePath`.
  const path = `${basePath}/v1`;
  if (path.includes('//') || parseUrl(path, 'https://x')?.pathname !== path) {
    throw new InputError('`basePath` must be empty or an encoded path such as `/api/eaas`');
  }
  if (origin !== undefined) requireOrigin('origin', origin);
  for (const [at, allowed] of allowedOrigins.entries()) requireOrigin(`allowedOrigins[${at}]`, allowed);
  return {
    ...options,
    baseUrl: baseUrlOf(options.baseUrl, options.insecureHttp),
    basePath,
    allowedOrigins: [...allowedOrigins],
    timeout,
    report: (event: ProxyEvent): void => notify(onEvent, event),
  };
}

function requireOrigin(option: string, text: string): void {
  if (/^https?:/.test(text) && parseUrl(text)?.origin === text) return;
  throw new InputError(
    `\`${option}\` must be an origin such as \`https://app.example\`, without a path or a final slash`,
  );
}
