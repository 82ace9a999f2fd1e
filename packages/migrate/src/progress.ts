// How far a migration has come, in counts that an app can show or store as JSON.
import { EaasError } from '@eaas/protocol';
import type { Outcome, RowFailure, RowId } from './rows.ts';

/** What a migration does to a table. */
export type MigrateMode = 'index' | 'encrypt' | 'rewrap' | 'reencrypt' | 'decrypt';

/** What a migration works on. */
interface Subject {
  readonly mode: MigrateMode;
  readonly dryRun: boolean;
  readonly table: string;
  /** The encrypted fields. */
  readonly fields: readonly string[];
}

/** How far a migration has come. */
export interface MigrateProgress extends Subject {
  /** The number of rows at the start. */
  readonly total: number;
  readonly seen: number;
  /** The number of rows that were written. In a dry run, of those that would be. */
  readonly rewritten: number;
  /** The number of rows that were complete, or empty, or are gone. */
  readonly skipped: number;
  /** The number of rows that another program changed during every attempt. The second look converts them. */
  readonly conflicted: number;
  /** The number of rows with a failure. Their other fields are written, if the mode is `rewrap`. */
  readonly failed: number;
  /** The number of rows with values of an erased person, which nobody can convert. Delete them, or set them to NULL. */
  readonly erased: number;
  /** The number of rows at which the migration has looked again, after the last one, for what is left. */
  readonly checked: number;
  /** Whether all rows were passed. */
  readonly finished: boolean;
  /** The failures of the last page. */
  readonly failures: readonly RowFailure[];
}

/**
 * Thrown if more rows failed than `maxFailures`. A further run goes on with what is left.
 *
 * @example
 * ```ts
 * import { migrate, TooManyFailuresError } from '@eaas/migrate';
 *
 * const options = { client: eaas, fields, maxFailures: 10 };
 * const error = await migrate(pool, 'members', 'encrypt', options).catch((error: unknown) => error);
 * if (error instanceof TooManyFailuresError) console.error(error.failed);
 * ```
 */
export class TooManyFailuresError extends EaasError {
  override readonly name = 'TooManyFailuresError';
  readonly code = 'too_many_failures';
  readonly failed: number;

  constructor(failed: number, last: string | undefined) {
    super(`${failed} rows failed, more than \`maxFailures\` allows (the last failure: ${last ?? 'unknown'})`);
    this.failed = failed;
  }
}

export function beginProgress(of: Subject, total: number): MigrateProgress {
  const counts = { seen: 0, rewritten: 0, skipped: 0, conflicted: 0, failed: 0, erased: 0, checked: 0 };
  return { ...of, total, ...counts, finished: false, failures: [] };
}

export interface RowResult {
  readonly id: RowId;
  readonly kind: 'rewritten' | 'skipped' | 'conflicted' | 'failed' | 'erased';
  readonly failures: readonly RowFailure[];
}

/** What became of a row. `unwritten`: why it was not written, if it should have been. */
export function resultOf(id: RowId, outcome: Outcome, unwritten: RowFailure | undefined): RowResult {
  const failures = unwritten ? [...outcome.failures, unwritten] : outcome.failures;
  const unfailed = outcome.isErased ? 'erased' : outcome.changed ? 'rewritten' : 'skipped';
  const kind = unwritten?.code === 'conflict' ? 'conflicted' : failures.length > 0 ? 'failed' : unfailed;
  return { id, kind, failures };
}

export function advance(progress: MigrateProgress, results: readonly RowResult[]): MigrateProgress {
  const counts = { ...progress };
  for (const { kind } of results) counts[kind]++;
  return {
    ...counts,
    seen: progress.seen + results.length,
    failures: results.flatMap(({ failures }) => failures),
  };
}

/** What the line of progress of a command says. */
export function lineOf(progress: MigrateProgress): [number, number, string] {
  const { seen, checked, total, finished, dryRun } = progress;
  const done = finished ? checked : seen;
  const [rows, all] = [done, total].map((count) => count.toLocaleString('en'));
  const what = finished ? 'checked' : dryRun ? 'tried' : 'converted';
  return [done, total, `${what} ${rows} of ${all} rows`];
}
