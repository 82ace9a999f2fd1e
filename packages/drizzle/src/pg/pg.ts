export { EncryptedColumnError, type EncryptedColumnErrorCode } from '../error.ts';
export { type EncryptedOptions, fieldsOf } from '../records.ts';
export { excluded } from '../excluded.ts';
export {
  columnOf,
  eq,
  type Equality,
  inArray,
  isNotNull,
  isNull,
  matches,
  type Membership,
  ne,
  notInArray,
  type Presence,
} from '../operators.ts';
export {
  type EncryptedPgColumnBuilder,
  encryptedBigint,
  encryptedBoolean,
  encryptedBytes,
  encryptedDate,
  encryptedJson,
  encryptedNumber,
  encryptedText,
} from './columns.ts';
export { encrypted, type EncryptedPgDatabase } from './database.ts';
export { type EncryptedPgTable, encryptedTable, encryptedTableIn } from './table.ts';
export type { ColumnOptions, Search, SearchParameters } from '../spec.ts';
export type { EncryptedColumn, PartsQuery, SearchableColumn } from '../types.ts';
