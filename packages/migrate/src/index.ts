export { DatabaseError, type SqlDatabase } from './database.ts';
export type { SqlDialect } from './dialects.ts';
export {
  type Inventory,
  inventory,
  type InventoryOptions,
  type KeyUse,
  type VersionUse,
} from './inventory.ts';
export {
  type ColumnLeakage,
  type LeakageOptions,
  type LeakageReport,
  leakageTable,
  type Matching,
  measureLeakage,
  publicList,
  type PublicValue,
} from './leakage.ts';
export {
  type FieldsOptions,
  migrate,
  type MigrateClient,
  type MigrateOptions,
  type Migration,
} from './migrate.ts';
export { type Mode, type Progress, TooManyFailures } from './progress.ts';
export type { RowFailure, RowId } from './rows.ts';
export type { EncryptedDatabase, TableOptions } from './source.ts';
