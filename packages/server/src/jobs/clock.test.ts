import { expect, test } from 'vitest';
import { clockFault } from './clock.ts';

test.each([
  [60_000, /^undefined$/],
  [60_001, /60 s ahead of/],
  [-60_000, /^undefined$/],
  [-60_001, /60 s behind/],
])('of a clock that is %i ms ahead, the fault is %s', (ahead, fault) => {
  expect(String(clockFault(ahead))).toMatch(fault);
});
