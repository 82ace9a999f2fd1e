import { randomUUID } from 'node:crypto';
import { insider, keyDraft, settle, verifyTenant } from '@eaas/service';
import type { Service } from '../../packages/server/src/app/service.ts';
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
  const timeLeft = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const megabytes = Math.ceil((heapUsed + arrayBuffers) / 2 ** 20);
    peaks.set(size, Math.max(peaks.get(size) ?? 0, megabytes));
    return Infinity;
  };
  return {
    name: `${size.toLocaleString('en')} entries`,
    size,
    async run() {
      const { valid, checked } = await verifyTenant(service, tenantId, { timeLeft });
      if (valid !== true || checked !== size)
        throw new Error(`expected ${size} valid audit entries (got ${checked}, valid: ${valid})`);
    },
  };
}

async function append(service: Service, tenantId: string, entries: number): Promise<void> {
  const context = { column: 'diagnosis', table: 'patients' };
  const draft = keyDraft('key.wrap', { key_id: randomUUID(), key_version: 1 }, { context });
  for (let left = entries; left > 0; left -= 2_000) {
    const drafts = Array.from({ length: Math.min(left, 2_000) }, () => draft);
    const judge = () => ({ entries: drafts, answer: {} });
    await settle(service, insider(tenantId, 'system'), { by: 'append', needs: () => [], judge });
  }
}
