import { insider } from '../caller.ts';
import { eraseDueKey } from '../operations/destruction.ts';
import { rotateDueKey } from '../operations/rotation.ts';
import { requireRightClock, type Service } from '../service.ts';
import { keysDue } from '../store/keys.ts';
import { forEach } from './each.ts';

/** Rotates the keys that are due, and erases those whose grace is over. Each looks again inside its transaction. */
export async function settleDueKeys(service: Service, signal: AbortSignal): Promise<void> {
  requireRightClock(service);
  const due = await service.background.run((sql) => keysDue(sql, service.clock()), 10_000);
  await forEach(due, signal, ({ tenant_id: tenantId, key_id: keyId, status }) => {
    const settle = status === 'active' ? rotateDueKey : eraseDueKey;
    return settle(service, insider(tenantId, 'system'), keyId);
  });
}
