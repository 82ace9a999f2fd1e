import { InputError } from '@eaas/protocol';
import type { Reason } from './reason.ts';
import type { RowId } from './store.ts';

/** A row that was not converted, or not wholly. Holds no value. */
export interface Failure<Id extends RowId = RowId> extends Pick<Reason, 'code' | 'message'> {
  readonly id: Id;
  /** Absent where the whole row could not be written. */
  readonly field?: string;
}

/**
 * Where a run stands when the rows up to `cursor` are done with: plain data, to be kept as JSON and given back as
 * `resume`. The counts are those of the whole run, its earlier parts included.
 */
export interface Progress<Id extends RowId = RowId> {
  readonly mode: 'rewrap' | 'encrypt' | 'reencrypt' | 'custom';
  readonly dryRun: boolean;
  /** The id of the last row that is done with; null before the first. */
  readonly cursor: Id | null;
  /** What the store's `count` answered at the start. */
  readonly total?: number;
  readonly seen: number;
  /** Written; in a dry run, what would be. */
  readonly rewritten: number;
  /** Nothing to do: converted already, empty, or deleted meanwhile. */
  readonly skipped: number;
  /** Changed by somebody else each time that it was tried. */
  readonly conflicted: number;
  /** At least one field could not be converted, or the store refused the row. The row's other fields were written. */
  readonly failed: number;
  /** By key: the version that every value seen so far has reached, those that conflicted or failed excepted. */
  readonly keyVersions: Readonly<Record<string, number>>;
  /** Of the page just done: the rows that conflicted or failed. */
  readonly failures: readonly Failure<Id>[];
  /** Whether the end of the table was reached. */
  readonly finished: boolean;
  /** Finished, and nothing is left over. */
  readonly done: boolean;
}

/** More rows failed than `maxFailures` allows. What was yielded before is where to go on. */
export class TooManyFailures extends Error {
  override readonly name = 'TooManyFailures';
  readonly code = 'too_many_failures';
  readonly failed: number;

  constructor(failed: number, last: string | undefined) {
    super(`${failed} rows failed, more than \`maxFailures\` allows; the last one: ${last ?? 'unknown'}`);
    this.failed = failed;
  }
}

/** What became of a row. */
export type RowResult<Id extends RowId> = {
  readonly kind: 'rewritten' | 'skipped' | 'conflicted' | 'failed';
  readonly failures: readonly Failure<Id>[];
};

/** The progress to begin with. Throws InputError when the one to resume is another kind of run's. */
export function beginProgress<Id extends RowId>(
  mode: Progress['mode'],
  dryRun: boolean,
  resume: Progress<Id> | undefined,
): Progress<Id> {
  if (resume && (resume.mode !== mode || resume.dryRun !== dryRun)) {
    const kind = `${resume.dryRun ? 'a dry run' : 'a run'} of mode \`${resume.mode}\``;
    throw new InputError(`\`resume\` is of ${kind}: what that has passed, this run must not skip`);
  }
  const counts = { seen: 0, rewritten: 0, skipped: 0, conflicted: 0, failed: 0, keyVersions: {} };
  const before = { cursor: null, ...counts, ...resume };
  return { ...before, mode, dryRun, failures: [], finished: false, done: false };
}

/** Throws InputError where values that the run has passed are under an older version than it is to reach now. */
export function requireReached({ keyVersions }: Progress, wanted: number | undefined): void {
  const reached = Object.values(keyVersions).find((version) => version < (wanted ?? 0));
  if (reached === undefined) return;
  throw new InputError(
    `\`resume\` has passed values at key version ${reached}: for version ${wanted} begin anew`,
  );
}

/** The progress when a page is done with. */
export function advance<Id extends RowId>(
  progress: Progress<Id>,
  cursor: Id,
  results: readonly RowResult<Id>[],
  keyVersions: Readonly<Record<string, number>>,
): Progress<Id> {
  const counts = { ...progress };
  for (const { kind } of results) counts[kind]++;
  return {
    ...counts,
    cursor,
    seen: progress.seen + results.length,
    keyVersions: { ...keyVersions },
    failures: results.flatMap(({ failures }) => failures),
  };
}

/** The progress at the end of the table. */
export function finish<Id extends RowId>(progress: Progress<Id>): Progress<Id> {
  const done = progress.conflicted === 0 && progress.failed === 0 && !progress.dryRun;
  return { ...progress, failures: [], finished: true, done };
}
