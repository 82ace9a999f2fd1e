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
  /** Milliseconds after which what another call was fetching is given up. */
  readonly patience: number;
}

const presets = {
  server: [65_536, 300_000, 2 ** 30, 1_000],
  serverless: [65_536, 60_000, 2 ** 30, 200],
  browser: [1_024, 60_000, 2 ** 26, 100],
} as const;

/** The limits that the options ask for. No entries: none is kept. Throws InputError. */
export function limitsOf(cache: CachePreset | CacheOptions = 'server', patience = 60_000): Limits {
  const named = typeof cache === 'string';
  const { encrypt = {}, decrypt = {} } = named ? {} : cache;
  const [most, time, size, count] = presets[named ? cache : 'server'] ?? [];
  const sealing: Exclude<typeof encrypt, false> = encrypt || { messages: 1 };
  const opening: Exclude<typeof decrypt, false> = decrypt || { entries: 0 };
  const { messages = most, milliseconds = time, bytes = size } = sealing;
  const { entries = count, milliseconds: kept = time } = opening;
  // Random ivs of 96 bits must not meet: a data key encrypts 2^32 messages at most.
  const valid =
    messages >= 1 && messages <= 2 ** 32 && milliseconds > 0 && bytes > 0 && entries >= 0 && kept > 0;
  if (!valid) {
    throw new InputError('`cache` is a preset, or positive limits, of 2^32 messages at most');
  }
  return { messages, milliseconds, bytes, entries, kept, patience };
}
