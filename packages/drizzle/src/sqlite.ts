// The entry for SQLite: Drizzle's classes and types of SQLite around what all dialects share.
import { type Column, type SQL, sql } from 'drizzle-orm';
import { index, SQLiteColumn, SQLiteColumnBuilder, sqliteTable } from 'drizzle-orm/sqlite-core';
import { columnsOf } from './columns.ts';
import { databaseOf } from './database.ts';
import { tablesOf } from './table.ts';
import type { DefineTable, Encrypt } from './types.ts';

export * from './shared.ts';
export { excluded } from './walk.ts';

const columns = columnsOf({ name: 'SQLite', Builder: SQLiteColumnBuilder, Column: SQLiteColumn });

/**
 * Makes an index that no row is in, and whose condition fails for a row that a check constraint would refuse. For a constraint,
 * drizzle-kit would rebuild the table, and copy its new columns from the old table, which does not have them.
 */
function failing(name: string, condition: SQL, column: Column): object {
  const fail = sql`case when not (${condition}) then json_extract(json_quote(${column}), ${name}) end`;
  return index(name)
    .on(column as SQLiteColumn)
    .where(fail.inlineParams());
}

const tables = tablesOf(columns.indexColumn, failing, "glob 'eaasA*'");

/**
 * Makes an encrypted column of a field: `encrypted(field.text().searchable())`.
 *
 * @example
 * ```ts
 * import { encrypted } from '@eaas/drizzle/sqlite';
 * import { field } from '@eaas/sdk/fields';
 *
 * const ssn = encrypted(field.text().searchable()).unique();
 * ```
 */
export const encrypted = columns.encrypted as Encrypt<'sqlite'>;

/**
 * Creates a table like `sqliteTable`, and adds an index column for each searchable column, which drizzle-kit migrates too. The
 * option `subject` names the column that says whose data a row is, so that `eaas.subjects.erase` can erase a person. Throws
 * EncryptedTableError for an invalid definition.
 *
 * @example
 * ```ts
 * import { encrypted, encryptedTable } from '@eaas/drizzle/sqlite';
 * import { field } from '@eaas/sdk/fields';
 * import { integer } from 'drizzle-orm/sqlite-core';
 *
 * const patients = encryptedTable('patients', {
 *   id: integer().primaryKey(),
 *   ssn: encrypted(field.text().searchable()).unique(),
 * });
 * ```
 */
export const encryptedTable = tables(sqliteTable as never) as unknown as DefineTable<'sqlite'>;

/**
 * Returns a Drizzle database whose statements encrypt values, search by fingerprints and decrypt results. A statement
 * that cannot work on an encrypted column throws EncryptedTableError.
 *
 * @example
 * ```ts
 * import { withEncryption } from '@eaas/drizzle/sqlite';
 * import { eq } from 'drizzle-orm';
 *
 * const db = withEncryption(plain, eaas, { index: process.env.EAAS_INDEX_KEY! }); // of `drizzle(…)`
 * await db.insert(patients).values({ id: 7, ssn: '123-45-6789' });
 * const found = await db.select().from(patients).where(eq(patients.ssn, '123-45-6789'));
 * ```
 */
export const withEncryption = databaseOf('sqlite');
