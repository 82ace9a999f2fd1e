// The entry for PostgreSQL: Drizzle's classes and types of PostgreSQL around what all dialects share.
import { check, PgColumn, PgColumnBuilder, type PgSchema, pgTable } from 'drizzle-orm/pg-core';
import { columnsOf } from './columns.ts';
import { databaseOf } from './database.ts';
import { tablesOf } from './table.ts';
import type { DefineTable, Encrypt } from './types.ts';

export { EncryptedTableError, type EncryptionOptions } from '@eaas/sdk/fields';
export { fieldsOf } from './access.ts';
export { type TableOptions, withoutIndexes } from './table.ts';
export type { EncryptedBuilder, EncryptedDatabase } from './types.ts';
export { excluded, matches } from './walk.ts';

const columns = columnsOf({ name: 'Pg', Builder: PgColumnBuilder, Column: PgColumn, sqlType: () => 'text' });
const tables = tablesOf(columns.indexColumn, check, "like 'eaasA%'");

/** Makes an encrypted column of a field: `encrypted(field.text().searchable())`. */
export const encrypted = columns.encrypted as Encrypt<'pg'>;

/**
 * Creates a table like `pgTable`, and adds an index column for each searchable column. Throws EncryptedTableError for an
 * invalid definition.
 */
export const encryptedTable = tables(pgTable as never) as unknown as DefineTable<'pg'>;

/** Returns an `encryptedTable` whose tables are in a schema: `encryptedTableIn(clinic)('patients', { … })`. */
export const encryptedTableIn = (schema: PgSchema): typeof encryptedTable =>
  tables(schema.table as never) as unknown as typeof encryptedTable;

/**
 * Returns a Drizzle database whose statements encrypt values, search by fingerprints and decrypt results. A statement
 * that cannot work on an encrypted column throws EncryptedTableError.
 */
export const withEncryption = databaseOf('postgresql');
