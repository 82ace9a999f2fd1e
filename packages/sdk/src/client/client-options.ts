// The options that both clients have, and which engines they choose.
import { InputError, having, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import { allNoble, platformEngines } from '#engines';
import type { CacheOptions } from '../data-keys/limits.ts';
import type { Engines } from '../engines/engines.ts';
import { type TransportOptions, transportOptions } from '../http/transport.ts';
import { signInOptions, type SignInOptions } from '../sign-in/options.ts';
import { type HalfOption, halfRule } from '../half/options.ts';
import type { Emit, Observers } from '../events.ts';
import { keyId } from '../caller.ts';

/** The options of every client. */
export interface ClientOptions extends Observers, SignInOptions, TransportOptions {
  /** The id of the default key, which calls without `keyId` use to encrypt and to decrypt. */
  readonly keyId?: string | undefined;
  /**
   * 32 bytes of your own that are mixed into each data key: whoever has the service and the ciphertexts, and not the half, reads
   * nothing. Lost is lost: without the half, nobody can decrypt. `EaasClient` reads the variable EAAS_HALF by default, on
   * Node, Deno and Bun. Null, and nothing else, says that values have no half. A function gets `{ keyId, subject }`, and may
   * return a promise. It is asked once for each key and person, and again when their data keys have expired.
   */
  readonly half?: HalfOption;
  /**
   * The limits of the client's data keys. Defaults to `server`, and in `@eaas/sdk/browser` to `browser`.
   *
   * `server`: 65,536 messages, 1 GiB and 5 minutes under a data key for encryption, and 2,000 of them; 10,000 data keys and
   * 5 minutes for decryption. `serverless`: as `server`, but one minute, and 500 data keys for each. `browser`: as
   * `serverless`, but 1,024 messages and 64 MiB. These numbers hold for all users and subjects of a client together. In
   * memory, the data keys for encryption take at most 16 MiB, and so do those for decryption.
   */
  readonly cache?: 'server' | 'serverless' | 'browser' | CacheOptions | undefined;
  /**
   * The AES-GCM engine for each kind of call. Defaults to the fastest engine of the platform. `noble` selects the
   * JavaScript library noble for every call, also in a page over plain `http:`, in which the default throws InputError. Node
   * uses node:crypto all the same.
   */
  readonly engines?: Partial<Engines> | 'noble' | undefined;
  /**
   * If true, calls that encrypt or decrypt throw InputError unless they are made by a client from `as`, so that the audit
   * log names the user of each.
   */
  readonly requireUser?: boolean | undefined;
}

const engine = /* @__PURE__ */ having('an engine', 'importKey');
const engineRules: OptionRules<Engines> = { values: engine, sync: engine, streams: engine };

export const clientOptions: OptionRules<ClientOptions> = {
  ...transportOptions,
  ...signInOptions,
  keyId,
  half: halfRule,
  cache: 'anything',
  engines: 'anything',
  requireUser: 'flag',
  onEvent: 'callback',
  tracing: 'callback',
  logger: /* @__PURE__ */ having('a logger such as `console`', 'debug', 'warn'),
};

export function enginesOf(given: ClientOptions['engines'] = {}, emit: Emit): Engines {
  if (typeof globalThis.crypto?.getRandomValues !== 'function') {
    throw new InputError(
      'this platform has no `crypto.getRandomValues`: import a polyfill first, such as react-native-get-random-values',
    );
  }
  if (given === 'noble') return allNoble;
  requireOptions<Partial<Engines>>(engineRules, given, 'engines');
  if (!crypto.subtle) {
    // React Native has no such property.
    const { isSecureContext } = globalThis as { isSecureContext?: boolean };
    if (isSecureContext === false && !(given.values && given.streams)) {
      throw new InputError(
        "anyone on the network can replace the script of this page: load it over https:, or pass `engines: 'noble'`",
      );
    }
    emit({ type: 'engine.fallback', code: 'no_webcrypto', engine: 'noble' });
  }
  const usual = platformEngines();
  const { values = usual.values, streams = usual.streams } = given;
  return { ...usual, ...given, values, streams };
}
