// The jobs that are a few lines each: due keys, the counts of usage.
import type { Service } from '../app/service.ts';
import { forEach, type Lease } from './schedule.ts';
import { limits } from '@eaas/protocol/wire';
import { insider } from '../state/caller.ts';
import { settleKey } from '../operations/keys.ts';
import { requireAgreement } from '../state/clock.ts';
import { keysDue } from '../store/keys.ts';
import { recordUses } from '../store/api-keys.ts';
import { sumNext } from '../store/entry-counts.ts';
import { countNext, uncountedTenants, unmarkCounted } from '../store/usage.ts';

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

export async function settleDueKeys(service: Service, { signal, hold }: Lease): Promise<void> {
  const due = await service.background.run(keysDue, 10_000);
  await forEach(due, signal, async ({ tenant_id: tenantId, key_id: keyId, key_version, status }) => {
    if (status !== 'active') await requireAgreement(service);
    else if (key_version >= limits.keyVersions) return service.alarms.rotationSkipped(tenantId, keyId);
    await settleKey(service, insider(tenantId, 'system'), keyId, hold);
  });
}
