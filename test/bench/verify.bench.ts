import { randomUUID } from 'node:crypto';
import { insider } from '../../packages/server/src/state/caller.ts';
import { verifyChain } from '../../packages/server/src/operations/verify/verify-chain.ts';
import type { Service } from '../../packages/server/src/app/service.ts';
import { decide } from '../../packages/server/src/state/decide.ts';
import type { Operator } from '@eaas/test-kit/faults/place';
import type { Benchmark, Contender } from './compare.ts';
import { openOperator } from './open-operator.ts';

const peaks = new Map<number, number>();

const small = 20_000;
const large = 200_000;

export const benchmark: Benchmark = {
  name: 'verify',
  about: 'verification of a whole audit log in PostgreSQL, by one process',
  async comparisons(defer) {
    const operator = await openOperator(defer);
    return [
      {
        ours: await contender(operator, large),
        reference: await contender(operator, small),
        target: 0.8,
        floor: 100_000,
        note: () => ({
          'peak memory': `${peaks.get(large)} MB`,
          [`with ${small.toLocaleString('en')} entries`]: `${peaks.get(small)} MB`,
        }),
      },
    ];
  },
};

async function contender({ service, newTenant }: Operator, size: number): Promise<Contender> {
  const { tenantId } = await newTenant();
  await append(service, tenantId, size - 1);
  const shouldStop = (): boolean => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const megabytes = Math.ceil((heapUsed + arrayBuffers) / 2 ** 20);
    peaks.set(size, Math.max(peaks.get(size) ?? 0, megabytes));
    return false;
  };
  return {
    name: `${size.toLocaleString('en')} entries`,
    size,
    async run() {
      const { valid, checked } = await verifyChain(service, tenantId, { shouldStop });
      if (valid !== true || checked !== size)
        throw new Error(`expected ${size} valid audit entries (got ${checked}, valid: ${valid})`);
    },
  };
}

async function append(service: Service, tenantId: string, entries: number): Promise<void> {
  const metadata = '{"context":{"column":"diagnosis","table":"patients"}}';
  const draft = { action: 'key.wrap', keyId: randomUUID(), keyVersion: 1, metadata } as const;
  for (let left = entries; left > 0; left -= 2_000) {
    const drafts = Array.from({ length: Math.min(left, 2_000) }, () => draft);
    await decide(service, insider(tenantId, 'system'), () => ({ drafts, answer: undefined }));
  }
}
