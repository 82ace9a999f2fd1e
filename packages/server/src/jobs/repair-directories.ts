import type { Service } from '../service.ts';
import type { Lease } from './lease.ts';
import { repairDirectories as repair } from '../store/directories.ts';

export async function repairDirectories({ background }: Service, { hold }: Lease): Promise<void> {
  await background.transaction(async (tx) => {
    await hold(tx);
    await repair(tx);
  }, 30_000);
}
