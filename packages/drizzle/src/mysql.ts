// The entry for MySQL: Drizzle's classes and types of MySQL around what all dialects share.
import { check, MySqlColumn, MySqlColumnBuilder, mysqlTable } from 'drizzle-orm/mysql-core';
import { columnsOf } from './columns.ts';
import { databaseOf } from './database.ts';
import { tablesOf } from './table.ts';
import type { DefineTable, Encrypt } from './types.ts';

export * from './shared.ts';

const columns = columnsOf({
  name: 'MySql',
  Builder: MySqlColumnBuilder,
  Column: MySqlColumn,
  sqlType: (role) => (role.role === 'index' && !role.isList ? 'varchar(64)' : 'mediumtext'),
});
const tables = tablesOf(columns.indexColumn, check, "like cast('eaasA%' as binary)");

/**
 * Makes an encrypted column of a field: `encrypted(field.text().searchable())`.
 *
 * @example
 * ```ts
 * import { encrypted } from '@eaas/drizzle/mysql';
 * import { field } from '@eaas/sdk/fields';
 *
 * const ssn = encrypted(field.text().searchable()).unique();
 * ```
 */
export const encrypted = columns.encrypted as Encrypt<'mysql'>;

/**
 * Creates a table like `mysqlTable`, and adds an index column for each searchable column, which drizzle-kit migrates too. The
 * option `subject` names the column that says whose data a row is, so that `eaas.subjects.erase` can erase a person. Throws
 * EncryptedTableError for an invalid definition.
 *
 * @example
 * ```ts
 * import { encrypted, encryptedTable } from '@eaas/drizzle/mysql';
 * import { field } from '@eaas/sdk/fields';
 * import { int } from 'drizzle-orm/mysql-core';
 *
 * const patients = encryptedTable('patients', {
 *   id: int().primaryKey(),
 *   ssn: encrypted(field.text().searchable()).unique(),
 * });
 * ```
 */
export const encryptedTable = tables(mysqlTable as never) as unknown as DefineTable<'mysql'>;

/**
 * Returns a Drizzle database whose statements encrypt values, search by fingerprints and decrypt results. A statement
 * that cannot work on an encrypted column throws EncryptedTableError.
 *
 * @example
 * ```ts
 * import { withEncryption } from '@eaas/drizzle/mysql';
 * import { eq } from 'drizzle-orm';
 *
 * const db = withEncryption(plain, eaas, { index: process.env.EAAS_INDEX_KEY! }); // of `drizzle(…)`
 * await db.insert(patients).values({ id: 7, ssn: '123-45-6789' });
 * const found = await db.select().from(patients).where(eq(patients.ssn, '123-45-6789'));
 * ```
 */
export const withEncryption = databaseOf('mysql');
