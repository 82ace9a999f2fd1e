import { nextTurn } from '@eaas/protocol/internal-turn';
import { expect, test } from 'vitest';
import { inSlices } from './slices.ts';

test('a long computation pauses after each 10 ms of work', async () => {
  let time = 0;
  const slices = [0];
  const work = (item: number) => {
    time += 4;
    slices[slices.length - 1] = (slices.at(-1) ?? 0) + 4;
    return 2 * item;
  };
  const items = Array.from({ length: 8 }, (_, item) => item);
  const results = await inSlices(
    items,
    work,
    async () => void slices.push(0),
    () => time,
  );
  expect(results).toEqual(items.map((item) => 2 * item));
  expect(slices).toEqual([12, 12, 8]);
});

test('timers fire during the pauses of a long computation', async () => {
  let time = 0;
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const begun = performance.now();
  const work = () => {
    time += performance.now() - begun < 5_000 && turns === 0 ? 11 : 0;
  };
  await inSlices(
    Array.from({ length: 2_000 }, () => 0),
    work,
    nextTurn,
    () => time,
  );
  clearInterval(counting);
  expect(turns).toBeGreaterThan(0);
});
