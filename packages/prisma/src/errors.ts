import { EaasError } from '@eaas/sdk';

/** Why an operation was refused. Nothing was read or written. */
export type EncryptedModelErrorCode =
  /** The definition, the options and the Prisma schema do not fit together. */
  | 'definition'
  /** A filter that ciphertexts cannot answer, or a field without searchable(). */
  | 'unsupported_filter'
  /** An order, a group or an aggregate of an encrypted field. */
  | 'unsupported_order'
  /** A value that cannot be encrypted, such as `{ increment: 1 }`. */
  | 'unsupported_value'
  /** An operation or an argument that this version does not know. */
  | 'unknown_argument'
  /** The app names an index column. */
  | 'index_column'
  /** The id of a row is needed and unknown. */
  | 'unknown_id'
  /** The operation needs another query first, which a batch transaction cannot run. */
  | 'batch'
  /** A raw query names an encrypted table. */
  | 'raw_query'
  /** A column that is not encrypted holds a ciphertext. */
  | 'ciphertext';

/** The model and the field that an error names. */
interface ModelPlace {
  readonly model: string | undefined;
  readonly field: string | undefined;
}

/** The extension refused an operation. The message names the model, the field and what to do, and never contains a value. */
export class EncryptedModelError extends EaasError {
  override readonly name = 'EncryptedModelError';
  readonly code: EncryptedModelErrorCode;
  readonly model: string | undefined;
  readonly field: string | undefined;

  constructor(code: EncryptedModelErrorCode, { model, field }: ModelPlace, message: string) {
    const place = [model, field].filter((name) => name !== undefined).join('.');
    super(place === '' ? message : `${place}: ${message}`);
    this.code = code;
    this.model = model;
    this.field = field;
  }
}

/** Throws the error. `field` is undefined for an error of a whole model. */
export function refuse(
  code: EncryptedModelErrorCode,
  model: { readonly name: string } | undefined,
  field: string | undefined,
  message: string,
): never {
  throw new EncryptedModelError(code, { model: model?.name, field }, message);
}
