import { EaasError, InputError } from '@eaas/protocol';
import type { FailureCode } from './convert.ts';
import type { RowId } from './store.ts';

/** Describes a row that was not converted, or was converted only in part. Contains no value of the row. */
export interface RowFailure<Id extends RowId = RowId> {
  readonly code: FailureCode;
  readonly message: string;
  readonly id: Id;
  /** The name of the field that failed. Absent for a failure of the whole row. */
  readonly field?: string;
}

/**
 * The state of a run that has passed the rows up to `cursor`. The app can store this object as JSON and pass it as
 * `resume` to continue the run. The counts then include the pages before the interruption.
 */
export interface ReencryptProgress<Id extends RowId = RowId> {
  readonly mode: 'rewrap' | 'encrypt' | 'reencrypt' | 'custom';
  readonly dryRun: boolean;
  /** The id of the last row that the run has passed. Null before the first page. */
  readonly cursor: Id | null;
  /** The number that the store's `count` returned at the start of the run. */
  readonly total?: number;
  readonly seen: number;
  /** The number of rows that the run has written. In a dry run, the number of rows that a real run would write. */
  readonly rewritten: number;
  /** The number of rows that needed no change, because they were already converted, empty or deleted. */
  readonly skipped: number;
  /** The number of rows that could not be written, because another program changed them during every attempt. */
  readonly conflicted: number;
  /**
   * The number of rows with a failed field or a failed write. If one field of a row fails, the run still writes the
   * other fields of the row.
   */
  readonly failed: number;
  /**
   * The number of rows with a ciphertext of an erased person, which nobody can convert or read. The other fields of the
   * row are still written. Delete these rows, or set their encrypted columns to NULL.
   */
  readonly erased: number;
  /**
   * A key version for each key id. In the mode `rewrap`, all rewrapped and skipped values are under this version or a
   * newer one. Values of conflicted and failed rows can be under an older version. In the mode `reencrypt` with the
   * option `keyVersion`, this version is the option, for each key that encrypts values. Otherwise, the object is empty.
   */
  readonly keyVersions: Readonly<Record<string, number>>;
  /** The failures of the rows in the last page. In the last progress, those of the whole run. */
  readonly failures: readonly RowFailure<Id>[];
  /** True if the run has reached the end of the table. */
  readonly finished: boolean;
  /** True if the run has finished, and no row conflicted or failed. Always false in a dry run. */
  readonly done: boolean;
}

/** Thrown if more rows failed than `maxFailures`. To continue, pass the last progress as `resume`. */
export class TooManyFailures extends EaasError {
  override readonly name = 'TooManyFailures';
  readonly code = 'too_many_failures';
  readonly failed: number;

  constructor(failed: number, last: string | undefined) {
    super(`${failed} rows failed, more than \`maxFailures\` allows (the last failure: ${last ?? 'unknown'})`);
    this.failed = failed;
  }
}

export type RowResult<Id extends RowId> = {
  readonly kind: 'rewritten' | 'skipped' | 'conflicted' | 'failed' | 'erased';
  readonly failures: readonly RowFailure<Id>[];
};

export function beginProgress<Id extends RowId>(
  mode: ReencryptProgress['mode'],
  dryRun: boolean,
  resume: ReencryptProgress<Id> | undefined,
  keyVersion = 0,
): ReencryptProgress<Id> {
  if (resume && (resume.mode !== mode || resume.dryRun !== dryRun)) {
    const other = resume.mode === mode ? '`dryRun`' : '`mode`';
    throw new InputError(
      `\`resume\` must come from a run with the same \`mode\` and \`dryRun\` (got another ${other}): omit ` +
        `\`resume\`, or pass the same options`,
    );
  }
  const older = Object.values(resume?.keyVersions ?? {}).find((version) => version < keyVersion);
  if (older !== undefined) {
    throw new InputError(
      `\`keyVersion\` must be at most ${older}, as in the run that \`resume\` continues (got ` +
        `${keyVersion}): omit \`resume\` to start the run again`,
    );
  }
  const counts = { seen: 0, rewritten: 0, skipped: 0, conflicted: 0, failed: 0, erased: 0 };
  const before = { cursor: null, keyVersions: {}, ...counts, ...resume };
  return { ...before, mode, dryRun, failures: [], finished: false, done: false };
}

export function advance<Id extends RowId>(
  progress: ReencryptProgress<Id>,
  cursor: Id,
  results: readonly RowResult<Id>[],
  keyVersions: Readonly<Record<string, number>>,
): ReencryptProgress<Id> {
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
