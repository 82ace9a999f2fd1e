import type { Service } from '../service.ts';
import { clockDifference } from '../store/jobs.ts';

/** Compares this replica's clock with the database's. While they differ nothing is served and no job runs by it. */
export async function watchClock(service: Service): Promise<void> {
  const startedAt = performance.now();
  service.clockError = await service.database.run((sql) => clockDifference(sql, service.clock), 2_000);
  service.clockReadAt = startedAt;
}
