import { afterEach, expect, test, vi } from 'vitest';
import { Remembered } from './remembered.ts';

afterEach(() => void vi.useRealTimers());

test('what is remembered goes by itself when its time is over, also if it was used meanwhile', () => {
  vi.useFakeTimers();
  const values = new Remembered<number>(10, 600_000);
  values.set('first', 1, 5);
  vi.advanceTimersByTime(300_000);
  values.set('second', 2, 7);
  expect(values.get('first')).toBe(1);
  vi.advanceTimersByTime(300_000);
  expect([values.has('first'), values.has('second'), values.bytes]).toEqual([false, true, 7]);
  vi.advanceTimersByTime(300_000);
  expect([values.bytes, vi.getTimerCount()]).toEqual([0, 0]);
});

test('what was used longest ago goes first, by bytes as by number, and is named', () => {
  vi.useFakeTimers();
  const gone: number[] = [];
  const values = new Remembered<number>(100, Infinity, 80, (value) => void gone.push(value));
  for (const nth of [1, 2, 3, 4]) values.set(`${nth}`, nth, 10);
  vi.advanceTimersByTime(1_000);
  values.get('1');
  values.resize('4', 60);
  expect(values.values()).toEqual([4, 1]);
  values.set('larger than all', 5, 100);
  expect([values.values(), gone]).toEqual([[5], [2, 3, 4, 1]]);
});

test('of more values than it may have, those that were used longest ago go', () => {
  const values = new Remembered<number>(8);
  for (let nth = 1; nth <= 8; nth++) values.set(`${nth}`, nth);
  expect(values.size).toBe(8);
  values.set('9', 9);
  expect([values.has('1'), values.get('9')]).toEqual([false, 9]);
  for (let nth = 10; nth <= 100; nth++) values.set(`${nth}`, nth);
  expect(values.size).toBeLessThanOrEqual(8);
  expect(values.get('100')).toBe(100);
});
