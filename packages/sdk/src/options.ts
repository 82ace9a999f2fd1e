import { InputError } from '@eaas/protocol';
import type { Engines } from './engines.ts';
import type { Observers } from './events.ts';

/** How long data keys are used, and kept. */
export interface CacheOptions {
  /** A data key encrypts until the first of these is reached; false: each message has a data key of its own. */
  readonly encrypt?:
    | false
    | {
        readonly messages?: number | undefined;
        readonly milliseconds?: number | undefined;
        readonly bytes?: number | undefined;
      }
    | undefined;
  /** Unwrapped data keys that are kept to decrypt with; false: each opening asks the service, which records it. */
  readonly decrypt?:
    | false
    | { readonly entries?: number | undefined; readonly milliseconds?: number | undefined }
    | undefined;
}

/**
 * `server`: 65,536 messages, 5 minutes or 1 GiB a data key; 1,000 unwrapped ones for 5 minutes. `serverless`: a minute,
 * 200 unwrapped. `browser`: 1,024 messages, a minute or 64 MiB; 100 unwrapped.
 */
export type CachePreset = 'server' | 'serverless' | 'browser';

/** What every client can be told. */
export interface EnvelopeClientOptions extends Observers {
  /** The key that is used, and expected, where a call names none. */
  readonly keyId?: string | undefined;
  readonly cache?: CachePreset | CacheOptions | undefined;
  /** Where the primitives come from; the fastest of the platform where absent. */
  readonly engines?: Partial<Engines> | undefined;
}

export interface Limits {
  readonly messages: number;
  readonly milliseconds: number;
  readonly bytes: number;
  /** Unwrapped data keys. */
  readonly entries: number;
  readonly kept: number;
}

const presets = {
  server: [65_536, 300_000, 2 ** 30, 1_000],
  serverless: [65_536, 60_000, 2 ** 30, 200],
  browser: [1_024, 60_000, 2 ** 26, 100],
} as const;

/** The limits that the options ask for. No entries: none is kept. Throws InputError. */
export function limitsOf(cache: CachePreset | CacheOptions = 'server'): Limits {
  const named = typeof cache === 'string';
  const { encrypt = {}, decrypt = {} } = named ? {} : cache;
  const [messages, milliseconds, bytes, entries] = presets[named ? cache : 'server'] ?? [];
  const limits = {
    messages: encrypt ? (encrypt.messages ?? messages) : 1,
    milliseconds: (encrypt && encrypt.milliseconds) || milliseconds,
    bytes: (encrypt && encrypt.bytes) || bytes,
    entries: decrypt ? (decrypt.entries ?? entries) : 0,
    kept: (decrypt && decrypt.milliseconds) || milliseconds,
  };
  // Random ivs of 96 bits must not meet: a data key encrypts 2^32 messages at most.
  if (
    !(
      limits.messages >= 1 &&
      limits.messages <= 2 ** 32 &&
      Object.values(limits).every((limit) => limit >= 0)
    )
  ) {
    throw new InputError(
      '`cache` is `server`, `serverless`, `browser`, or limits: positive, 2^32 messages at most',
    );
  }
  return limits;
}
