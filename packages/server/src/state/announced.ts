import { Refusal } from '../refusal.ts';
import type { Database } from '../store/database.ts';
import type { Sql } from '../store/sql.ts';

export interface Announcement {
  readonly enter: (sql: Sql) => Promise<void>;
  readonly withdraw: (sql: Sql) => Promise<void>;
}

/**
 * Adds a directory row before the write, and removes the row if the write is refused. If the outcome of the write is
 * unknown, a job removes the row later. The row does no harm until then, because a directory row grants no access.
 */
export async function announced<T>(
  database: Database,
  { enter, withdraw }: Announcement,
  write: () => Promise<T>,
): Promise<T> {
  await database.run(enter);
  try {
    return await write();
  } catch (error) {
    const isRefused = error instanceof Refusal && error.code !== 'audit_unwritten';
    if (isRefused) await database.run(withdraw).catch(() => {});
    throw error;
  }
}
