import type { Context } from '@eaas/protocol';
import {
  atLeastZero,
  callback,
  countFrom,
  flag,
  having,
  object,
  type OptionRules,
  positiveInteger,
  requireKind,
  type Rule,
  signal,
} from '@eaas/protocol/internal-options';
import { person } from '../options/people.ts';
import type { DecryptItem, DecryptOptions, EncryptItem, EncryptOptions } from '../options/call-options.ts';
import type { Bundle } from '../client/ciphertext.ts';
import type { EaasClient } from '../client/client.ts';
import type { Settled } from '../errors.ts';
import type { ReencryptProgress } from './progress.ts';
import type { StoredRow } from './store.ts';

/** The members of an `EaasClient` that `reencrypt` uses. */
export interface ReencryptClient
  extends Pick<EaasClient, 'rewrapMany' | 'unwrap'>, Partial<Pick<EaasClient, 'keyId'>> {
  /** Encrypts many values, like `client.encryptMany`. */
  encryptMany(items: readonly EncryptItem[], options?: EncryptOptions): Promise<Settled<Bundle>[]>;
  /** Decrypts many ciphertexts, like `client.decryptMany`. */
  decryptMany(items: readonly DecryptItem[], options?: DecryptOptions): Promise<Settled<Uint8Array>[]>;
}

/** Options for encrypting a value, as in `client.encrypt`. */
export type Sealing = Omit<EncryptOptions, 'signal'>;

/** Options for decrypting a value, as in `client.decrypt`. */
export type Opening = Omit<DecryptOptions, 'signal'>;

/** Identifies a stored value by its row and its field. */
export interface Place<Row extends StoredRow = StoredRow> {
  readonly row: Row;
  readonly field: keyof Row['values'] & string;
}

/** One setting for all values, or a function of the row and the field. */
export type ByPlace<Row extends StoredRow, T> = T | ((place: Place<Row>) => T);

/**
 * The mode `rewrap` wraps the data key of each value again, under the newest key version. It does not decrypt the
 * value.
 */
export interface RewrapPlan<Row extends StoredRow> {
  readonly mode: 'rewrap';
  /**
   * The run skips values under this key version or a newer one. Defaults to each key's newest version at the start of
   * the run.
   */
  readonly keyVersion?: number | undefined;
  readonly wrapContext?: ByPlace<Row, Context | undefined> | undefined;
  /** The person whose data a value is. Values that belong to nobody stay so, except those of an intake writer. */
  readonly subject?: ByPlace<Row, string | undefined> | undefined;
}

/** The mode `encrypt` encrypts plaintexts and does not change ciphertexts. */
export interface EncryptPlan<Row extends StoredRow> {
  readonly mode: 'encrypt';
  readonly to: ByPlace<Row, Sealing>;
}

/**
 * The mode `reencrypt` decrypts each value, and encrypts it again under a new data key. The key, the context and the
 * subject can change. With `subject` in `to`, values that belong to nobody become data of this person, with data keys
 * that only this person has.
 */
export interface ReencryptPlan<Row extends StoredRow> {
  readonly mode: 'reencrypt';
  /** How to decrypt the old values. By default, with the same key and contexts as in `to`. */
  readonly from?: ByPlace<Row, Opening> | undefined;
  readonly to: ByPlace<Row, Sealing>;
  /**
   * The run skips values under this version of the key in `to`, or under a newer version, unless their context changes.
   * Rotate the key first, and then pass its new version. Without `keyVersion`, a run whose `from` does not accept the key
   * in `to` skips every value under that key. With `keyVersion`, it also encrypts the values under older versions of
   * that key again, and decrypts them with the options in `to`.
   */
  readonly keyVersion?: number | undefined;
}

/** The mode `custom` converts each row with a function of the app, for example with `@eaas/sdk/fields`. */
export interface CustomPlan<Row extends StoredRow> {
  readonly mode: 'custom';
  /**
   * Returns the new values of the row, or undefined to leave the row unchanged. A column whose new value is undefined
   * stays unchanged. The function must return undefined for a row that is already converted. If the function throws
   * EaasError, the row counts as failed. Every other error ends the run.
   */
  readonly convert: (row: Row) => Promise<Partial<Row['values']> | undefined>;
}

