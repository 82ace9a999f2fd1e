import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { createAdmission } from './admission.ts';

beforeEach(() => {
  setTimeLimits(1);
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

test('a verification waits two seconds for its place, longer than a verification of another tenant keeps it', async () => {
  const { verifications } = createAdmission().shares;
  await verifications.take('ann', 1);
  await verifications.take('ben', 1);
  let outcome = 'waits';
  verifications.take('cat', 1).then(
    () => (outcome = 'granted'),
    () => (outcome = 'refused'),
  );
  await vi.advanceTimersByTimeAsync(1_999);
  expect(outcome).toBe('waits');
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome).toBe('refused');
});
