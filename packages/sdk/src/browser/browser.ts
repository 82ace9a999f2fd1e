// `createBrowserClient`: a client for pages, which never holds an API key. The proxy of the app, or its own sign-in, authorizes
// what it asks of the service.
import { InputError, object, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import { EnvelopeClient } from '../client/envelope-client.ts';
import { clientOptions, type ClientOptions } from '../client/client-options.ts';
import { httpHeaders, parseUrl, requireSecureUrl } from '../http/connection.ts';
import { isSignIn } from '../sign-in/options.ts';

export { DecryptionError, EaasError, FormatError, InputError, LoadError } from '@eaas/protocol/internal';
export { ClientError, ServiceError } from '../errors.ts';

type PlainHeaders = Readonly<Record<string, string>>;

/**
 * The options of a client in a page: those of the proxy in the app's backend, or `baseUrl`, `issuer` and `token` for a
 * client that uses the app's own sign-in. There is no option for an API key.
 */
export interface BrowserClientOptions extends ClientOptions {
  /** The URL of the service, only with `issuer` and `token`. */
  readonly baseUrl?: string | URL | undefined;
  /** The path of the proxy (from `@eaas/sdk/proxy`) in the app's backend. Defaults to `/api/eaas`. */
  readonly proxyUrl?: string | undefined;
  /**
   * Headers to send with every call, for example a CSRF token. If `headers` is a function, the client calls the
   * function before every call.
   */
  readonly headers?: PlainHeaders | (() => PlainHeaders | Promise<PlainHeaders>) | undefined;
}

const browserOptions: OptionRules<BrowserClientOptions> = {
  ...clientOptions,
  baseUrl: (value) => typeof value === 'string' || value instanceof URL || 'a string or a URL',
  proxyUrl: 'text',
  headers: (value, name) => typeof value === 'function' || object(value, name),
};

/**
 * Returns a client that encrypts and decrypts in a web page. The proxy in the app's backend authorizes each call by the
 * visitor's session; with `baseUrl`, `issuer` and `token`, the service authorizes it by the app's own sign-in. Throws
 * InputError for unknown options, and the client for an API key (`eaas_sk_…`) in any option, request or response.
 *
 * @example
 * ```ts
 * import { createBrowserClient } from '@eaas/sdk/browser';
 *
 * const eaas = createBrowserClient({ keyId }); // asks the proxy of your backend, at /api/eaas
 * const ciphertext = await eaas.encrypt('blood type 0', { context: { patient: '7' } });
 * console.log(await eaas.decrypt(ciphertext, { as: 'text', context: { patient: '7' } })); // blood type 0
 * ```
 */
export function createBrowserClient(options: BrowserClientOptions = {}): EnvelopeClient {
  for (const name in options) {
    const value = options[name as keyof typeof options];
    refuseSecret(typeof value === 'string' || value instanceof URL ? name + String(value) : name);
  }
  requireOptions(browserOptions, options, 'createBrowserClient');
  const { baseUrl, proxyUrl = '/api/eaas', headers = {}, insecureHttp } = options;
  if (isSignIn(options, 'proxyUrl', 'headers') !== !!baseUrl) {
    throw new InputError(
      `a sign-in needs \`baseUrl\`, \`issuer\` and \`token\` (got ${baseUrl ? '`baseUrl` alone' : 'no `baseUrl`'})`,
    );
  }
  if (typeof headers === 'object') refuseSecret(JSON.stringify(plain(headers)));
  return new EnvelopeClient({
    cache: 'browser',
    ...options,
    baseUrl: addressOf(String(baseUrl ?? proxyUrl), insecureHttp),
    authorize: async (_, input, send) =>
      send(plain(typeof headers === 'function' ? await headers() : headers), input),
    inspect: refuseSecret,
  });
}

function refuseSecret(text: string): void {
  // The service names API keys as `eaas_sk_…` when it refuses a token.
  if (/eaas_sk_\w/.test(text)) {
    throw new InputError('a browser must not hold an API key: revoke it, and pass a new one to the proxy');
  }
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
  requireSecureUrl(url, 'proxyUrl', insecureHttp);
  return url.href;
}
