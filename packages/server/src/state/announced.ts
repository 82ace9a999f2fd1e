import { Refusal } from '../base/refusal.ts';
import type { Database } from '../store/database.ts';
import type { Sql } from '../store/sql.ts';

type Announcement = Readonly<Record<'enter' | 'withdraw', (sql: Sql) => Promise<void>>>;

/**
 * `enter` inserts a directory row before `write`, and `withdraw` deletes this row if `write` was refused. If the result
 * of `write` is unknown, the row stays until the hourly check of the directories deletes it. A directory row without a
 * tenant grants no access.
 */
export async function announced<T>(
  database: Database,
  { enter, withdraw }: Announcement,
  write: () => Promise<T>,
  deadline = Infinity,
): Promise<T> {
  await database.run(enter, 1_500, deadline);
  try {
    return await write();
  } catch (error) {
    const isRefused = error instanceof Refusal && error.code !== 'audit_unwritten';
    if (isRefused) await database.run(withdraw, 1_000, deadline).catch(() => {});
    throw error;
  }
}
