// A row of a table that is converted, and what becomes of it. The passes (passes.ts) know nothing else of rows.
import { EaasError } from '@eaas/protocol';
import type { SdkError } from '@eaas/sdk';
import { FieldError } from '@eaas/sdk/fields';

/** The id of a row. A bigint is its decimal text. */
export type RowId = string | number;

/** A row by the names of the definition. */
export type Row = Record<string, unknown>;
export type Texts = Readonly<Record<string, string | null>>;

/** Texts of a row by their names in the definition: of the encrypted columns and of the index columns. */
export interface RowTexts {
  readonly id: RowId;
  readonly values: Texts;
}

export interface TableRow extends RowTexts {
  /** The columns that `previous` of a field needs to read a value, as the driver returns them. */
  readonly others: Readonly<Record<string, unknown>>;
  /** The columns that name the person whose data the row is, as the driver returns them, and as texts. */
  readonly person: Readonly<Record<string, unknown>>;
  readonly personTexts: readonly (string | null)[];
}

/** A row that was not converted, or only in part. Contains no value of the row. */
export interface RowFailure {
  readonly id: string | number;
  /** The name of the field that failed. Absent for a failure of the whole row. */
  readonly field?: string;
  /**
   * The code of an error of the SDK, or `key_version` for a client whose data keys are of an older version, `conflict` for a row
   * that another program changed during every attempt, `store` for one that violates a constraint; and in the mode
   * `decrypt`, `erased` for one of an erased person, and `unread` for a value that its plaintext would not be read as.
   */
  readonly code: SdkError['code'] | keyof typeof reasons;
  readonly message: string;
}

/** What a conversion makes of a row. */
export interface Outcome {
  /** The texts to write. Undefined for a row that is complete. */
  readonly changed?: Texts | undefined;
  /** Whether the row has a ciphertext of an erased person, which nobody can convert. */
  readonly isErased?: boolean;
  readonly failures: readonly RowFailure[];
}

/** What a mode does to a table. */
export interface Work {
  /** Throws the errors that would stop every other row too. */
  convert(rows: readonly TableRow[]): Promise<readonly Outcome[]>;
  /** Whether a row is not yet as it must be. The beginnings of its texts are enough. */
  isLeft(values: Texts): boolean;
  /** Whether rows are not yet as they must be, where only their whole texts tell. */
  leftIn?: ((rows: readonly TableRow[]) => Promise<readonly boolean[]>) | undefined;
}

const reasons = {
  key_version: 'the client encrypts with a data key of an older version: wait 5 minutes, or use a new client',
  conflict: 'another program changed it during each attempt: run this migration again',
  erased: 'nobody can read its values of an erased person: set them to NULL, or pass `leaveErased`',
  unread: 'what `write` of `plaintext` returns is no text that `read` reads as the value: correct them',
  store:
    'it violates a constraint, such as a unique index on an index column, or does not fit its column, or a trigger changes it: ' +
    'change the row, the column or the trigger, and run this again',
} as const;

/** Why a row is not converted whose ciphertext has no room. `longest` is how many characters it has. */
export function noRoom(
  id: RowId,
  { field, column, type, longest }: { field: string; column: string; type: string; longest: number },
): RowFailure {
  const message =
    `row ${id} needs ${longest} characters in ${column}, which is ${type}: change its type to text ` +
    '(`alter table … alter column … type text`, in MySQL `modify … text`), and run this again';
  return { id, field, code: 'store', message };
}

/** Why a row is not converted, if no error of the SDK says it. `place` is its table, or a field of it. */
export function refusalOf(code: keyof typeof reasons, id: RowId, place: string, more = ''): RowFailure {
  return { id, code, message: `${place} of row ${id}: ${reasons[code]}${more}` };
}

const fatal = new Set(['unauthorized', 'permission_missing', 'origin_refused', 'aborted', 'closed']);

/** Says why a row is not converted, and where. Throws what would stop every other row too. */
export function failureOf(error: unknown, id: RowId, table: string): RowFailure {
  const { cause, field } = error instanceof FieldError ? error : { cause: error, field: undefined };
  if (!(cause instanceof EaasError)) throw error;
  // Made again, because the SDK adds advice for apps that read rows.
  const where = field !== undefined && { table, field, row: String(id) };
  const named: EaasError = where ? new FieldError(cause, where) : cause;
  if (named.retryable || fatal.has(named.code)) throw named;
  return { id, ...(where && { field }), code: named.code as SdkError['code'], message: named.message };
}
