import type { BaseSQLiteDatabase, SelectedFields, SQLiteSelectBuilder } from 'drizzle-orm/sqlite-core';
import type { FieldsClient } from '@eaas/sdk/fields';
import { encryptedDatabase } from '../database.ts';
import type { EncryptedOptions } from '../records.ts';
import type { EncryptedColumn, OpenedFields, TransactionOf } from '../types.ts';

type Selectable = SelectedFields[string] | EncryptedColumn<unknown>;
type SelectableFields = Readonly<Record<string, Selectable | Readonly<Record<string, Selectable>>>>;

type Kind<Database> = Database extends BaseSQLiteDatabase<infer Kind, unknown> ? Kind : never;
type RunResult<Database> = Database extends { run(query: string): infer Result } ? Awaited<Result> : never;

interface Select<Database> {
  (): SQLiteSelectBuilder<undefined, Kind<Database>, RunResult<Database>>;
  <Fields extends SelectableFields>(
    fields: Fields,
  ): OpenedFields<Fields> extends infer Opened extends SelectedFields
    ? SQLiteSelectBuilder<Opened, Kind<Database>, RunResult<Database>>
    : never;
}

/** A Drizzle database whose statements encrypt and decrypt the values of encrypted columns. */
export type EncryptedSQLiteDatabase<Database extends object> = Omit<Database, 'select' | 'transaction'> & {
  /** Selects all columns of a table, or the given columns. */
  readonly select: Select<Database>;
  /** Runs statements in one transaction. The database that `run` receives also encrypts and decrypts. */
  transaction<Result>(
    run: (transaction: EncryptedSQLiteDatabase<TransactionOf<Database>>) => Promise<Result>,
    config?: object,
  ): Promise<Result>;
};

/**
 * Returns a Drizzle database whose statements encrypt values, search by fingerprints and decrypt results. A statement
 * that cannot work on an encrypted column throws EncryptedColumnError.
 */
export function encrypted<Database extends object>(
  database: Database,
  client: FieldsClient,
  options: EncryptedOptions = {},
): EncryptedSQLiteDatabase<Database> {
  return encryptedDatabase(database, client, options) as EncryptedSQLiteDatabase<Database>;
}
