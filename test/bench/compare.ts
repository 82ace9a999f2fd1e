/** One way to do the work. It is handed the number of the call, to choose its input by. */
export interface Contender {
  readonly name: string;
  readonly run: (call: number) => unknown;
  /** How many operations a call does; one where absent. */
  readonly size?: number;
}

/** Ours beside what it is held against; a target is the least ratio that we promise. */
export interface Comparison {
  readonly ours: Contender;
  readonly reference: Contender;
  readonly target?: number | undefined;
  /** The least operations a second of ours, where the promise is a number. */
  readonly floor?: number;
  /** Runs the rounds where this process cannot: in a browser. */
  readonly elsewhere?: () => Promise<Result>;
  /** What else the run showed. */
  readonly note?: () => string;
  /** Called when it is over. */
  readonly close?: () => Promise<void>;
}

export interface Benchmark {
  readonly name: string;
  readonly about: string;
  readonly comparisons: () => Promise<readonly Comparison[]>;
}

export interface Result {
  /** Operations a second, the median of the rounds. */
  readonly ours: number;
  readonly reference: number;
  /** Ours to the reference within one round: the median, the least and the greatest. */
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number };
}

const rounds = 15;
const warmUpMilliseconds = 1_000;
const sliceMilliseconds = 150;

/**
 * Times both in turn, A B A B …: whatever slows the machine for a while slows both, so the ratio of a round
 * holds where operations a second do not.
 */
export async function compare({ ours, reference, elsewhere }: Comparison): Promise<Result> {
  if (elsewhere) return elsewhere();
  const oursCalls = await callsIn(ours, sliceMilliseconds);
  const referenceCalls = await callsIn(reference, sliceMilliseconds);
  const taken: { ours: number; reference: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    taken.push({ ours: await speed(ours, oursCalls), reference: await speed(reference, referenceCalls) });
  }
  const ratios = taken.map((round) => round.ours / round.reference);
  return {
    ours: median(taken.map((round) => round.ours)),
    reference: median(taken.map((round) => round.reference)),
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
  };
}

/** Warms up, and answers how many calls fill the time. */
async function callsIn(contender: Contender, milliseconds: number): Promise<number> {
  let calls = 1;
  let spent = 0;
  let perSecond = 0;
  while (spent < warmUpMilliseconds) {
    perSecond = await speed(contender, calls);
    spent += ((calls * (contender.size ?? 1)) / perSecond) * 1_000;
    calls *= 2;
  }
  return Math.max(1, Math.round((perSecond * milliseconds) / 1_000 / (contender.size ?? 1)));
}

/** Calls a second over so many calls. Waits only for what has to be waited for. */
async function speed({ run, size = 1 }: Contender, calls: number): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    const outcome = run(call);
    if (outcome instanceof Promise) await outcome;
  }
  return (calls * size * 1_000) / (performance.now() - start);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
