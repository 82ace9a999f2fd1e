import type { writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTurns, linesTo } from './log-lines.ts';

type Outcome = number | 'ENOSPC' | 'EAGAIN';

/** A file that takes as many bytes as each outcome says, or all bytes after the last outcome. */
function fileWith(...outcomes: Outcome[]) {
  const written: Buffer[] = [];
  const write = (_: number, bytes: Buffer, from: number): number => {
    const outcome = outcomes.shift() ?? bytes.length - from;
    if (typeof outcome === 'string') throw Object.assign(new Error(outcome), { code: outcome });
    written.push(bytes.subarray(from, from + outcome));
    return outcome;
  };
  return { lines: linesTo(1, write as typeof writeSync), text: () => Buffer.concat(written).toString() };
}

const note = (lines: number) =>
  expect.stringMatching(
    new RegExp(`^\\{"level":"warn","time":"[^"]+","lines":${lines},"msg":"lines of the log were lost"\\}$`),
  ) as string;

test('lines that do not fit on the disk are lost, and the next line says how many', () => {
  const { lines, text } = fileWith('ENOSPC', 'ENOSPC');
  for (const line of ['a\n', 'b\n', 'c\n', 'd\n']) lines.write(line);
  expect(text().split('\n')).toEqual([note(2), 'c', 'd', '']);
});

test('after a line that was written only in part, the next one begins a new line', () => {
  const { lines, text } = fileWith(3, 'ENOSPC', 'ENOSPC');
  for (const line of ['{"a":1}\n', '{"b":1}\n', '{"c":1}\n']) lines.write(line);
  expect(text().split('\n')).toEqual(['{"a', note(2), '{"c":1}', '']);
});

test('a slow reader of the pipe gets the line, but is waited for only once', () => {
  const slow = fileWith('EAGAIN', 'EAGAIN');
  slow.lines.write('late\n');
  expect(slow.text()).toBe('late\n');
  const stuck = fileWith(...Array.from({ length: 11 }, () => 'EAGAIN' as const), 'EAGAIN');
  for (const line of ['a\n', 'b\n', 'c\n']) stuck.lines.write(line);
  expect(stuck.text().split('\n')).toEqual([note(2), 'c', '']);
});

test('lines of one turn leave together, and each that is lost is counted', async () => {
  const { lines, text } = fileWith('ENOSPC', 4, 'ENOSPC');
  const together = inTurns(lines);
  for (const line of ['a\n', 'b\n', 'c\n']) together.write(line);
  expect(text()).toBe('');
  await nextTurn();
  together.write('d\n');
  await nextTurn();
  expect(text()).toBe('{"le');
  for (const line of ['e\n', 'f\n']) together.write(line);
  await nextTurn();
  expect(text().split('\n')).toEqual(['{"le', note(4), 'e', 'f', '']);
});
