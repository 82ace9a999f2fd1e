// Names the table, field and row of what failed, never the value, and what `onError` puts in place of a value that fails.
import { EaasError, type Rule } from '@eaas/protocol/internal';
import type { SdkError } from '../errors.ts';
import type { FieldPlace } from './field.ts';
import type { SubjectSource } from './row-types.ts';

/** The code of the error in `cause`, or `no_fingerprint` if a search value is empty after normalization. */
export type FieldErrorCode = SdkError['code'] | 'no_fingerprint';

/**
 * Thrown if one field of a row cannot be encrypted, decrypted or searched. The message contains the table, the field
 * and the row id, but never the value.
 *
 * @example
 * ```ts
 * import { defineFields, field, FieldError } from '@eaas/sdk/fields';
 *
 * const records = defineFields({ patients: { name: field.text() } }).for(eaas);
 * const row = await records.encryptRow('patients', '7', { name: 'Ada' });
 * const error = await records.decryptRow('patients', '8', row).catch((error: unknown) => error);
 * if (error instanceof FieldError) console.log(error.field, error.row, error.code); // name 8 decryption
 * ```
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

  constructor(cause: SdkError, { table, field, row, isRead }: Where, code: FieldErrorCode = cause.code) {
    const place =
      row === undefined ? `${table}.${field}` : `${table}.${field} of row ${row.replace(/\p{Cc}/gu, '�')}`;
    // The error for another key already names its cause.
    const isBound = code === 'decryption' && cause.message.includes('context');
    const hint = isBound
      ? ' (is it from another row, or was the table, column or id renamed? See "Change your schema")'
      : '';
    const isBadValue = isRead && isOfValue(code);
    super(
      `${place}: ${cause.message}${hint}${isBadValue ? "; to read the rest, pass `onError: 'null'`" : ''}`,
    );
    this.cause = cause;
    this.code = code;
    this.table = table;
    this.field = field;
    this.row = row;
    this.retryable = cause.retryable;
  }
}

/**
 * What happens if a stored value cannot be decrypted. `throw` fails the call, and `null` returns the row with null in the
 * column. A function gets the error, which never contains the value, and the row as it is stored, but with a handle for a
 * concealed value that is not encrypted; what it returns stands for the value. A value of an erased person counts as one that
 * cannot be decrypted. Any other refusal of the service, an aborted call or a lost connection always throws. Without the
 * option, everything throws, except that the values of erased people are null in lists, and in each query of an ORM.
 */
export type OnError<Row = Readonly<Record<string, unknown>>> =
  | 'throw'
  | 'null'
  | ((error: FieldError, row: Row) => unknown);

/** The default of `onError`, which has a function in it so that TypeScript knows the parameters of a given one. */
export type Throwing<Row = Readonly<Record<string, unknown>>> =
  | 'throw'
  | ((error: FieldError, row: Row) => never);

/** The default of `onError` in lists of the table `F`: if its rows are of people, those of erased ones have null. */
export type ThrowingUnlessErased<F, Row = Readonly<Record<string, unknown>>> =
  | Throwing<Row>
  | (F extends { readonly subject: SubjectSource } ? 'null' : never);

/** What stands for a value that cannot be decrypted, by the option `onError`. */
export type SubstituteOf<Given> = Given extends 'null'
  ? null
  : Given extends (...args: never) => infer R
    ? R
    : never;

export const onErrorRule: Rule = (value) =>
  value === 'throw' || value === 'null' || typeof value === 'function' || "'throw', 'null' or a function";

/** Whether only this value is at fault, or its person was erased, and not the call, the connection or a permission. */
export const isOfValue = (code: FieldErrorCode): boolean =>
  code === 'decryption' || code === 'format' || code === 'subject_erased';

export interface Where extends Omit<FieldPlace, 'row'> {
  readonly row: string | undefined;
  /** Whether the value is read from its row, which `onError` is for. */
  readonly isRead?: boolean;
}

export function inField<T>(where: Where, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw fieldErrorOf(error, where);
  }
}

/** For `catch` of a promise. */
export const failIn =
  (where: Where) =>
  (error: unknown): never => {
    throw fieldErrorOf(error, where);
  };

/** Says where a value failed. Throws an error that is not about the value. */
export function fieldErrorOf(error: unknown, where: Where): FieldError {
  if (error instanceof FieldError) return error;
  if (!(error instanceof EaasError)) throw error;
  return new FieldError(error as SdkError, where);
}
