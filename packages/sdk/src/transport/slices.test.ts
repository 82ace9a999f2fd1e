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

test('timers fire between two turns', async () => {
  const fired: true[] = [];
  setTimeout(() => fired.push(true));
  while (fired.length === 0) await nextTurn();
  expect(fired).toEqual([true]);
});
