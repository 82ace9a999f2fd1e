import { EaasError } from '@eaas/sdk';

/** The reason for an EncryptedColumnError. */
export type EncryptedColumnErrorCode =
  /** The definition of the column or its table is invalid. */
  | 'schema'
  /**
   * A plaintext value reached the database driver, because the statement was not started on the database that
   * `encrypted` returned.
   */
  | 'not_encrypted'
  /**
   * A stored value was read without decryption, because the query was not started on the database that `encrypted`
   * returned.
   */
  | 'not_decrypted'
  /** A comparison uses an encrypted column that has no index column. */
  | 'not_searchable'
  /** The SQL cannot work on ciphertexts. Examples are `like`, `<` and `order by`. */
  | 'not_supported'
  /** The ciphertext is bound to the id of its row, but the statement changes the id or runs before the id is known. */
  | 'row_unknown'
  /** The statement does not say whose data the row is, or changes whose data it is. */
  | 'subject_unknown'
  /** The result could not be decrypted: it has no row id, or another definition of a table hides an encrypted column. */
  | 'cannot_open'
  /** The statement changes too many rows. The error message names the limit. */
  | 'too_many_rows'
  /** A synchronous call cannot encrypt or decrypt, because encryption is asynchronous. */
  | 'synchronous';

export interface ColumnPlace {
  readonly table: string | undefined;
  readonly column: string | undefined;
}

/**
 * Thrown for a statement that cannot work on an encrypted column. The message contains the column and the remedy, but
 * never a value.
 */
export class EncryptedColumnError extends EaasError {
  override readonly name = 'EncryptedColumnError';
  readonly code: EncryptedColumnErrorCode;
  readonly table: string | undefined;
  readonly column: string | undefined;
  /** How to change the statement or the definition. */
  readonly remedy: string;

  constructor(
    code: EncryptedColumnErrorCode,
    { table, column }: ColumnPlace,
    problem: string,
    remedy: string,
  ) {
    const place = [table, column].filter((name) => name !== undefined).join('.');
    super(`${place === '' ? '' : `${place}: `}${problem}: ${remedy}`);
    this.code = code;
    this.table = table;
    this.column = column;
    this.remedy = remedy;
  }
}

export function refuse(
  code: EncryptedColumnErrorCode,
  place: Partial<ColumnPlace>,
  problem: string,
  remedy: string,
): never {
  throw new EncryptedColumnError(code, { table: undefined, column: undefined, ...place }, problem, remedy);
}

export function refusePlaceholder(place: ColumnPlace): never {
  return refuse(
    'not_supported',
    place,
    'a placeholder cannot be encrypted',
    'pass the value, without `prepare`',
  );
}

export function refuseSql(place: ColumnPlace): never {
  return refuse(
    'not_supported',
    place,
    'the database sees only ciphertexts, so this SQL cannot work on the column',
    'use `eq`, `ne`, `inArray`, `notInArray`, `isNull` or `isNotNull`, or compute after decryption',
  );
}
