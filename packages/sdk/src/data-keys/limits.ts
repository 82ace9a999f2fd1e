// The option `cache`: how long and how often a client uses a data key, and how many it keeps.
import { InputError, countFrom, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import type { CacheLimits } from './cache.ts';
import type { BudgetLimits } from './encrypting.ts';

/** The limits of a client's data keys. Ages are in milliseconds. */
export interface CacheOptions {
  /**
   * The limits for encryption under one data key: `maxMessages`, `maxBytes` and `maxAge`. The client replaces a data key
   * that reaches one. It keeps `maxEntries` data keys, such as one for each subject, and removes the least recently used,
   * but none of `prime({ keep: true })`. With `false`, the client uses a new data key for each value.
   */
  readonly encrypt?: false | OptionalLimits<BudgetLimits> | undefined;
  /**
   * The limits of data keys that decrypt: their `maxAge`, and `maxEntries` in memory. With `false`, the client asks the
   * service to unwrap the data key for each decryption, so the audit log records each decryption.
   */
  readonly decrypt?: false | OptionalLimits<CacheLimits> | undefined;
}

/** Limits that replace the defaults. A limit that is absent keeps its default. */
type OptionalLimits<Limits> = { readonly [Name in keyof Limits]?: number | undefined };

/** The name of a set of limits, which the option `cache` of a client explains. */
export type CachePreset = 'server' | 'serverless' | 'browser';

export interface Limits {
  readonly encrypt: BudgetLimits;
  readonly decrypt: CacheLimits;
  readonly patience: number;
}

const server = { maxMessages: 65_536, maxAge: 300_000, maxBytes: 2 ** 30, maxEntries: 2_000 };
const serverless = { ...server, maxAge: 60_000, maxEntries: 500 };
const presets: Readonly<Record<CachePreset, Omit<Limits, 'patience'>>> = {
  server: { encrypt: server, decrypt: { ...server, maxEntries: 10_000 } },
  serverless: { encrypt: serverless, decrypt: serverless },
  browser: { encrypt: { ...serverless, maxMessages: 1_024, maxBytes: 2 ** 26 }, decrypt: serverless },
};

const encryptLimits: OptionRules<BudgetLimits> = {
  // Each message has a random 96-bit iv. With more than 2^32 messages under one data key, it would become too probable
  // that two messages have the same iv.
  maxMessages: /* @__PURE__ */ countFrom(1, 2 ** 32),
  maxBytes: 'atLeastOne',
  maxAge: 'atLeastOne',
  maxEntries: /* @__PURE__ */ countFrom(1),
};
const decryptLimits: OptionRules<CacheLimits> = {
  maxEntries: /* @__PURE__ */ countFrom(0),
  maxAge: 'atLeastOne',
};

/** What the option `cache` says, complete. Throws InputError. `patience`: how long a call waits for the service, in milliseconds. */
export function limitsOf(cache: CachePreset | CacheOptions = 'server', patience = 30_000): Limits {
  const isNamed = typeof cache === 'string';
  if (isNamed && !Object.hasOwn(presets, cache)) {
    throw new InputError("`cache` must be 'server', 'serverless', 'browser' or an object of limits");
  }
  const preset = presets[isNamed ? cache : 'server'];
  const options: CacheOptions = isNamed ? {} : cache;
  requireOptions({ encrypt: 'anything', decrypt: 'anything' }, options, 'cache');
  const encrypt = options.encrypt === false ? { maxMessages: 1 } : (options.encrypt ?? {});
  const decrypt = options.decrypt === false ? { maxEntries: 0 } : (options.decrypt ?? {});
  requireOptions<OptionalLimits<BudgetLimits>>(encryptLimits, encrypt, 'cache.encrypt');
  requireOptions<OptionalLimits<CacheLimits>>(decryptLimits, decrypt, 'cache.decrypt');
  return {
    encrypt: withDefaults(encrypt, preset.encrypt),
    decrypt: withDefaults(decrypt, preset.decrypt),
    patience,
  };
}

const withDefaults = <Limits extends object>(given: OptionalLimits<Limits>, defaults: Limits): Limits =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, usual]) => [name, given[name as keyof Limits] ?? usual]),
  ) as Limits;
