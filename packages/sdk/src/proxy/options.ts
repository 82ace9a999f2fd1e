import { InputError } from '@eaas/protocol';
import type { ProblemCode } from '@eaas/protocol/wire';
import { baseUrlOf } from '../base-url.ts';
import type { Authorize } from './grant.ts';
import type { OriginRules } from './origin.ts';

/** Where the service is, whose pages may ask, and what each session may do. */
export interface ProxyOptions {
  /** The address of the service, without `/v1`. */
  readonly baseUrl: string;
  /** An API key, or what answers one: asked before every call. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** What the session behind a request may do. Called for every request, before its body is read. */
  readonly authorize: Authorize;
  /** Where the proxy is mounted; `/api/eaas` where absent. */
  readonly basePath?: string | undefined;
  /**
   * The app's own origin, as in `https://app.example`. Name it in production: behind a proxy that ends TLS the address of
   * a request does not say it, and without it any name that leads to this server will do.
   */
  readonly origin?: string | undefined;
  /** Other origins whose pages may call. Their preflights and CORS headers are the app's to answer. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Answers programs too, which say neither `Origin` nor `Sec-Fetch-Site`. */
  readonly allowWithoutOrigin?: boolean | undefined;
  /** Milliseconds for reading a request and asking the service; 30,000 where absent. */
  readonly timeout?: number | undefined;
  /** Makes the requests to the service; the platform’s where absent. */
  readonly fetch?: typeof fetch | undefined;
  /** Told of what is the operator's to mend, none of which the browser learns. */
  readonly onEvent?: ((event: ProxyEvent) => void) | undefined;
}

/** What the operator has to know. Holds no key and no value; `error` is what the app's own code threw. */
export type ProxyEvent =
  | {
      /** The service does not let the proxy's API key do this. */
      readonly type: 'api_key_refused';
      readonly code: ProblemCode;
      readonly requestId: string | undefined;
    }
  | {
      readonly type: 'service_failed';
      readonly reason: 'network' | 'timeout' | 'invalid_response';
      readonly requestId: string | undefined;
    }
  | {
      /** `authorize` threw, or answered what is no grant. */
      readonly type: 'authorize_failed';
      readonly error: unknown;
    }
  | {
      /** What nobody expected, or the function that answers the API key. */
      readonly type: 'failed';
      readonly error: unknown;
    };

/** The options, checked and complete. */
export interface Settings extends OriginRules {
  readonly baseUrl: string;
  readonly apiKey: ProxyOptions['apiKey'];
  readonly authorize: Authorize;
  readonly basePath: string;
  readonly timeout: number;
  readonly fetch: typeof fetch;
  readonly report: (event: ProxyEvent) => void;
}

/** Throws InputError, which names the option and does not show it. */
export function checkOptions(options: ProxyOptions): Settings {
  const { apiKey, authorize, basePath = '/api/eaas', timeout = 30_000, onEvent } = options;
  const { origin, allowedOrigins = [], allowWithoutOrigin = false } = options;
  if (typeof authorize !== 'function') refuse('authorize', 'is required: without it nothing is allowed');
  if (typeof apiKey !== 'function' && !/^eaas_sk_\w+$/.test(apiKey)) refuse('apiKey', 'is not an API key');
  if (!/^(?:\/[^/?#]+)*$/.test(basePath)) refuse('basePath', 'is a path such as `/api/eaas`, or empty');
  if (!(timeout > 0)) refuse('timeout', 'is a number of milliseconds');
  if (origin !== undefined) requireOrigin('origin', origin);
  for (const allowed of allowedOrigins) requireOrigin('allowedOrigins', allowed);
  return {
    baseUrl: baseUrlOf(options.baseUrl),
    apiKey,
    authorize,
    basePath,
    origin,
    allowedOrigins: [...allowedOrigins],
    allowWithoutOrigin,
    timeout,
    fetch: options.fetch ?? ((...call) => fetch(...call)),
    // Whoever listens cannot change what is answered; a promise that it breaks would else end the process.
    report: (event) => void (async () => onEvent?.(event))().catch(() => undefined),
  };
}

function requireOrigin(option: string, text: string): void {
  const spelled = URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
  if (!spelled)
    refuse(option, 'is spelled as browsers do: `https://app.example`, without a path or a final slash');
}

function refuse(option: string, reason: string): never {
  throw new InputError(`${option} ${reason}`);
}
