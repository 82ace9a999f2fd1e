import { expect, onTestFinished, test } from 'vitest';
import { startJobs } from './schedule.ts';

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
