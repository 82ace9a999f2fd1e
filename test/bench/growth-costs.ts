import { verifyChain } from '../../packages/server/src/operations/verify/verify-chain.ts';
import { findHead } from '../../packages/server/src/store/heads.ts';
import { call } from '@eaas/test-kit/faults/client';
import { startReplica } from '@eaas/test-kit/faults/place';
import { memoryOf } from '@eaas/test-kit/processes';
import { dek } from '@eaas/test-kit/world';
import { appendEntries, type Place } from './growth-data.ts';

const newEntries = 10_000;

export async function verifyNewEntries({ service, manyEntries }: Place): Promise<number> {
  const { tenantId } = manyEntries;
  const known = await service.background.run((sql) => findHead(sql, tenantId));
  await appendEntries(service, manyEntries, newEntries);
  return timed(async () => {
    const { valid, checked } = await verifyChain(service, tenantId, { known, onlyNew: true });
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
