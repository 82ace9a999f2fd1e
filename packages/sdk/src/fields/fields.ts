export { bigint, boolean, bytes, date, json, number, text } from './columns.ts';
export type { SettledRow } from './decrypt-rows.ts';
export { defineFields, type FieldsDefinition, type RecordsOptions } from './define-fields.ts';
export type {
  Bound,
  Field,
  FieldOptions,
  Index,
  LowEntropyField,
  LowEntropySearchOptions,
  Place,
  SearchOptions,
  TextField,
  TextSearchOptions,
} from './field.ts';
export { FieldError } from './field-error.ts';
export type { IndexSource } from './fingerprints.ts';
export { createIndexKey, type IndexKeyOptions, rewrapIndexKey } from './index-key.ts';
export type { NamedNormalization, Normalization } from './normalize.ts';
export { plaintext, type Plaintext } from './plaintext.ts';
export type { PlaintextRead, ReadCount } from './reads.ts';
export type { Records } from './records.ts';
export type {
  Encrypted,
  EncryptedRow,
  Fingerprint,
  PlainRow,
  Query,
  RowId,
  SealedRow,
  StoredRow,
  Tables,
} from './row-types.ts';
export type { FieldsClient, RowOptions } from './setting.ts';
