import { InputError } from '@eaas/protocol/internal-core';
import {
  anything,
  atLeastOne,
  callback,
  countFrom,
  flag,
  having,
  type OptionRules,
  requireOptions,
} from '@eaas/protocol/internal-options';
import { platformEngines } from '#engines';
import type { CacheLimits } from '../data-keys/cache.ts';
import type { BudgetLimits } from '../data-keys/encrypting.ts';
import type { Engines } from '../engines/engines.ts';
import type { Emit, Observers } from '../client/events.ts';
import { allNoble } from '../engines/noble-engines.ts';
import { type TransportOptions, transportOptions } from '../transport/transport.ts';
import { keyId } from './key-id.ts';
import { signInOptions, type SignInOptions } from './sign-in.ts';

/** The limits of a client's data keys. Ages are in milliseconds. */
export interface CacheOptions {
  /**
   * The limits for encryption under one data key. The client replaces a data key that reaches a limit. With `false`,
   * the client uses a new data key for each value.
   */
  readonly encrypt?: false | OptionalLimits<BudgetLimits> | undefined;
  /**
   * The limits of data keys that decrypt. With `false`, the client asks the service to unwrap the data key for each
   * decryption, so the audit log records each decryption.
   */
  readonly decrypt?: false | OptionalLimits<CacheLimits> | undefined;
}

/** Limits that replace the defaults. A limit that is absent keeps its default. */
export type OptionalLimits<Limits> = { readonly [Name in keyof Limits]?: number | undefined };

/**
 * The name of a set of limits. `server`: 65,536 messages, 1 GiB and 5 minutes under a data key for encryption, and 2,000
 * of them; 10,000 data keys and 5 minutes for decryption. `serverless`: as `server`, but one minute, and 500 data keys for
 * each. `browser`: as `serverless`, but 1,024 messages and 64 MiB. These numbers hold for all users and subjects of a
 * client together. In memory, the data keys for encryption take at most 16 MiB, and so do those for decryption.
 */
export type CachePreset = 'server' | 'serverless' | 'browser';

/** The options of every client. */
export interface ClientOptions extends Observers, SignInOptions, TransportOptions {
  /** The id of the default key, which calls without `keyId` use to encrypt and to decrypt. */
  readonly keyId?: string | undefined;
  /** The limits of the client's data keys. Defaults to `server`, and in `@eaas/sdk/browser` to `browser`. */
  readonly cache?: CachePreset | CacheOptions | undefined;
  /**
   * The AES-GCM engine for each kind of call. Defaults to the fastest engine of the platform. `noble` selects the
   * JavaScript library noble for every call, also in a page over plain `http:`, in which the default throws InputError.
   */
  readonly engines?: Partial<Engines> | 'noble' | undefined;
  /**
   * If true, calls that encrypt or decrypt throw InputError unless they are made by a client from `as`, so that the audit
   * log names the user of each.
   */
  readonly requireUser?: boolean | undefined;
}

export interface Limits {
  readonly encrypt: BudgetLimits;
  readonly decrypt: CacheLimits;
  readonly patience: number;
}

const presets = {
  server: { maxMessages: 65_536, maxAge: 300_000, maxBytes: 2 ** 30, maxEntries: 2_000 },
  serverless: { maxMessages: 65_536, maxAge: 60_000, maxBytes: 2 ** 30, maxEntries: 500 },
  browser: { maxMessages: 1_024, maxAge: 60_000, maxBytes: 2 ** 26, maxEntries: 500 },
} as const;
const maxServerUnwrapped = 10_000;

const engine = /* @__PURE__ */ having('an engine', 'importKey');
const cacheOptions: OptionRules<CacheOptions> = { encrypt: anything, decrypt: anything };
const encryptLimits: OptionRules<BudgetLimits> = {
  // Each message has a random 96-bit iv. With more than 2^32 messages under one data key, it would become too probable
  // that two messages have the same iv.
  maxMessages: /* @__PURE__ */ countFrom(1, 2 ** 32),
  maxBytes: atLeastOne,
  maxAge: atLeastOne,
  maxEntries: /* @__PURE__ */ countFrom(1),
};
const decryptLimits: OptionRules<CacheLimits> = {
  maxEntries: /* @__PURE__ */ countFrom(0),
  maxAge: atLeastOne,
};
const engineRules: OptionRules<Engines> = { values: engine, sync: engine, streams: engine };

export const clientOptions: OptionRules<ClientOptions> = {
  ...transportOptions,
  ...signInOptions,
  keyId,
  cache: anything,
  engines: anything,
  requireUser: flag,
  onEvent: callback,
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
        "anybody on the network can replace the script of this page: load it over https:, or pass `engines: 'noble'`",
      );
    }
    emit({ type: 'engine.fallback', code: 'no_webcrypto', engine: 'noble' });
  }
  const usual = platformEngines();
  const { values = usual.values, streams = usual.streams } = given;
  return { ...usual, ...given, values, streams };
}

export function limitsOf(cache: CachePreset | CacheOptions = 'server', patience = 30_000): Limits {
  const isNamed = typeof cache === 'string';
  if (isNamed && !Object.hasOwn(presets, cache)) {
    throw new InputError("`cache` must be 'server', 'serverless', 'browser' or an object of limits");
  }
  const preset = presets[isNamed ? cache : 'server'];
  const options: CacheOptions = isNamed ? {} : cache;
  requireOptions(cacheOptions, options, 'cache');
  const encrypt = options.encrypt === false ? { maxMessages: 1 } : (options.encrypt ?? {});
  const decrypt = options.decrypt === false ? { maxEntries: 0 } : (options.decrypt ?? {});
  requireOptions<OptionalLimits<BudgetLimits>>(encryptLimits, encrypt, 'cache.encrypt');
  requireOptions<OptionalLimits<CacheLimits>>(decryptLimits, decrypt, 'cache.decrypt');
  return {
    encrypt: withDefaults(encrypt, preset),
    decrypt: withDefaults(
      decrypt,
      preset === presets.server ? { ...preset, maxEntries: maxServerUnwrapped } : preset,
    ),
    patience,
  };
}

const withDefaults = <Limits extends object>(given: OptionalLimits<Limits>, defaults: Limits): Limits =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, usual]) => [name, given[name as keyof Limits] ?? usual]),
  ) as Limits;
