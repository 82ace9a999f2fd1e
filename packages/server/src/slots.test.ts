import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

test('so many run at a time, the others in their turn, and one that fails gives its slot back', async () => {
  const slots = new Slots(2, 1_000);
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    if (most === 1) throw new Error('failed');
  };
  await Promise.allSettled(Array.from({ length: 9 }, () => slots.run(work)));
  expect(most).toBe(2);
  await slots.run(work);
});

test('who waits too long is refused, and does not take a slot later', async () => {
  const slots = new Slots(1, 20);
  let end: () => void = () => {};
  const first = slots.run(() => new Promise<void>((resolve) => (end = resolve)));
  await expect(slots.run(async () => 'late')).rejects.toMatchObject({ code: 'unavailable' });
  end();
  await first;
  expect(await slots.run(async () => 'next')).toBe('next');
});
