// The entry for MySQL: Drizzle's classes and types of MySQL around what all dialects share.
import { check, MySqlColumn, MySqlColumnBuilder, mysqlTable } from 'drizzle-orm/mysql-core';
import { columnsOf } from './columns.ts';
import { databaseOf } from './database.ts';
import { tablesOf } from './table.ts';
import type { DefineTable, Encrypt } from './types.ts';

export { EncryptedTableError, type EncryptionOptions } from '@eaas/sdk/fields';
export { fieldsOf } from './access.ts';
export { type TableOptions, withoutIndexes } from './table.ts';
export type { EncryptedBuilder, EncryptedDatabase } from './types.ts';
export { matches } from './walk.ts';

const columns = columnsOf({
  name: 'MySql',
  Builder: MySqlColumnBuilder,
  Column: MySqlColumn,
  sqlType: (role) => (role.role === 'index' && !role.isList ? 'varchar(64)' : 'mediumtext'),
});
const tables = tablesOf(columns.indexColumn, check, "like cast('eaasA%' as binary)");

/** Makes an encrypted column of a field: `encrypted(field.text().searchable())`. */
export const encrypted = columns.encrypted as Encrypt<'mysql'>;

/**
 * Creates a table like `mysqlTable`, and adds an index column for each searchable column. Throws EncryptedTableError for an
 * invalid definition.
 */
export const encryptedTable = tables(mysqlTable as never) as unknown as DefineTable<'mysql'>;

/**
 * Returns a Drizzle database whose statements encrypt values, search by fingerprints and decrypt results. A statement
 * that cannot work on an encrypted column throws EncryptedTableError.
 */
export const withEncryption = databaseOf('mysql');
