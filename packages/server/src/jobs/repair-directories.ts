import type { Service } from '../service.ts';
import { databaseTime } from '../store/database-time.ts';
import { removeAbandoned, restoreMissing } from '../store/directories.ts';
import type { Lease } from './lease.ts';

const hour = 60 * 60 * 1_000;

/** Returns an hourly job. Its first run, and later one run a day, reads all rows. All other runs read only new rows. */
export function directoriesJob(): typeof repairDirectories {
  let repairedAt = -Infinity;
  return async (service, lease) => {
    const startedAt = performance.now();
    if (startedAt - repairedAt < 23.5 * hour) return checkNewDirectoryRows(service, lease);
    await repairDirectories(service, lease);
    repairedAt = startedAt;
  };
}

/** Reads only new rows, so the run costs the same for any number of tenants. */
export async function checkNewDirectoryRows({ background }: Service, { hold }: Lease): Promise<void> {
  await background.transaction(async (tx) => {
    await hold(tx);
    // Three hours are longer than the time between two runs, so that one failed run leaves no row unchecked.
    await removeAbandoned(tx, (await databaseTime(tx)) - 3 * hour);
  }, 30_000);
}

/** Reads the rows of all tenants. */
export async function repairDirectories({ background }: Service, { hold }: Lease): Promise<void> {
  await background.transaction(async (tx) => {
    await hold(tx);
    await removeAbandoned(tx, 0);
    await restoreMissing(tx);
  }, 30_000);
}
