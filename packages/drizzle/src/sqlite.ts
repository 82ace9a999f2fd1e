// The entry for SQLite: Drizzle's classes and types of SQLite around what all dialects share.
import { check, SQLiteColumn, SQLiteColumnBuilder, sqliteTable } from 'drizzle-orm/sqlite-core';
import { columnsOf } from './columns.ts';
import { databaseOf } from './database.ts';
import { tablesOf } from './table.ts';
import type { DefineTable, Encrypt } from './types.ts';

export { EncryptedTableError, type EncryptionOptions } from '@eaas/sdk/fields';
export { fieldsOf } from './access.ts';
export { type TableOptions, withoutIndexes } from './table.ts';
export type { EncryptedBuilder, EncryptedDatabase } from './types.ts';
export { excluded, matches } from './walk.ts';

const columns = columnsOf({
  name: 'SQLite',
  Builder: SQLiteColumnBuilder,
  Column: SQLiteColumn,
  sqlType: () => 'text',
});
const tables = tablesOf(columns.indexColumn, check, "glob 'eaasA*'");

/** Makes an encrypted column of a field: `encrypted(field.text().searchable())`. */
export const encrypted = columns.encrypted as Encrypt<'sqlite'>;

/**
 * Creates a table like `sqliteTable`, and adds an index column for each searchable column. Throws EncryptedTableError for an
 * invalid definition.
 */
export const encryptedTable = tables(sqliteTable as never) as unknown as DefineTable<'sqlite'>;

/**
 * Returns a Drizzle database whose statements encrypt values, search by fingerprints and decrypt results. A statement
 * that cannot work on an encrypted column throws EncryptedTableError.
 */
export const withEncryption = databaseOf('sqlite');
