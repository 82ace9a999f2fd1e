import { DecryptionError, FormatError, InputError } from '@eaas/protocol';
import { EaasError, type SdkError, type Settled } from '../errors.ts';

/**
 * What went wrong with one field of a row. The message names table, field and row id, never the value; `cause` is the
 * error itself, and `code` its code.
 */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  override readonly cause: SdkError;
  readonly code: SdkError['code'];
  readonly table: string;
  readonly field: string;
  /** The row's id, where there is a row. */
  readonly row: string | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;

  constructor(cause: SdkError, { table, field, row }: Where) {
    super(`${table}.${field}${row === undefined ? '' : ` of row ${row}`}: ${cause.message}`);
    this.cause = cause;
    this.code = cause.code;
    this.table = table;
    this.field = field;
    this.row = row;
    this.retryable = cause instanceof EaasError && cause.retryable;
  }
}

/** The place that an error names. */
export interface Where {
  readonly table: string;
  readonly field: string;
  readonly row: string | undefined;
}

/** What `step` answers. An error of ours becomes a FieldError; the app's own functions throw what they like. */
export function at<T>(where: Where, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw isSdkError(error) ? new FieldError(error, where) : error;
  }
}

/** The value of one result of many; FieldError where there is none. */
export function resultOf<T>(result: Settled<T> | undefined, where: Where): T {
  if (result?.ok) return result.value;
  throw result
    ? new FieldError(result.error, where)
    : new TypeError('the client answered another number of results');
}

function isSdkError(error: unknown): error is SdkError {
  return [EaasError, FormatError, DecryptionError, InputError].some((known) => error instanceof known);
}
