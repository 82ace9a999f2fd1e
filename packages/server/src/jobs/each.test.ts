import { expect, onTestFinished, test } from 'vitest';
import { forEach, startJobs } from './schedule.ts';

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

test('many jobs do not look like a leak of listeners', async () => {
  const warnings: Error[] = [];
  const collect = (warning: Error): void => void warnings.push(warning);
  process.on('warning', collect);
  onTestFinished(() => void process.off('warning', collect));
  const job = { name: 'job', everySeconds: 60, run: async () => {} };
  const { stop } = startJobs(
    Array.from({ length: 20 }, () => job),
    () => {},
  );
  // Node warns in the turn after the one in which the jobs begin to wait.
  await new Promise(setImmediate);
  await stop();
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
