import type { SQL } from 'drizzle-orm';
import type { EncryptedPgDatabase } from '@eaas/drizzle/pg';
import type { Kind } from './kinds.ts';
import type { PostgresDatabase, postgresTables } from './postgresql.ts';

/**
 * The arguments of an operation's test: database, tables, column and values. All dialects have the same methods, so the
 * tests use the types of PostgreSQL.
 */
export interface Place {
  readonly db: EncryptedPgDatabase<PostgresDatabase>;
  readonly samples: (typeof postgresTables)['samples'];
  readonly children: (typeof postgresTables)['children'];
  readonly kind: Kind;
  /** The value of the tested column in the first row, and in the second row. */
  readonly first: never;
  readonly second: never;
  /** The value that the tested operation writes to the tested column. */
  readonly third: never;
  /** A row with only the tested column and the value to write. */
  readonly other: Readonly<Record<string, never>>;
  /** Returns the stored ciphertext in the first row. */
  ciphertext(): Promise<never>;
  /** Runs raw SQL through the database object of @eaas/drizzle. */
  raw(statement: SQL): Promise<unknown>;
}
