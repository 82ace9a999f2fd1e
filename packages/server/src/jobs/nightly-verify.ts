import { verifyChain } from '../operations/verify/verify-chain.ts';
import type { Service } from '../service.ts';
import { takeDailyJob } from '../store/jobs.ts';
import { listChains } from '../store/tenants.ts';
import { forEach } from './each.ts';

const startsAtHour = 3; // UTC

/** What the nightly verification found, for the metrics and the log. */
export interface NightlyVerify {
  broken: number;
  run(signal: AbortSignal): Promise<void>;
}

/** Verifies every tenant's chain once a night, on one of the replicas. */
export function nightlyVerify(
  service: Service,
  onBroken: (tenantId: string, reasons: readonly { id: number | null; reason: string }[]) => void,
): NightlyVerify {
  const job: NightlyVerify = {
    broken: 0,
    async run(signal) {
      const now = new Date(service.clock());
      if (now.getUTCHours() < startsAtHour) return;
      const day = now.toISOString().slice(0, 10);
      if (!(await service.database.run((sql) => takeDailyJob(sql, 'verify', day)))) return;
      let broken = 0;
      const chains = await service.database.run(listChains, 10_000);
      await forEach(chains, signal, async ({ tenant_id: tenantId }) => {
        const { valid, errors } = await verifyChain(service, tenantId, { enough: () => signal.aborted });
        if (valid !== false) return;
        broken++;
        onBroken(tenantId, errors);
      });
      job.broken = broken;
    },
  };
  return job;
}
