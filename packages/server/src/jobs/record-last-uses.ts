import type { Service } from '../app/service.ts';
import { recordUses } from '../store/api-keys.ts';

export async function recordLastUses({ used, database }: Service, milliseconds?: number): Promise<void> {
  const uses = used.take();
  if (uses.length === 0) return;
  try {
    await database.run((sql) => recordUses(sql, uses), milliseconds);
  } catch (error) {
    used.putBack(uses);
    throw error;
  }
}
