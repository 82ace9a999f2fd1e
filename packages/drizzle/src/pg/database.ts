import type { PgSelectBuilder, SelectedFields } from 'drizzle-orm/pg-core';
import type { FieldsClient } from '@eaas/sdk/fields';
import { encryptedDatabase } from '../database.ts';
import type { EncryptedOptions } from '../records.ts';
import type { EncryptedColumn, OpenedFields, TransactionOf } from '../types.ts';

type Selectable = SelectedFields[string] | EncryptedColumn<unknown>;
type SelectableFields = Readonly<Record<string, Selectable | Readonly<Record<string, Selectable>>>>;

interface Select {
  (): PgSelectBuilder<undefined>;
  <Fields extends SelectableFields>(
    fields: Fields,
  ): OpenedFields<Fields> extends infer Opened extends SelectedFields ? PgSelectBuilder<Opened> : never;
}

/** A Drizzle database whose statements encrypt and decrypt the values of encrypted columns. */
export type EncryptedPgDatabase<Database extends object> = Omit<Database, 'select' | 'transaction'> & {
  /** Selects all columns of a table, or the given columns. */
  readonly select: Select;
  /** Runs statements in one transaction. The database that `run` receives also encrypts and decrypts. */
  transaction<Result>(
    run: (transaction: EncryptedPgDatabase<TransactionOf<Database>>) => Promise<Result>,
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
): EncryptedPgDatabase<Database> {
  return encryptedDatabase(database, client, options) as EncryptedPgDatabase<Database>;
}
