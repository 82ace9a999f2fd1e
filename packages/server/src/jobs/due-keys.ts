import { limits } from '@eaas/protocol/wire';
import { insider } from '../state/caller.ts';
import { settleKey } from '../operations/keys.ts';
import type { Service } from '../app/service.ts';
import { requireAgreement } from '../state/clock.ts';
import { keysDue } from '../store/keys.ts';
import { forEach, type Lease } from './schedule.ts';

export async function settleDueKeys(service: Service, { signal, hold }: Lease): Promise<void> {
  const due = await service.background.run(keysDue, 10_000);
  await forEach(due, signal, async ({ tenant_id: tenantId, key_id: keyId, key_version, status }) => {
    if (status !== 'active') await requireAgreement(service);
    else if (key_version >= limits.keyVersions) return service.alarms.rotationSkipped(tenantId, keyId);
    await settleKey(service, insider(tenantId, 'system'), keyId, hold);
  });
}
