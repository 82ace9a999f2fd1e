import type { Service } from '../app/service.ts';
import { databaseTime } from '../store/database-time.ts';
import { removeAbandoned, restoreMissing } from '../store/directories.ts';
import type { Transaction } from '../store/sql.ts';
import type { Lease } from './schedule.ts';

const hour = 60 * 60 * 1_000;

/**
 * The first run checks all rows of `token_directory` and `tenant_names`. Later, one run per day checks all rows again.
 * All other runs check only the rows of the last three hours.
 */
export function directoriesJob(): typeof repairDirectories {
  let repairedAt = -Infinity;
  return async (service, lease) => {
    const startedAt = performance.now();
    if (startedAt - repairedAt < 23.5 * hour) return checkNewDirectoryRows(service, lease);
    await repairDirectories(service, lease);
    repairedAt = startedAt;
  };
}

export async function checkNewDirectoryRows(service: Service, lease: Lease): Promise<void> {
  // The job runs every hour and checks the rows of the last three hours. So if a run fails, the next run still checks
  // the same rows.
  await correct(service, lease, async (tx) => removeAbandoned(tx, (await databaseTime(tx)) - 3 * hour));
}

export async function repairDirectories(service: Service, lease: Lease): Promise<void> {
  await correct(service, lease, (tx) => removeAbandoned(tx, 0));
  await correct(service, lease, restoreMissing);
}

async function correct(
  { background }: Service,
  { hold }: Lease,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await background.transaction(async (tx) => {
    await hold(tx);
    await work(tx);
  }, 30_000);
}
