import { expect, test } from 'vitest';
import { forEach } from './schedule.ts';

const never = new AbortController().signal;

test('a job that fails for one item continues with the other items', async () => {
  const done: number[] = [];
  const all = forEach([1, 2, 3, 4], never, async (thing) => {
    if (thing % 2 === 0) throw new RangeError(`no ${thing}`);
    done.push(thing);
  });
  await expect(all).rejects.toMatchObject({ message: '2 of 4 failed', cause: new RangeError('no 2') });
  expect(done).toEqual([1, 3]);
});
