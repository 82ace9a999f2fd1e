// Rotates and erases keys that are due. Each is decided under the lock of its tenant, with the time that the transaction reads.
import { limits } from '@eaas/protocol/wire';
import { insider, type KeyRow, NoTenant, settle, settleKey } from '@eaas/service';
import type { Service } from '../app/service.ts';
import type { Sql } from '../postgres/sql.ts';
import { requireAgreement } from './clock.ts';
import { forEach, type Lease } from './schedule.ts';

export async function settleDueKeys(service: Service, { signal }: Lease): Promise<void> {
  const due = await service.background.run(keysDue, 10_000);
  await forEach(due, signal, async ({ tenant_id: tenantId, key_id, key_version, status }) => {
    if (status !== 'active') await requireAgreement(service);
    else if (key_version >= limits.keyVersions) return service.alarms.rotationSkipped(tenantId, key_id);
    await settleDueKey(service, tenantId, key_id);
  });
}

/** Rotates or erases a key if it is due. */
export async function settleDueKey(service: Service, tenantId: string, key_id: string): Promise<void> {
  const caller = insider(tenantId, 'system');
  const part = settleKey(service, caller, { key_id });
  await settle(service, caller, part, { isLocked: true }).catch((error: unknown) => {
    // The tenant can have been destroyed meanwhile.
    if (!(error instanceof NoTenant)) throw error;
  });
}

type DueKey = Pick<KeyRow, 'tenant_id' | 'key_id' | 'key_version' | 'status'>;

/**
 * At most 1,000 keys, from all tenants in turn, so that no tenant holds up the others. Keys with the maximum number of versions
 * come last, because they stay due but cannot be rotated.
 */
async function keysDue(sql: Sql): Promise<DueKey[]> {
  return sql<DueKey[]>`
    select tenant_id, key_id, key_version, status from (
      select tenant_id, key_id, key_version, status, key_version >= ${limits.keyVersions} as is_full,
        row_number() over (partition by tenant_id, key_version >= ${limits.keyVersions}) as turn
      from eaas.keys
      where (next_rotation_at <= (select eaas.now_ms()) and status = 'active')
         or (destroy_at <= (select eaas.now_ms()) and status = 'pending_destruction')
    ) due order by is_full, turn limit 1000`;
}
