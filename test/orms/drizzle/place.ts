import type { SQL } from 'drizzle-orm';
import type { EncryptedPgDatabase } from '@eaas/drizzle/pg';
import type { Kind } from './kinds.ts';
import type { PostgresDatabase, postgresTables } from './postgresql.ts';

/** What a cell works on. The other dialects have the same methods, so the cells use the types of PostgreSQL. */
export interface Place {
  readonly db: EncryptedPgDatabase<PostgresDatabase>;
  readonly samples: (typeof postgresTables)['samples'];
  readonly children: (typeof postgresTables)['children'];
  readonly kind: Kind;
  /** The value of the first row, and of the second row. */
  readonly first: never;
  readonly second: never;
  /** A value for a write. */
  readonly third: never;
  /** The column with the value for a write. */
  readonly other: Readonly<Record<string, never>>;
  /** A ciphertext of the first row. */
  ciphertext(): Promise<never>;
  /** Runs raw SQL with the encrypted database. */
  raw(statement: SQL): Promise<unknown>;
}
