import type { SQL } from 'drizzle-orm';
import type { EncryptedDatabase } from '@eaas/drizzle/pg';
import type { Kind } from './kinds.ts';
import type { PostgresDatabase, FieldsTables } from './tables.ts';

export interface Place {
  readonly db: EncryptedDatabase<PostgresDatabase>;
  readonly samples: FieldsTables['samples'];
  readonly children: FieldsTables['children'];
  readonly kind: Kind;
  readonly first: never;
  readonly second: never;
  readonly third: never;
  readonly other: Readonly<Record<string, never>>;
  ciphertext(): Promise<never>;
  raw(statement: SQL): Promise<unknown>;
}
