import { randomUUID } from 'node:crypto';
import { insider } from '../../packages/server/src/caller.ts';
import { createTenant } from '../../packages/server/src/operations/tenants.ts';
import { verifyChain } from '../../packages/server/src/operations/verify/verify-chain.ts';
import type { Service } from '../../packages/server/src/service.ts';
import { decide } from '../../packages/server/src/state/decide.ts';
import { benchDatabase } from './bench-database.ts';
import type { Benchmark, Contender } from './compare.ts';

/** Megabytes in use at most, by the length of the log. */
const peaks = new Map<number, number>();

const small = 20_000;
const large = 200_000;

export const benchmark: Benchmark = {
  name: 'verify',
  about: 'a chain verified in whole, from PostgreSQL, in one process',
  async comparisons() {
    const database = await benchDatabase();
    const { service } = database;
    const [short, long] = [await filled(service, 'short', small), await filled(service, 'long', large)];
    return [
      {
        ours: contender(service, `${large.toLocaleString('en')} entries`, long, large),
        reference: contender(service, `${small.toLocaleString('en')} entries`, short, small),
        // The cost of an entry does not grow with the log.
        target: 0.8,
        floor: 100_000,
        note: () =>
          `memory in use at most: ${peaks.get(large)} MB for the long log, ${peaks.get(small)} MB for the short`,
        close: () => database.close(),
      },
    ];
  },
};

function contender(service: Service, name: string, tenantId: string, size: number): Contender {
  return {
    name,
    size,
    async run() {
      const { valid, checked } = await verifyChain(service, tenantId, {
        enough: () => {
          const { heapUsed, arrayBuffers } = process.memoryUsage();
          const megabytes = Math.ceil((heapUsed + arrayBuffers) / 2 ** 20);
          peaks.set(size, Math.max(peaks.get(size) ?? 0, megabytes));
          return false;
        },
      });
      if (valid !== true || checked !== size) throw new Error('the chain of the benchmark is whole');
    },
  };
}

async function filled(service: Service, name: string, entries: number): Promise<string> {
  const { tenant_id } = await createTenant(service, { name });
  const keyId = randomUUID();
  for (let written = 0; written < entries; written += 2_000) {
    const metadata = '{"context":{"column":"diagnosis","table":"patients"}}';
    const draft = { action: 'key.wrap', keyId, keyVersion: 1, metadata } as const;
    const drafts = Array.from({ length: 2_000 }, () => draft);
    await decide(service, insider(tenant_id, 'system'), () => ({ drafts, answer: undefined }));
  }
  return tenant_id;
}
