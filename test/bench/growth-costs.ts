import { repairDirectories } from '../../packages/server/src/jobs/housekeeping.ts';
import { verifyNight } from '../../packages/fleet/src/nightly/verify-night.ts';
import { seal } from '../../packages/server/src/state/integrity.ts';
import { markerTable, writeMarker } from '../../packages/fleet/src/nightly/verifications.ts';
import { call } from '@eaas/test-kit/faults/client';
import { startReplica } from '@eaas/test-kit/faults/place';
import { alone } from '@eaas/test-kit/alone';
import { memoryOf } from '@eaas/test-kit/processes';
import { dek } from '@eaas/test-kit/world';
import { appendEntries, type Place, stateOf } from './growth-data.ts';

const dayLength = 24 * 60 * 60 * 1_000;
const newEntries = 10_000;

export async function repairAll({ service }: Place): Promise<number> {
  return timed(async () => {
    await repairDirectories(service, alone());
    return 1;
  });
}

export async function verifyNewEntries({ service, manyEntries }: Place): Promise<number> {
  const { tenantId } = manyEntries;
  const { secrets } = await stateOf(service, tenantId);
  const tonight = Math.floor(Date.now() / dayLength);
  const { head } = await verifyNight(service, tenantId, {
    tonight,
    shouldStop: () => true,
    onProgress: async () => {},
  });
  const marker = {
    id: head.id,
    hash: head.hash,
    valid: true,
    findings: '[]',
    finished_at: 0,
    night: tonight,
  };
  const row = seal(secrets, markerTable, { tenant_id: tenantId, ...marker });
  await service.background.transaction((tx) => writeMarker(tx, row));
  await appendEntries(service, manyEntries, newEntries);
  return timed(async () => {
    const options = { tonight: tonight + 1, shouldStop: () => false, onProgress: async () => {} };
    const { findings, checked } = await verifyNight(service, tenantId, options);
    requireValid(findings.count === 0);
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
