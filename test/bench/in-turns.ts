import { type Comparison, type Result, resultOf, type Round } from './compare.ts';

export type Measure = () => Promise<number>;

interface Turns {
  readonly rounds: number;
  readonly warmUps: number;
}

export function comparisonOf(
  name: string,
  ours: Measure,
  other: string,
  reference: Measure,
  target?: number,
  turns?: Turns,
): Comparison {
  return {
    ...named(name, other),
    ...(target !== undefined && { target }),
    elsewhere: () => inTurns(ours, reference, turns),
  };
}

export function named(ours: string, reference: string): Comparison {
  const run = (): void => {};
  return { ours: { name: ours, run }, reference: { name: reference, run } };
}

/** Every second round begins with `reference`, because the first measurement of a round can be slower. */
export async function inTurns(
  ours: Measure,
  reference: Measure,
  { rounds, warmUps }: Turns = { rounds: 7, warmUps: 3 },
): Promise<Result> {
  const taken: Round[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    const [first, second] = round % 2 === 0 ? [ours, reference] : [reference, ours];
    const [before, after] = [await first(), await second()];
    taken.push(round % 2 === 0 ? { ours: before, reference: after } : { ours: after, reference: before });
  }
  return resultOf(taken.slice(warmUps));
}
