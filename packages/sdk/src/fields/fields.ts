export { field, plaintext, unencrypted } from './builders.ts';
export { type FilledPage, fillPage, type FillPageOptions } from './fill-page.ts';
export { type ColumnPlace, holdsCiphertext, isCiphertext as isEncrypted } from './recognize-ciphertext.ts';
export type { SettledRow } from './decrypt-rows.ts';
export {
  decryptNested,
  type DecryptNestedOptions,
  type DecryptNestedResult,
  type Nesting,
} from './decrypt-nested.ts';
export * from './core.ts';
export * from './encrypted-table-error.ts';
export { defineFields, type FieldsDefinition, type RecordsOptions } from './define-fields.ts';
export { checkConstraints, type CheckConstraintsOptions } from './check-constraints.ts';
export type {
  Bound,
  Field,
  FieldOptions,
  FieldPlace,
  Index,
  LowEntropyField,
  Plaintext,
  SearchOptions,
  SearchableField,
  StandardSchema,
  TextField,
  TextSearchOptions,
  Unencrypted,
} from './field.ts';
export {
  FieldError,
  type FieldErrorCode,
  type OnError,
  type SubstituteOf,
  type Throwing,
  type ThrowingUnlessErased,
} from './field-error.ts';
export { createIndexKey, type IndexKeyOptions, type IndexSource, rewrapIndexKey } from './fingerprints.ts';
export type { EncryptRowOptions, FieldsClient, RowOptions } from './internals.ts';
export type { NamedNormalization, Normalization } from './normalize.ts';
export type { PartComparison, PartIndex, PartIndexes, PartOptions, TextPartOptions } from './part-index.ts';
export { type FieldsQuery, type Query, withFields } from './with-fields.ts';
export { type DateBounds, dateRange, type DateRangeOptions } from './date-range.ts';
export { days, months, type RangeIndex, type SearchRange, steps, years } from './range-rules.ts';
export type { DecryptOptionsOf, Records } from './records.ts';
export type {
  DecryptRowResult,
  Encrypted,
  EncryptedRow,
  EncryptRowResult,
  FieldName,
  Fingerprint,
  Guessable,
  IndexColumns,
  PlainRow,
  RecordId,
  SubjectSource,
  Tables,
} from './row-types.ts';
export { firstCharacters, lastCharacters, prefixes, wholeText, words } from './text-rules.ts';
