import { citusIsInstalled } from '@eaas/test-kit/citus';
import { citusBase } from './citus-place.ts';
import type { Benchmark } from './compare.ts';
import { growthOn } from './growth.bench.ts';
import { openPlace } from './growth-place.ts';

const size = Number(process.env['GROWTH'] ?? 100_000);
const growth = growthOn('growth-citus', 'Citus', size, (defer, records) =>
  openPlace(defer, records, undefined, async () => (await citusBase(defer, false)).base),
);

export const benchmark: Benchmark = {
  ...growth,
  async comparisons(defer) {
    if (await citusIsInstalled()) return growth.comparisons(defer);
    console.log('not available: Citus');
    return [];
  },
};
