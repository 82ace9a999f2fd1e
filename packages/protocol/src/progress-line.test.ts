import { afterEach, expect, test, vi } from 'vitest';
import { progressLine } from './progress-line.ts';

const { isTTY } = process.stderr;
let written = '';
afterEach(() => {
  process.stderr.isTTY = isTTY;
  written = '';
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function lineIn(isTerminal: boolean) {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  process.stderr.isTTY = isTerminal;
  return progressLine();
}

test.each([
  [4_000, 25, '12 s'],
  [60_000, 25, '3 min'],
  [3_600_000, 25, '3 h'],
])('after %i ms for %i of 100, it shows what is left', (time, done, left) => {
  const line = lineIn(true);
  line.show(0, 100, 'nothing');
  vi.advanceTimersByTime(time);
  line.show(done, 100, 'a part');
  expect(written).toBe(`\r\u001B[Ka part, ${left} left`);
  line.clear();
  expect(written.endsWith('\r\u001B[K')).toBe(true);
});

test('what an earlier run did, and another part of the work, do not count for the pace', () => {
  const line = lineIn(true);
  line.show(90, 100, 'resumed');
  vi.advanceTimersByTime(1_000);
  line.show(91, 100, 'resumed');
  expect(written).toContain('resumed, 9 s left');
  line.show(0, 100, 'second');
  vi.advanceTimersByTime(1_000);
  line.show(50, 100, 'second');
  expect(written).toContain('second, 1 s left');
});

test('without a total it names no time, and without a terminal it writes nothing', () => {
  for (const isTerminal of [true, false]) {
    const line = lineIn(isTerminal);
    line.show(0, undefined, 'some');
    vi.advanceTimersByTime(1_000);
    line.show(5, undefined, 'some');
    line.clear();
    expect(written).toBe(isTerminal ? '\r\u001B[Ksome\r\u001B[K' : '');
    written = '';
  }
});
