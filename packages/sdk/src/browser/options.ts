import { object, type OptionRules, text } from '@eaas/protocol/internal-options';
import { envelopeClientOptions, type EnvelopeClientOptions } from '../options/client-options.ts';
import { signInOptions, type SignInOptions } from '../options/sign-in.ts';
import { type TransportOptions, transportOptions } from '../transport/transport.ts';

export type PlainHeaders = Readonly<Record<string, string>>;

/**
 * The options of a client in a page: those of the proxy in the app's backend, or `baseUrl`, `issuer` and `token` for a
 * client that uses the app's own sign-in. There is no option for an API key.
 */
export interface EaasBrowserClientOptions
  extends EnvelopeClientOptions, SignInOptions, Partial<TransportOptions> {
  /** The path of the proxy (from `@eaas/sdk/proxy`) in the app's backend. Defaults to `/api/eaas`. */
  readonly proxyUrl?: string | undefined;
  /**
   * Headers to send with every call, for example a CSRF token. If `headers` is a function, the client calls the
   * function before every call.
   */
  readonly headers?: PlainHeaders | (() => PlainHeaders | Promise<PlainHeaders>) | undefined;
}

export const browserOptions: OptionRules<EaasBrowserClientOptions> = {
  ...envelopeClientOptions,
  ...transportOptions,
  ...signInOptions,
  baseUrl: text,
  proxyUrl: text,
  headers: (value, name) => typeof value === 'function' || object(value, name),
};
