import { EaasError } from '@eaas/sdk';

/** Why an encrypted column cannot be used in this way. */
export type EncryptedColumnErrorCode =
  /** The definition of the column or its table is invalid. */
  | 'schema'
  /** A value reached the database driver without encryption: the statement is not of a database made by `encrypted`. */
  | 'not_encrypted'
  /** A stored value was read without decryption: the query is not of a database made by `encrypted`. */
  | 'not_decrypted'
  /** The column has no index column, so it cannot be compared. */
  | 'not_searchable'
  /** SQL that cannot work on ciphertexts, such as `like`, `<` or `order by`. */
  | 'not_supported'
  /** The ciphertext is bound to the id of the row, and the statement changes it or runs before it is known. */
  | 'row_unknown'
  /** The result has no row id for a ciphertext, or holds a ciphertext in a column that is not encrypted. */
  | 'cannot_open'
  /** The statement changes more rows than one statement can encrypt. */
  | 'too_many_rows'
  /** Encryption is asynchronous, and this call is synchronous. */
  | 'synchronous';

/** The table and the column that an error names. */
export interface ColumnPlace {
  readonly table: string | undefined;
  readonly column: string | undefined;
}

/** A statement cannot work on an encrypted column. The message names the column and the remedy, and never a value. */
export class EncryptedColumnError extends EaasError {
  override readonly name = 'EncryptedColumnError';
  readonly code: EncryptedColumnErrorCode;
  readonly table: string | undefined;
  readonly column: string | undefined;
  /** What to do. */
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

/** Throws EncryptedColumnError. */
export function refuse(
  code: EncryptedColumnErrorCode,
  place: Partial<ColumnPlace>,
  problem: string,
  remedy: string,
): never {
  throw new EncryptedColumnError(code, { table: undefined, column: undefined, ...place }, problem, remedy);
}

/** Throws EncryptedColumnError for SQL that would compute with ciphertexts or fingerprints. */
export function refuseSql(place: ColumnPlace): never {
  return refuse(
    'not_supported',
    place,
    'the database sees only ciphertexts, so this SQL cannot work on the column',
    'use `eq`, `ne`, `inArray`, `notInArray`, `isNull` or `isNotNull`, or compute after decryption',
  );
}
