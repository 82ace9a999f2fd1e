// The entry for PostgreSQL: Drizzle's classes and types of PostgreSQL around what all dialects share.
import { check, PgColumn, PgColumnBuilder, type PgSchema, pgTable } from 'drizzle-orm/pg-core';
import { columnsOf } from './columns.ts';
import { databaseOf } from './database.ts';
import { tablesOf } from './table.ts';
import type { DefineTable, Encrypt } from './types.ts';

export * from './shared.ts';
export { excluded } from './walk.ts';

const columns = columnsOf({ name: 'Pg', Builder: PgColumnBuilder, Column: PgColumn });
const tables = tablesOf(columns.indexColumn, check, "like 'eaasA%'");

/**
 * Makes an encrypted column of a field: `encrypted(field.text().searchable())`.
 *
 * @example
 * ```ts
 * import { encrypted } from '@eaas/drizzle/pg';
 * import { field } from '@eaas/sdk/fields';
 *
 * const ssn = encrypted(field.text().searchable()).unique();
 * ```
 */
export const encrypted = columns.encrypted as Encrypt<'pg'>;

/**
 * Creates a table like `pgTable`, and adds an index column for each searchable column, which drizzle-kit migrates too. The
 * option `subject` names the column that says whose data a row is, so that `eaas.subjects.erase` can erase a person. Throws
 * EncryptedTableError for an invalid definition.
 *
 * @example
 * ```ts
 * import { encrypted, encryptedTable } from '@eaas/drizzle/pg';
 * import { field } from '@eaas/sdk/fields';
 * import { integer } from 'drizzle-orm/pg-core';
 *
 * const patients = encryptedTable('patients', {
 *   id: integer().primaryKey(),
 *   ssn: encrypted(field.text().searchable()).unique(),
 * });
 * ```
 */
export const encryptedTable = tables(pgTable as never) as unknown as DefineTable<'pg'>;

/**
 * Returns an `encryptedTable` whose tables are in a schema: `encryptedTableIn(clinic)('patients', { … })`.
 *
 * @example
 * ```ts
 * import { encrypted, encryptedTableIn } from '@eaas/drizzle/pg';
 * import { field } from '@eaas/sdk/fields';
 * import { pgSchema, uuid } from 'drizzle-orm/pg-core';
 *
 * const clinicTable = encryptedTableIn(pgSchema('clinic'));
 * const letters = clinicTable('letters', { id: uuid().primaryKey(), name: encrypted(field.text()) });
 * ```
 */
export const encryptedTableIn = (schema: PgSchema): typeof encryptedTable =>
  tables(schema.table as never) as unknown as typeof encryptedTable;

/**
 * Returns a Drizzle database whose statements encrypt values, search by fingerprints and decrypt results. A statement
 * that cannot work on an encrypted column throws EncryptedTableError.
 *
 * @example
 * ```ts
 * import { withEncryption } from '@eaas/drizzle/pg';
 * import { eq } from 'drizzle-orm';
 *
 * const db = withEncryption(plain, eaas, { index: process.env.EAAS_INDEX_KEY! }); // of `drizzle(…)`
 * await db.insert(patients).values({ id: 7, ssn: '123-45-6789' });
 * const found = await db.select().from(patients).where(eq(patients.ssn, '123-45-6789'));
 * ```
 */
export const withEncryption = databaseOf('postgresql');
