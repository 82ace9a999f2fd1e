import type { SQL } from 'drizzle-orm';
import type { EncryptedPgDatabase } from '@eaas/drizzle/pg';
import type { Kind } from '@eaas/test-kit/orms/kinds';
import type { PostgresDatabase, postgresTables } from './postgresql.ts';

export interface Place {
  readonly db: EncryptedPgDatabase<PostgresDatabase>;
  readonly samples: (typeof postgresTables)['samples'];
  readonly children: (typeof postgresTables)['children'];
  readonly kind: Kind;
  readonly first: never;
  readonly second: never;
  readonly third: never;
  readonly other: Readonly<Record<string, never>>;
  ciphertext(): Promise<never>;
  raw(statement: SQL): Promise<unknown>;
}
