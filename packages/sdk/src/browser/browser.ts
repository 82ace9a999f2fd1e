import { InputError } from '@eaas/protocol';
import { EnvelopeClient } from '../envelope-client.ts';
import { createEmit } from '../events.ts';
import type { EnvelopeClientOptions } from '../options.ts';
import { type Call, createTransport, type TransportOptions } from '../transport.ts';

export { DecryptionError, FormatError, InputError } from '@eaas/protocol';
export { EaasError, type EaasErrorCode, type SdkError, type Settled } from '../errors.ts';

type PlainHeaders = Readonly<Record<string, string>>;

/** Any other option is refused: above all, there is none for an API key. */
export interface EaasBrowserClientOptions extends EnvelopeClientOptions, Omit<TransportOptions, 'baseUrl'> {
  /** Where the app's backend mounts the proxy of `@eaas/sdk/proxy`; `/api/eaas` where absent. */
  readonly proxyUrl?: string | undefined;
  /** What goes along with every call, or what answers it: a token against forged requests, say. */
  readonly headers?: PlainHeaders | (() => PlainHeaders | Promise<PlainHeaders>) | undefined;
}

/**
 * Encrypts and decrypts in a page, by the visitor's session: the app's backend says, call by call, what it may do. Throws
 * InputError for an option that it does not know, and wherever it comes upon a key of the backend (`eaas_sk_…`).
 */
export class EaasBrowserClient extends EnvelopeClient {
  constructor(options: EaasBrowserClientOptions = {}) {
    for (const [name, value] of Object.entries(options)) {
      refuseSecret([name, typeof value === 'string' ? value : '']);
      if (!known.test(name)) throw new InputError(`a browser's client has no option \`${name}\``);
    }
    const { proxyUrl = '/api/eaas', headers = {} } = options;
    if (typeof headers === 'object') plain(headers);
    const emit = createEmit(options);
    const call = createTransport(
      { ...options, baseUrl: addressOf(proxyUrl) },
      async () => plain(typeof headers === 'function' ? await headers() : headers),
      emit,
    );
    super(watched(call), { cache: 'browser', ...options }, emit);
  }
}

const known = /^(proxyUrl|headers|keyId|fetch|timeouts|retries|cache|engines|logger|onEvent)$/;

/** Nothing that goes to the proxy or comes from it holds a key of the backend. */
function watched(call: Call): Call {
  return async (route, input, options) => {
    refuseSecret(input);
    const output = await call(route, input, options).catch((error: Error) => {
      refuseSecret(error.message);
      throw error;
    });
    refuseSecret(output);
    return output;
  };
}

function refuseSecret(value: unknown): void {
  if (JSON.stringify(value).includes('eaas_sk_')) {
    throw new InputError(
      'an API key has no place in a browser: revoke it, and give the next to the proxy alone',
    );
  }
}

/** The headers as they will be sent. What the platform throws may show them: it does not go on. */
function plain(headers: PlainHeaders): Record<string, string> {
  try {
    headers = Object.fromEntries(new Headers(headers));
  } catch {
    throw new InputError('`headers` are names and values that can be sent');
  }
  refuseSecret(headers);
  return headers;
}

/** The whole address of a path. The page's, and not the document's: that of a worker made from a blob leads nowhere. */
function addressOf(proxyUrl: string): string {
  try {
    const { href, origin, pathname } = new URL(proxyUrl, globalThis.location?.origin);
    if (href === origin + pathname) return href;
  } catch {
    // Said below.
  }
  throw new InputError('`proxyUrl` is a path such as `/api/eaas`; outside of a page, a whole address');
}
