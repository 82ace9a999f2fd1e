import { join } from 'node:path';
import { chromium } from '@eaas/test-kit/runtimes/chromium';
import { intakeKey } from '@eaas/test-kit/intake-key';
import { installPackages } from '@eaas/test-kit/installed-packages';
import type { Started } from '@eaas/test-kit/runtimes/runtime';
import type { Benchmark, Comparison, Note, Result } from './compare.ts';
import { comparisons, type PageComparison, type PageResult } from './in-page.ts';

export const benchmark: Benchmark = {
  name: 'chromium',
  about:
    'calls of the client with a data key in memory, in a page of Chromium, compared with the same work without the client',
  async comparisons(defer) {
    if (chromium.available === false) {
      console.log('not available: Chromium');
      return [];
    }
    const app = await installPackages();
    defer(app.remove);
    const started = await chromium.start({ app, module: join(import.meta.dirname, 'in-page.ts') });
    defer(started.stop);
    const { publicKey } = intakeKey();
    return Object.entries(comparisons).map(([name, of]) => comparisonOf(name, of, started, publicKey));
  },
};

function comparisonOf(
  name: string,
  { reference, target, hasSlowFirstCall }: PageComparison,
  page: Started,
  publicKey: string,
): Comparison {
  let first = 0;
  const elsewhere = async (): Promise<Result> => {
    const measured = (await page.run({ name, publicKey })) as PageResult;
    const { first: milliseconds, ...result } = measured;
    first = milliseconds;
    return result;
  };
  const note = (): Note => ({ 'first call in a page': `${first.toFixed(1)} ms` });
  return {
    ours: { name, run: () => undefined },
    reference: { name: reference, run: () => undefined },
    elsewhere,
    ...(target !== undefined && { target }),
    ...(hasSlowFirstCall && { note }),
  };
}
