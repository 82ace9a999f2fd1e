import type { Service } from '../app/service.ts';
import { sumNext } from '../store/entry-counts.ts';
import { countNext, uncountedTenants, unmarkCounted } from '../store/usage.ts';
import { forEach } from './each.ts';
import type { Lease } from './lease.ts';

const stepSize = 20_000;

export async function countUsage(service: Service, { signal, hold }: Lease): Promise<void> {
  const tenants = await service.background.run(uncountedTenants);
  await forEach(tenants, signal, async (tenantId) => {
    let more = true;
    while (more && !signal.aborted) {
      more = await service.background.transaction(async (tx) => {
        await hold(tx);
        const isLeft = await countNext(tx, tenantId, stepSize);
        return (await sumNext(tx, tenantId)) || isLeft;
      }, 30_000);
    }
    // `unmarkCounted` locks the head of the audit log. It runs outside the counting transaction, because the lock could
    // otherwise cause a deadlock with a transaction that destroys the tenant.
    if (!more) await service.background.run((sql) => unmarkCounted(sql, tenantId));
  });
}
