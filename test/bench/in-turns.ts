import { type Result, resultOf, type Round } from './compare.ts';

type Measure = () => Promise<number>;

interface Turns {
  readonly rounds: number;
  readonly warmUps: number;
}

/** Every second round begins with `reference`, because the first measurement of a round can be slower. */
export async function inTurns(
  ours: Measure,
  reference: Measure,
  { rounds, warmUps }: Turns,
): Promise<Result> {
  const taken: Round[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    const [first, second] = round % 2 === 0 ? [ours, reference] : [reference, ours];
    const [before, after] = [await first(), await second()];
    taken.push(round % 2 === 0 ? { ours: before, reference: after } : { ours: after, reference: before });
  }
  return resultOf(taken.slice(warmUps));
}
