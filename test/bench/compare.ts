import { median } from '@eaas/test-kit/statistics';

/** Registers a function that runs after the benchmark. The last registered function runs first. */
export type Defer = (close: () => unknown) => void;

export interface Comparison {
  readonly ours: string;
  readonly reference: string;
  readonly target?: number | undefined;
  readonly measure: () => Promise<Result>;
}

export interface Benchmark {
  readonly name: string;
  readonly about: string;
  readonly comparisons: (defer: Defer) => Promise<readonly Comparison[]>;
}

export interface Report {
  readonly name: string;
  readonly about: string;
  readonly report: (defer: Defer) => AsyncIterable<string>;
}

export interface Round {
  readonly ours: number;
  readonly reference: number;
}

export interface Result {
  readonly ours: number;
  readonly reference: number;
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number };
}

type Work = () => Promise<unknown>;

const rounds = 15;
const sliceMilliseconds = 150;
const warmUpMilliseconds = 1_000;

/**
 * Measures both implementations alternately, so that a slow phase of the machine slows both and the ratio stays stable.
 */
export async function compare(ours: Work, reference: Work): Promise<Result> {
  const oursCalls = await warmUp(ours);
  const referenceCalls = await warmUp(reference);
  const taken: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    taken.push({ ours: await speed(ours, oursCalls), reference: await speed(reference, referenceCalls) });
  }
  return resultOf(taken);
}

export function resultOf(taken: readonly Round[]): Result {
  const ratios = taken.map((round) => round.ours / round.reference);
  return {
    ours: median(taken.map((round) => round.ours)),
    reference: median(taken.map((round) => round.reference)),
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
  };
}

async function warmUp(work: Work): Promise<number> {
  let calls = 1;
  let spent = 0;
  let perSecond = 0;
  while (spent < warmUpMilliseconds) {
    perSecond = await speed(work, calls);
    spent += (calls / perSecond) * 1_000;
    calls *= 2;
  }
  return Math.max(1, Math.round((perSecond * sliceMilliseconds) / 1_000));
}

async function speed(work: Work, calls: number): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < calls; call++) await work();
  return (calls * 1_000) / (performance.now() - start);
}
