import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { logTo } from './log.ts';

const path = join(tmpdir(), `log-${process.pid}`);
const opened: number[] = [];

function open(file: string): number {
  const descriptor = openSync(file, 'w');
  opened.push(descriptor);
  return descriptor;
}

afterEach(() => {
  for (const descriptor of opened.splice(0)) closeSync(descriptor);
  rmSync(path, { force: true });
});

describe('logTo', () => {
  it('writes each message as one line of JSON, and omits messages below the configured level', () => {
    const log = logTo(open(path), 'warn');
    log('info', 'omitted');
    log('error', 'first', { worker: 1 });
    log('warn', 'second');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { level: 'error', time: expect.any(String) as string, worker: 1, msg: 'first' },
      { level: 'warn', time: expect.any(String) as string, msg: 'second' },
    ]);
  });

  it.runIf(process.platform === 'linux')('does not throw if the disk is full', () => {
    const log = logTo(open('/dev/full'), 'info');
    expect(() => log('error', 'lost')).not.toThrow();
  });
});
