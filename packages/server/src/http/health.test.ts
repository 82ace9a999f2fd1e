import { expect, it, onTestFinished, vi } from 'vitest';
import { healthOf, notReady } from './health.ts';

it('a replica is not ready for 10 s after an audit entry could not be written', async () => {
  vi.useFakeTimers({ now: 20_000 });
  onTestFinished(() => void vi.useRealTimers());
  const reasonsOf = async (failedAt: number | null) =>
    (
      await healthOf(
        async () => {},
        { failedAt },
        () => false,
      )()
    ).reasons;
  expect(await reasonsOf(performance.now() - 9_999)).toEqual([notReady.audit]);
  expect(await reasonsOf(performance.now() - 10_000)).toEqual([]);
  expect(await reasonsOf(null)).toEqual([]);
});
