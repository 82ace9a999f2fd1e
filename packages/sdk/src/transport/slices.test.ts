import { nextTurn } from '@eaas/protocol/internal-turn';
import { expect, test } from 'vitest';
import { createSlices } from './slices.ts';

function* steps(count: number, work: () => void): Generator<undefined, string> {
  for (let step = 0; step < count; step++) {
    work();
    yield;
  }
  return 'done';
}

test('two computations in a row pause after 10 ms of work in total', async () => {
  let time = 0;
  const slices: number[] = [0];
  const inSlices = createSlices(
    async () => void slices.push(0),
    () => time,
  );
  const work = () => {
    time += 4;
    slices[slices.length - 1] = (slices.at(-1) ?? 0) + 4;
  };
  expect(await inSlices(steps(5, work))).toBe('done');
  expect(await inSlices(steps(4, work))).toBe('done');
  expect(slices.filter((length) => length > 0)).toEqual([12, 12, 12]);
});

test('timers fire during the pauses of a long computation', async () => {
  let time = 0;
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const begun = performance.now();
  await createSlices(
    nextTurn,
    () => time,
  )(
    steps(2_000, () => {
      time += performance.now() - begun < 5_000 && turns === 0 ? 11 : 0;
    }),
  );
  clearInterval(counting);
  expect(turns).toBeGreaterThan(0);
});
