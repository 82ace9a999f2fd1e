import { EaasError } from '@eaas/sdk';

/** The reason for an EncryptedModelError. */
export type EncryptedModelErrorCode =
  /** The definition or the options do not match the Prisma schema. */
  | 'definition'
  /** The filter cannot work on ciphertexts, or its field is not searchable. */
  | 'unsupported_filter'
  /** The query orders, groups or aggregates by an encrypted field. */
  | 'unsupported_order'
  /** The value cannot be encrypted. An example is `{ increment: 1 }`. */
  | 'unsupported_value'
  /** The operation or the argument is unknown to this version of the extension. */
  | 'unknown_argument'
  /** The arguments name an index column. Only the extension may read or write index columns. */
  | 'index_column'
  /** Encryption needs the id of the row, but the id is unknown. */
  | 'unknown_id'
  /** Encryption needs the person whose data the row is, but the person is unknown. */
  | 'unknown_subject'
  /** The client requires a user on whose behalf it acts, and the operation has none. */
  | 'unknown_user'
  /** The operation needs an additional query, which a batch transaction cannot run. */
  | 'batch'
  /** A raw SQL statement uses an encrypted table. */
  | 'raw_query';

interface ModelPlace {
  readonly model: string | undefined;
  readonly field: string | undefined;
}

/**
 * Thrown if the extension refuses an operation. The message contains the model, the field and the remedy, but never a
 * value.
 */
export class EncryptedModelError extends EaasError {
  override readonly name = 'EncryptedModelError';
  readonly code: EncryptedModelErrorCode;
  readonly model: string | undefined;
  readonly field: string | undefined;
  /** How to change the operation, the definition or the schema. */
  readonly remedy: string;

  constructor(code: EncryptedModelErrorCode, { model, field }: ModelPlace, problem: string, remedy: string) {
    const place = [model, field].filter((name) => name !== undefined).join('.');
    super(`${place === '' ? '' : `${place}: `}${problem}: ${remedy}`);
    this.code = code;
    this.model = model;
    this.field = field;
    this.remedy = remedy;
  }
}

export function refuse(
  code: EncryptedModelErrorCode,
  place: Partial<ModelPlace>,
  problem: string,
  remedy: string,
): never {
  throw new EncryptedModelError(code, { model: undefined, field: undefined, ...place }, problem, remedy);
}
