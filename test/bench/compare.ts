import { median } from '@eaas/test-kit/statistics';

/** Registers a function that runs after the benchmark. The last registered function runs first. */
export type Defer = (close: () => unknown) => void;

export interface Contender {
  readonly name: string;
  readonly run: (call: number) => unknown;
  readonly size?: number;
}

/** Maps column titles to values. The report shows these columns in a second table. */
export type Note = Readonly<Record<string, string>>;

export interface Comparison {
  readonly ours: Contender;
  readonly reference: Contender;
  readonly target?: number;
  readonly floor?: number;
  readonly elsewhere?: () => Promise<Result>;
  readonly note?: () => Note;
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

const rounds = 15;
const sliceMilliseconds = 150;

/**
 * Measures both implementations alternately, so that a slow phase of the machine slows both and the ratio stays stable.
 */
export async function compare({ ours, reference, elsewhere }: Comparison): Promise<Result> {
  if (elsewhere) return elsewhere();
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

async function warmUp(contender: Omit<Contender, 'name'>, milliseconds = 1_000): Promise<number> {
  let calls = 1;
  let spent = 0;
  let perSecond = 0;
  while (spent < milliseconds) {
    perSecond = (await speed(contender, calls)) / (contender.size ?? 1);
    spent += (calls / perSecond) * 1_000;
    calls *= 2;
  }
  return Math.max(1, Math.round((perSecond * sliceMilliseconds) / 1_000));
}

export async function speed({ run, size = 1 }: Omit<Contender, 'name'>, calls: number): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    const outcome = run(call);
    if (outcome instanceof Promise) await outcome;
  }
  return (calls * size * 1_000) / (performance.now() - start);
}

export function pick<T>(list: readonly T[]): (call: number) => T {
  return (call) => list[call % list.length] as T;
}
