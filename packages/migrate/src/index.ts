// `migrate` encrypts, indexes, rewraps or re-encrypts the rows of a table, and `inventory` counts which keys they are under.
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
  type MigrateFieldsOptions,
  migrate,
  type MigrateClient,
  type MigrateOptions,
  type Migration,
} from './migrate.ts';
export { type MigrateMode, type MigrateProgress, TooManyFailuresError } from './progress.ts';
export type { RowFailure } from './rows.ts';
