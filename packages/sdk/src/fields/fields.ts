// What an app imports to define encrypted columns, and to encrypt, search and decrypt rows by them.
export { field, plaintext, unencrypted } from './builders.ts';
export { isCiphertext as isEncrypted } from './recognize-ciphertext.ts';
export type { SettledRow } from './decrypt-rows.ts';
export { decryptNested, type DecryptNestedOptions, type DecryptNestedResult } from './decrypt-nested.ts';
export { Concealed, reveal, type RevealOptions } from './concealed.ts';
export { sortRows, type SortOptions } from './sort-rows.ts';
export type { EncryptionOptions } from './adapter.ts';
export { EncryptedTableError, type EncryptedTableErrorCode } from './encrypted-table-error.ts';
export { defineFields, type FieldsDefinition, type RecordsOptions } from './define-fields.ts';
export type { FieldsDescription } from './describe.ts';
export { checkConstraints, type CheckConstraintsOptions } from './check-constraints.ts';
export type {
  Field,
  FieldOptions,
  FieldPlace,
  Plaintext,
  PlaintextOptions,
  SearchOptions,
  StandardSchema,
  TextSearchOptions,
  Unencrypted,
} from './field.ts';
export { FieldError, type FieldErrorCode, type OnError } from './field-error.ts';
export { createIndexKey, type IndexSource, rewrapIndexKey } from './fingerprints.ts';
export type { EncryptRowOptions, FieldsClient, RowOptions } from './internals.ts';
export type { Normalization } from './normalize.ts';
export { part } from './part.ts';
export type { PartIndex, PartOptions, TextPartOptions } from './part-index.ts';
export { type FieldsQuery, withFields } from './with-fields.ts';
export type { DateBounds, DateRangeOptions } from './date-range.ts';
export type { SearchRange } from './range-rules.ts';
export type { DecryptRowOptions, Records } from './records.ts';
export type {
  DecryptRowResult,
  Encrypted,
  EncryptedRow,
  EncryptRowResult,
  Fingerprint,
  PlainRow,
  RecordId,
  FieldsTables,
} from './row-types.ts';
