import { InputError } from '@eaas/protocol/internal-core';
import { requireOptions } from '@eaas/protocol/internal-options';
import { EnvelopeClient } from '../client/envelope-client.ts';
import { createEmit } from '../client/events.ts';
import { httpHeaders, parseUrl, requireSecureUrl } from '../options/connection.ts';
import { isSignIn, type OwnLog, reportOnUser, signIn } from '../options/sign-in.ts';
import { createTransport } from '../transport/transport.ts';
import { browserOptions, type EaasBrowserClientOptions, type PlainHeaders } from './options.ts';

export { DecryptionError, EaasError, FormatError, InputError } from '@eaas/protocol/internal-core';
export { LoadError } from '@eaas/protocol/internal';
export type { EaasBrowserClientOptions } from './options.ts';
export type { OwnLog, SignInOptions, TokenClaims } from '../options/sign-in.ts';
export {
  ClientError,
  type ClientErrorCode,
  type SdkError,
  ServiceError,
  type ServiceErrorCode,
  type Settled,
} from '../errors.ts';

/**
 * A client that encrypts and decrypts in a web page. The proxy in the app's backend authorizes each call by the
 * visitor's session; with `baseUrl`, `issuer` and `token`, the service authorizes it by the app's own sign-in. Throws
 * InputError for unknown options, and for an API key (`eaas_sk_…`) in any option, request or response.
 */
export class EaasBrowserClient extends EnvelopeClient {
  /** Shows the signed-in user what happened with their own data. */
  readonly audit: OwnLog = { report: (options) => reportOnUser(this.call, this.caller, options) };

  constructor(options: EaasBrowserClientOptions = {}) {
    for (const name in options) {
      const value = options[name as keyof typeof options];
      refuseSecret(typeof value === 'string' ? name + value : name);
    }
    requireOptions(browserOptions, options, 'new EaasBrowserClient');
    const signsIn = isSignIn(options, 'proxyUrl', 'headers');
    const { baseUrl, proxyUrl = '/api/eaas', headers = {}, insecureHttp } = options;
    if (signsIn !== !!baseUrl) throw new InputError('a sign-in needs `baseUrl`, `issuer` and `token`');
    if (typeof headers === 'object') refuseSecret(JSON.stringify(plain(headers)));
    const emit = createEmit(options);
    const call = createTransport(
      { ...options, baseUrl: addressOf(baseUrl ?? proxyUrl, insecureHttp) },
      signsIn
        ? signIn(options, () => this.drop(true))
        : async (_, input, send) =>
            send(plain(typeof headers === 'function' ? await headers() : headers), input),
      emit,
      refuseSecret,
    );
    super(call, { cache: 'browser', ...options }, emit);
  }
}

function refuseSecret(text: string): void {
  // The service names API keys as `eaas_sk_…` when it refuses a token.
  if (/eaas_sk_\w/.test(text))
    throw new InputError('a browser must not hold an API key: revoke it, and pass a new one to the proxy');
}

function plain(headers: PlainHeaders): Record<string, string> {
  return Object.fromEntries(httpHeaders(headers));
}

/**
 * Resolves a path against the origin of the page. A worker can have a `blob:` URL, against which no path can be
 * resolved.
 */
function addressOf(proxyUrl: string, insecureHttp: boolean | undefined): string {
  const url = parseUrl(proxyUrl, globalThis.location?.origin);
  if (!url || url.href !== url.origin + url.pathname) {
    throw new InputError(
      '`proxyUrl` must be a path such as `/api/eaas` without a query. On servers, pass a URL, or create the client in the page',
    );
  }
  requireSecureUrl(url, insecureHttp, 'proxyUrl');
  return url.href;
}
