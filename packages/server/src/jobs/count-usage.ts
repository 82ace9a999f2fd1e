import type { Service } from '../service.ts';
import { recordUses } from '../store/api-keys.ts';
import { countNext, uncountedTenants } from '../store/usage.ts';
import { forEach } from './each.ts';

const atOnce = 20_000;

/** Counts what the log has gained, from the log itself: nothing is lost with a process. */
export async function countUsage(service: Service, signal: AbortSignal): Promise<void> {
  await recordLastUses(service);
  const tenants = await service.background.run(uncountedTenants);
  await forEach(tenants, signal, async (tenantId) => {
    let more = true;
    while (more && !signal.aborted) {
      more = await service.background.transaction((tx) => countNext(tx, tenantId, atOnce), 30_000);
    }
  });
}

async function recordLastUses({ used, database }: Service): Promise<void> {
  const uses = used.take();
  if (uses.length === 0) return;
  try {
    await database.run((sql) => recordUses(sql, uses));
  } catch (error) {
    used.putBack(uses);
    throw error;
  }
}
