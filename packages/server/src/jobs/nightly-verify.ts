import { verifyChain } from '../operations/verify/verify-chain.ts';
import type { Service } from '../service.ts';
import {
  type FinishedVerification,
  finishVerification,
  lastVerification,
  takeVerification,
} from '../store/jobs.ts';
import { listChains } from '../store/tenants.ts';
import { forEach } from './each.ts';

const startsAtHour = 3; // UTC

type OnBroken = (tenantId: string, findings: readonly { id: number | null; reason: string }[]) => void;

/** Verifies every tenant's chain once a night, on one of the replicas. Answers what the last night's found. */
export async function nightlyVerify(
  service: Service,
  signal: AbortSignal,
  onBroken: OnBroken,
): Promise<FinishedVerification | undefined> {
  const { database, clock } = service;
  const now = new Date(clock());
  const day = now.toISOString().slice(0, 10);
  const isNight = now.getUTCHours() >= startsAtHour;
  if (isNight && (await database.run((sql) => takeVerification(sql, day, now.getTime())))) {
    let found: FinishedVerification | undefined;
    try {
      const broken = await verifyAll(service, signal, onBroken);
      if (!signal.aborted) found = { finished_at: clock(), broken };
    } finally {
      await database.run((sql) => finishVerification(sql, day, found));
    }
  }
  return database.run(lastVerification);
}

async function verifyAll(service: Service, signal: AbortSignal, onBroken: OnBroken): Promise<number> {
  let broken = 0;
  const chains = await service.background.run(listChains, 10_000);
  await forEach(chains, signal, async ({ tenant_id: tenantId }) => {
    const { valid, errors } = await service.verifications.run(() =>
      verifyChain(service, tenantId, { enough: () => signal.aborted }),
    );
    if (valid !== false) return;
    broken++;
    onBroken(tenantId, errors);
  });
  return broken;
}
