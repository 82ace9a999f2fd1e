import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pid } from 'node:process';
import { expect, test } from 'vitest';
import { processIdentity } from './owner.ts';

test('each running process has a stable and unique identity', async () => {
  const own = await processIdentity(pid);
  expect(own).toEqual(expect.any(String));
  expect(await processIdentity(pid)).toBe(own);

  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const childs = await processIdentity(child.pid ?? 0);
  expect(childs).toEqual(expect.any(String));
  expect(childs).not.toBe(own);
  child.kill();
  await once(child, 'exit');
  expect(await processIdentity(child.pid ?? 0)).toBeUndefined();
});

test('a zombie process counts as a process that has ended', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  await expect.poll(() => processIdentity(Number(line.toString()))).toBeUndefined();
  parent.kill();
});
