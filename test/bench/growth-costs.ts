import { verifyTenant } from '@eaas/service';
import { call } from '@eaas/test-kit/faults/client';
import { startReplica } from '@eaas/test-kit/faults/place';
import { memoryOf } from '@eaas/test-kit/processes';
import { dek } from '@eaas/test-kit/world';
import { appendEntries, type Place } from './growth-data.ts';

const newEntries = 10_000;

export async function verifyNewEntries({ service, manyEntries }: Place): Promise<number> {
  const { tenantId } = manyEntries;
  const { head } = await service.store.read(tenantId, []);
  if (!head) throw new Error('expected an audit log of the tenant (got none)');
  await appendEntries(service, manyEntries, newEntries);
  return timed(async () => {
    const onlyNew = { known: head, from_id: head.id + 1, mostRows: 0 };
    const { valid, checked } = await verifyTenant(service, tenantId, onlyNew);
    requireValid(valid);
    return checked;
  });
}

export async function memoryOfServer({
  operator: { env },
  manyKeys: { token, keyId },
}: Place): Promise<number> {
  const replica = await startReplica(env);
  try {
    for (let nth = 0; nth < 500; nth++) {
      await call(replica, token, 'POST', `/v1/keys/${keyId}/wrap`, { dek });
      if (nth % 50 === 0) await call(replica, token, 'GET', '/v1/keys?limit=1');
    }
    return await memoryOf(replica.pid, 'current');
  } finally {
    await replica.kill();
  }
}

export async function timed(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now();
  const units = await work();
  return (performance.now() - startedAt) / units;
}

export function requireValid(valid: boolean | null): void {
  if (valid !== true) throw new Error(`the audit log must be valid (got ${valid})`);
}
