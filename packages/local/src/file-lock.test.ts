import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Held, lockNow, lockSoon } from './file-lock.ts';

let path: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'eaas-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'local.json.lock');
});

const holder = () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
const noProcess = 2 ** 22 + 1; // above the largest process id of Linux

function leave(change: object): void {
  const lock = lockNow(path);
  const left = JSON.stringify({ ...holder(), ...change });
  lock.release();
  writeFileSync(path, left);
}

test('a lock has one holder at a time, and waits for its release', async () => {
  const first = lockNow(path);
  expect(holder()).toMatchObject({ pid: process.pid });
  const second = lockSoon(path);
  await expect(lockSoon(path, 50)).rejects.toThrow(`process ${process.pid}`);
  expect(() => lockNow(path, 50)).toThrow(`if it no longer runs, delete the file ${path}`);
  expect(first.isHeld()).toBe(true);
  first.release();
  expect((await second).isHeld()).toBe(true);
  first.release();
  expect(existsSync(path)).toBe(true);
  (await second).release();
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['a process that has ended', { pid: noProcess }],
  ['an earlier process with the same id', { started: '1' }],
])('the lock of %s is taken over', (_, change) => {
  leave(change);
  expect(lockNow(path, 1_000).isHeld()).toBe(true);
});

test('a stale lock is taken over even if the process that removed it was killed meanwhile', () => {
  leave({ pid: noProcess });
  writeFileSync(`${path}.break`, readFileSync(path));
  expect(lockNow(path, 1_000).isHeld()).toBe(true);
  expect(existsSync(`${path}.break`)).toBe(false);
});

test('of two that find the same dead holder, the later one does not remove the lock of the other', () => {
  leave({ pid: noProcess });
  const kill = process.kill.bind(process);
  let first: Held | undefined;
  vi.spyOn(process, 'kill').mockImplementationOnce((...given) => {
    first = lockNow(path, 1_000);
    return kill(...given);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  expect(() => lockNow(path, 50)).toThrow(`process ${process.pid}`);
  expect(first?.isHeld()).toBe(true);
});

test.each([
  ['another machine or container', { pid: noProcess, host: 'elsewhere' }],
  ['an unknown form', { pid: 'none' }],
  ['this process', {}],
])('the lock of %s is never removed', (_, change) => {
  leave(change);
  const before = readFileSync(path, 'utf8');
  expect(() => lockNow(path, 50)).toThrow('another process has locked the key file');
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a lock that cannot be made says what the folder needs', () => {
  expect(() => lockNow(join(path, '..', 'none', 'lock'))).toThrow(
    /cannot be made \(ENOENT\): use a folder on a local disk in which this user can write$/,
  );
});

test('a holder whose lock was deleted by hand does not remove the lock of the next one', () => {
  const first = lockNow(path);
  rmSync(path);
  const second = lockNow(path);
  expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
  first.release();
  expect(second.isHeld()).toBe(true);
});
