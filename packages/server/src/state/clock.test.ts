import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DatabaseClock, monthOf } from './clock.ts';

const year = 365 * 24 * 60 * 60 * 1_000;
const respond = (clock: DatabaseClock, time: number, milliseconds = 1) =>
  clock.learn(time, performance.now() - milliseconds);
const near = (clock: DatabaseClock, time: number) => Math.abs(clock.now() - time) <= 2;

// The fake clock does not advance, so the results do not depend on the speed of the machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test("the server estimates the database's time even if the machine's wall clock is wrong", () => {
  const clock = new DatabaseClock();
  for (const time of [Date.now() + year, Date.now() - year, 0, Date.now()]) {
    respond(clock, time);
    expect(near(clock, time)).toBe(true);
    expect(Math.abs(clock.wallClockError() - (Date.now() - time))).toBeLessThanOrEqual(2);
  }
});

test('if a response took 2 s, the clock ignores a difference of up to 2 s and corrects only the rest', () => {
  const clock = new DatabaseClock();
  const time = Date.now();
  respond(clock, time);
  respond(clock, time - 1_000, 2_000);
  expect(near(clock, time)).toBe(true);
  respond(clock, time - 5_000, 2_000);
  expect(near(clock, time - 3_000)).toBe(true);
});

test('the month of a time is that of its UTC date, in whatever order months are asked for', () => {
  const times = ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'];
  const leap = ['2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00.000Z', '2028-02-01T00:00:00.000Z'];
  for (const time of [...times, ...leap, ...times.toReversed()]) {
    expect(monthOf(Date.parse(time))).toBe(time.slice(0, 7));
  }
});