/** How the run converts the values. The mode determines the other options. */
export type Plan<Row extends StoredRow> =
  | RewrapPlan<Row>
  | EncryptPlan<Row>
  | ReencryptPlan<Row>
  | CustomPlan<Row>;

/** The clock with which a run measures time and waits. Tests can pass their own clock. */
export interface Clock {
  /** Returns the milliseconds since a fixed time. */
  now(): number;
  /** Resolves after the delay. Rejects if the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Options of a run in every mode. */
export interface RunOptions<Row extends StoredRow> {
  /**
   * The progress of an interrupted run, which this run continues. Pass a progress that the interrupted run yielded, and
   * that the app stored as JSON.
   */
  readonly resume?: ReencryptProgress<Row['id']> | undefined;
  /** If true, the run does everything except writing. */
  readonly dryRun?: boolean | undefined;
  /**
   * If true, the run unwraps each new wrapped key before it writes. The mode `rewrap` then compares the old and the new
   * data key. The other modes decrypt one value per data key and compare it with the plaintext. Not available in the
   * mode `custom`.
   */
  readonly verify?: boolean | undefined;
  /** The number of rows that the run reads per page. Defaults to 500. */
  readonly pageSize?: number | undefined;
  /** The maximum number of concurrent calls of `write`. Defaults to 8. */
  readonly concurrency?: number | undefined;
  readonly rowsPerSecond?: number | undefined;
  /** The number of milliseconds that the run waits between two pages. */
  readonly pause?: number | undefined;
  /** The number of rows that can fail. If more rows fail, the run throws TooManyFailures. Defaults to 100. */
  readonly maxFailures?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** All options of `reencrypt`. */
export type ReencryptOptions<Row extends StoredRow> = Plan<Row> & RunOptions<Row>;

export const runOptions: OptionRules<RunOptions<StoredRow>> = {
  resume: object,
  dryRun: flag,
  verify: flag,
  pageSize: positiveInteger,
  concurrency: positiveInteger,
  rowsPerSecond: (value) => (typeof value === 'number' && value > 0) || 'a number above 0',
  pause: atLeastZero,
  maxFailures: countFrom(0),
  signal,
  clock: having('an object with `now` and `sleep`', 'now', 'sleep'),
};

const byPlace: Rule = (value) =>
  typeof value === 'object' ||
  typeof value === 'function' ||
  'an object or a function that returns an object';

const textByPlace: Rule = (value, name) =>
  typeof value === 'function' || person(value, name) === true || 'a subject or a function that returns one';

type RulesOf<P> = OptionRules<Omit<P, 'mode'>>;
export const planOptions: {
  readonly [Mode in Plan<StoredRow>['mode']]: RulesOf<Extract<Plan<StoredRow>, { mode: Mode }>>;
} = {
  rewrap: { keyVersion: positiveInteger, wrapContext: byPlace, subject: textByPlace },
  encrypt: { to: byPlace },
  reencrypt: { from: byPlace, to: byPlace, keyVersion: positiveInteger },
  custom: { convert: callback },
};

const settings: Rule = (value) =>
  Object.prototype.toString.call(value) === '[object Object]' || 'an object of options';

/**
 * Throws InputError if the function `from` or `to` returns a promise or undefined. Otherwise the run would convert the
 * value without the options of the app.
 */
export function settingsAt<Row extends StoredRow, T extends Sealing | Opening>(
  option: ByPlace<Row, T>,
  place: Place<Row>,
  name: 'from' | 'to',
): T {
  const found = settingFor(option, place);
  requireKind(settings, found, `\`${name}\`, or its return value,`);
  return found;
}

export function settingFor<Row extends StoredRow, T>(option: ByPlace<Row, T>, place: Place<Row>): T {
  return typeof option === 'function' ? (option as (place: Place<Row>) => T)(place) : option;
}
