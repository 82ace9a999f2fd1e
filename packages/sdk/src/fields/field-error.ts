import { EaasError } from '@eaas/protocol';
import type { SdkError, Settled } from '../errors.ts';

/** The code of the error in `cause`, or `no_fingerprint` if a search value is empty after normalization. */
export type FieldErrorCode = SdkError['code'] | 'no_fingerprint';

/**
 * Thrown if one field of a row cannot be encrypted, decrypted or searched. The message contains the table, the field
 * and the row id, but never the value.
 */
export class FieldError extends EaasError {
  override readonly name = 'FieldError';
  override readonly cause: SdkError;
  readonly code: FieldErrorCode;
  readonly table: string;
  readonly field: string;
  /** The id of the row. Undefined for a call without a row. */
  readonly row: string | undefined;
  /** Whether the call might succeed if the app repeats it later. */
  override readonly retryable: boolean;

  constructor(cause: SdkError, { table, field, row }: Where, code: FieldErrorCode = cause.code) {
    const place =
      row === undefined ? `${table}.${field}` : `${table}.${field} of row ${row.replace(/\p{Cc}/gu, '�')}`;
    // The error for another key already names its cause.
    const isBound = code === 'decryption' && row !== undefined && cause.message.includes('context');
    const hint = isBound ? ' (was it encrypted with this row id?)' : '';
    super(`${place}: ${cause.message}${hint}`);
    this.cause = cause;
    this.code = code;
    this.table = table;
    this.field = field;
    this.row = row;
    this.retryable = cause.retryable;
  }
}

export interface Where {
  readonly table: string;
  readonly field: string;
  readonly row: string | undefined;
}

export function inField<T>(where: Where, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof FieldError || !(error instanceof EaasError)) throw error;
    throw new FieldError(error as SdkError, where);
  }
}

export function resultOf<T>(result: Settled<T> | undefined, where: Where): T {
  if (result?.ok) return result.value;
  if (result) throw new FieldError(result.error, where);
  throw new TypeError('the client must return one result for each value (got fewer results)');
}
