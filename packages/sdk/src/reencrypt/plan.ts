import type { Context } from '@eaas/protocol';
import type { DecryptOptions, EncryptOptions } from '../call-options.ts';
import type { EaasClient } from '../client.ts';
import type { Clock } from './pace.ts';
import type { Progress } from './progress.ts';
import type { StoredRow } from './store.ts';

/** What a run asks of a client. */
export type ReencryptClient = Pick<EaasClient, 'encryptMany' | 'decryptMany' | 'rewrapMany' | 'unwrap'> &
  Partial<Pick<EaasClient, 'keyId'>>;

/** What values are encrypted with, as in `client.encrypt`. */
export type Sealing = Omit<EncryptOptions, 'signal'>;

/** What values are decrypted with, as in `client.decrypt`. */
export type Opening = Omit<DecryptOptions, 'signal'>;

/** Where a value stands. */
export interface Place<Row extends StoredRow = StoredRow> {
  readonly row: Row;
  readonly field: keyof Row['values'] & string;
}

/** The same for every value, or as its place asks for. */
export type ByPlace<Row extends StoredRow, T> = T | ((place: Place<Row>) => T);

/**
 * `rewrap`: the data key of each value is wrapped anew under the newest version of its key; the value itself is neither
 * decrypted nor changed.
 */
export interface RewrapPlan<Row extends StoredRow> {
  readonly mode: 'rewrap';
  /** The version that suffices. Where absent, the newest one of each key when the run first met it. */
  readonly keyVersion?: number | undefined;
  readonly wrapContext?: ByPlace<Row, Context | undefined> | undefined;
}

/** `encrypt`: what is no envelope yet becomes one. Envelopes are left as they are. */
export interface EncryptPlan<Row extends StoredRow> {
  readonly mode: 'encrypt';
  readonly to: ByPlace<Row, Sealing>;
}

/** `reencrypt`: each value is decrypted, and encrypted under a new data key, another key or another context. */
export interface ReencryptPlan<Row extends StoredRow> {
  readonly mode: 'reencrypt';
  /** As `to` where absent. */
  readonly from?: ByPlace<Row, Opening> | undefined;
  readonly to: ByPlace<Row, Sealing>;
  /** Values under this version of the key or a newer one are taken for done: rotate first, then name the new version. */
  readonly keyVersion?: number | undefined;
}

/** `custom`: each row is converted by a function of the application's, as one that uses `@eaas/sdk/fields`. */
export interface CustomPlan<Row extends StoredRow> {
  readonly mode: 'custom';
  /**
   * The values that the row is to have, or undefined where it is as it should be: called again for a row that was
   * converted, it must see that. What the SDK throws is this row's failure; all else ends the run.
   */
  readonly convert: (row: Row) => Promise<Partial<Row['values']> | undefined>;
}

/** What is to become of the values. */
export type Plan<Row extends StoredRow> =
  | RewrapPlan<Row>
  | EncryptPlan<Row>
  | ReencryptPlan<Row>
  | CustomPlan<Row>;

/** How a run goes about it. */
export interface RunOptions<Row extends StoredRow> {
  /** Goes on where this progress, which may have been through JSON, was yielded. */
  readonly resume?: Progress<Row['id']> | undefined;
  /** Everything but the write: what opens, what fails, how much there is to do. */
  readonly dryRun?: boolean | undefined;
  /** Has each new data key unwrapped, and what was made of it opened, before it replaces anything. Not in mode `custom`. */
  readonly verify?: boolean | undefined;
  /** Rows a page; 500 where absent. */
  readonly pageSize?: number | undefined;
  /** Calls of `write` under way at a time; 8 where absent. */
  readonly concurrency?: number | undefined;
  readonly rowsPerSecond?: number | undefined;
  /** Milliseconds between two pages. */
  readonly pause?: number | undefined;
  /** Failed rows after which this run throws TooManyFailures; 100 where absent. */
  readonly maxFailures?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** What is to become of the values, and how a run goes about it. */
export type ReencryptOptions<Row extends StoredRow> = Plan<Row> & RunOptions<Row>;

/** The option at a place. */
export function at<Row extends StoredRow, T>(option: ByPlace<Row, T>, place: Place<Row>): T {
  return typeof option === 'function' ? (option as (place: Place<Row>) => T)(place) : option;
}
