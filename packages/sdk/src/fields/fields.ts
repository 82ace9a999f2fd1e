export { field, plaintext, unencrypted } from './builders.ts';
export { type FilledPage, fillPage } from './fill-page.ts';
export {
  type ColumnPlace,
  holdsCiphertext,
  isCiphertext as isEncrypted,
  reportCiphertexts,
} from './recognize-ciphertext.ts';
export type { SettledRow } from './decrypt-rows.ts';
export { decryptNested } from './decrypt-nested.ts';
export { defineFields, type FieldsDefinition, type RecordsOptions } from './define-fields.ts';
export {
  checkConstraints,
  describeFields,
  type FieldDescription,
  indexColumns,
  type PartDescription,
} from './describe-fields.ts';
export type * from './field.ts';
export {
  FieldError,
  type FieldErrorCode,
  type OnError,
  type SubstituteOf,
  type Throwing,
  type ThrowingUnlessErased,
} from './field-error.ts';
export type { IndexSource } from './fingerprints.ts';
export { createIndexKey, rewrapIndexKey } from './fingerprints.ts';
export type { EncryptRowOptions, FieldsClient, ReadCount, RowOptions } from './internals.ts';
export type { Normalization } from './normalize.ts';
export type { PartComparison, PartIndex, PartIndexes } from './part-index.ts';
export { type FieldsQuery, type Query, withFields } from './with-fields.ts';
export { type DateBounds, dateRange } from './date-range.ts';
export { days, months, type RangeIndex, type SearchRange, steps, years } from './range-rules.ts';
export type { Records } from './records.ts';
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
