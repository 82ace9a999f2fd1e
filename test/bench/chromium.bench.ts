import { join } from 'node:path';
import { p256 } from '@noble/curves/nist.js';
import { deriveBlindHashKey, evaluate, readElements } from '@eaas/protocol/blind-hash';
import { nodeCurve } from '@eaas/protocol/blind-hash-node';
import { toUtf8 } from '@eaas/protocol';
import { finish } from '@eaas/protocol/service';
import { blindValues } from '@eaas/test-kit/blind-values';
import { chromium } from '@eaas/test-kit/runtimes/chromium';
import { intakeKey } from '@eaas/test-kit/intake-key';
import { installPackages } from '@eaas/test-kit/installed-packages';
import type { Started } from '@eaas/test-kit/runtimes/runtime';
import type { Benchmark, Comparison, Note, Result } from './compare.ts';
import { comparisons, type PageComparison, type PageResult, type Prepared } from './in-page.ts';

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
    const prepared = prepare();
    return Object.entries(comparisons).map(([name, of]) => comparisonOf(name, of, started, prepared));
  },
};

function comparisonOf(
  name: string,
  { reference, target, hasSlowFirstCall }: PageComparison,
  page: Started,
  prepared: Prepared,
): Comparison {
  let first = 0;
  const elsewhere = async (): Promise<Result> => {
    const measured = (await page.run({ name, ...prepared })) as PageResult;
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

function prepare(): Prepared {
  const { publicKey, keyId } = intakeKey();
  const random = crypto.getRandomValues(new Uint8Array(48));
  const blind = (BigInt(`0x${Buffer.from(random).toString('hex')}`) % (p256.Point.Fn.ORDER - 1n)) + 1n;
  const key = deriveBlindHashKey(nodeCurve, crypto.getRandomValues(new Uint8Array(32)), 'tenant', keyId);
  const values = Array.from({ length: 100 }, (_, at) => `value ${at}`);
  const respond = (size: number) => {
    const bytes = values.slice(0, size).map((value) => toUtf8(value));
    const read = finish(readElements(finish(blindValues(nodeCurve, bytes, () => blind)).elements));
    if (typeof read === 'number')
      throw new Error(`each element must be a point on P-256 (got another value in element ${read})`);
    return finish(evaluate(key, read));
  };
  const responses = { 1: respond(1), 100: respond(100) };
  return { publicKey, keyId, random: Array.from(random), values, responses };
}
