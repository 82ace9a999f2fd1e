import type { Service } from '../service.ts';
import type { Lease } from './lease.ts';
import { repairDirectories as repair } from '../store/directories.ts';

/** Deletes rows of the token and name directories that a crash left, and inserts missing rows. */
export async function repairDirectories({ background }: Service, { hold }: Lease): Promise<void> {
  await background.transaction(async (tx) => {
    await hold(tx);
    await repair(tx);
  }, 30_000);
}
