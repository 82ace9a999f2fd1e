import { insider } from '../caller.ts';
import { eraseDueKey } from '../operations/destruction.ts';
import { rotateDueKey } from '../operations/rotation.ts';
import type { Service } from '../service.ts';
import { keysDue } from '../store/keys.ts';

const atOnce = 100;

/** Rotates the keys that are due, and erases those whose grace is over. Each looks again inside its transaction. */
export async function settleDueKeys(service: Service, signal: AbortSignal): Promise<void> {
  for (let due = await read(service); due.length > 0 && !signal.aborted; due = await read(service)) {
    for (const { tenant_id: tenantId, key_id: keyId, status } of due) {
      if (signal.aborted) return;
      const settle = status === 'active' ? rotateDueKey : eraseDueKey;
      await settle(service, insider(tenantId, 'system'), keyId);
    }
  }
}

function read(service: Service) {
  return service.database.run((sql) => keysDue(sql, service.clock(), atOnce));
}
