// The one error of the adapters of database libraries: what a statement cannot do on an encrypted column, and what to do instead.
import { EaasError } from '@eaas/protocol/internal';
import type { ColumnPlace } from './recognize-ciphertext.ts';

/** The reason for an EncryptedTableError. */
export type EncryptedTableErrorCode =
  /** The definition or an option is invalid, or does not fit the tables of the database library. */
  | 'definition'
  /** A plaintext value was about to be sent to the database, by a statement that was not made to encrypt it. */
  | 'not_encrypted'
  /** A stored value was about to be returned without decryption, or nobody knows what it is bound to. */
  | 'not_decrypted'
  /** A search names a column that has no index for it. */
  | 'not_searchable'
  /** The statement would compute with ciphertexts, or cannot wait for encryption. Examples are `like`, `<` and `order by`. */
  | 'not_supported'
  /** The statement names an index column, which only the package reads and writes. */
  | 'index_column'
  /** The statement has an argument that the package does not know, and whose values it could not encrypt. */
  | 'unknown_argument'
  /** The ciphertext is bound to the id of its row, which the statement changes, or which is not known before it runs. */
  | 'row_unknown'
  /** The statement does not say whose data the row is, or changes whose data it is. */
  | 'subject_unknown'
  /** The client has `requireUser`, and the statement has no user. */
  | 'user_unknown'
  /** A concealed value, or the text that stands for it, is where a value belongs. */
  | 'concealed'
  /** More rows than a call accepts, before anything is opened. */
  | 'too_many'
  /** A synchronous call cannot encrypt or decrypt, because encryption is asynchronous. */
  | 'synchronous';

/**
 * Thrown for a statement that cannot work on an encrypted column, before it is sent. The message contains the table, the column
 * and the remedy, but never a value.
 *
 * @example
 * ```ts
 * import { EncryptedTableError } from '@eaas/sdk/fields';
 *
 * function explain(error: unknown): void {
 *   if (error instanceof EncryptedTableError) console.error(error.table, error.column, error.remedy);
 * }
 * ```
 */
export class EncryptedTableError extends EaasError {
  override readonly name = 'EncryptedTableError';
  readonly code: EncryptedTableErrorCode;
  /** The table, or the model of Prisma. */
  readonly table: string | undefined;
  /** The column, or the field of Prisma. */
  readonly column: string | undefined;
  /** How to change the statement or the definition. */
  readonly remedy: string;

  constructor(code: EncryptedTableErrorCode, place: ColumnPlace, problem: string, remedy: string) {
    const { table, column } = place;
    const names = [table, column].filter((name) => name !== undefined).join('.');
    super(`${names === '' ? '' : `${names}: `}${problem}: ${remedy}`);
    this.code = code;
    this.table = table;
    this.column = column;
    this.remedy = remedy;
  }
}

/** For adapters: throws an EncryptedTableError. */
export function refuseStatement(...given: ConstructorParameters<typeof EncryptedTableError>): never {
  throw new EncryptedTableError(...given);
}
