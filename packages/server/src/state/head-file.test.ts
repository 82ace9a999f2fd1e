// What a server remembers in a file: across its end, after kill -9, in a full file, and beside a second server.
import { access, appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newDirectory } from '@eaas/test-kit/directory';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type HeadFile, openHeadFile } from './head-file.ts';

const tenantAt = (nth: number): string => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
const [ann, bob] = [tenantAt(1), tenantAt(2)];
const headAt = (id: number) => ({ id, hash: new Uint8Array(32).fill(id) });
const hexAt = (id: number): string => id.toString(16).padStart(2, '0').repeat(32);

async function opened(directory: string, patience?: number): Promise<HeadFile> {
  const { heads, warning } = await openHeadFile(directory, patience);
  expect(warning).toBeUndefined();
  onTestFinished(() => heads.close());
  return heads;
}

/** The ids and hashes that are remembered of tenants. */
const remembered = (heads: HeadFile, ...tenantIds: string[]) =>
  tenantIds.map((tenantId) => {
    const head = heads.get(tenantId);
    return head && { id: head.id, hash: head.hash };
  });

test('the newest entries outlive the server, and older ones do not take their place', async () => {
  const directory = join(await newDirectory(), 'state');
  const heads = await opened(directory);
  for (const id of [3, 5, 4]) heads.saw(ann, headAt(id));
  heads.saw(bob, headAt(9));
  await heads.close();

  const again = await opened(directory);
  expect(remembered(again, ann, bob, tenantAt(3))).toEqual([headAt(5), headAt(9), undefined]);
  expect((await stat(join(directory, 'heads'))).mode & 0o777).toBe(0o600);
});

test('what is seen goes to the file each second, and what a killed server wrote is read without its torn end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = await newDirectory();
  const heads = await opened(directory);
  heads.saw(ann, headAt(5));
  vi.advanceTimersByTime(1_000);
  await heads.flush();
  heads.saw(ann, headAt(6));
  await heads.flush();
  expect(await readFile(join(directory, 'heads'), 'utf8')).toBe(
    `eaas heads v1\n${ann} 5 ${hexAt(5)}\n${ann} 6 ${hexAt(6)}\n`,
  );

  await heads.close();
  await appendFile(join(directory, 'heads'), `${ann} 7 0707`);
  expect(remembered(await opened(directory), ann)).toEqual([headAt(6)]);
});

test('a damaged file is kept, told, and read as far as it goes', async () => {
  const directory = await newDirectory();
  const path = join(directory, 'heads');
  const text = `eaas heads v1\n${ann} 5 ${hexAt(5)}\n\0\0\0\n${bob} 9 ${hexAt(9)}\n`;
  await writeFile(path, text);
  const { heads, warning } = await openHeadFile(directory);
  onTestFinished(() => heads.close());
  expect(warning).toBe(
    `1 of 4 lines of ${path} are damaged, and what they said is forgotten. The file is kept as ${path}.damaged.`,
  );
  expect(remembered(heads, ann, bob)).toEqual([headAt(5), headAt(9)]);
  expect(await readFile(`${path}.damaged`, 'utf8')).toBe(text);
});

test('of more than 100,000 tenants, those that were used longest ago are forgotten', async () => {
  const directory = await newDirectory();
  const heads = await opened(directory);
  for (let nth = 0; nth <= 100_000; nth++) heads.saw(tenantAt(nth), headAt(1));
  expect(remembered(heads, tenantAt(0), tenantAt(100_000))).toEqual([undefined, headAt(1)]);
  await heads.close();
  expect(remembered(await opened(directory), tenantAt(100_000))).toEqual([headAt(1)]);
});

test('a file that has grown long is written anew', async () => {
  const directory = await newDirectory();
  const heads = await opened(directory);
  for (let nth = 0; nth < 11; nth++) {
    for (let tenant = 0; tenant < 1_000; tenant++) heads.saw(tenantAt(tenant), { ...headAt(7), id: nth + 1 });
    await heads.flush();
  }
  const lines = async () => (await readFile(join(directory, 'heads'), 'utf8')).split('\n').length - 2;
  expect(await lines()).toBe(11_000);
  heads.saw(ann, headAt(20));
  await heads.flush();
  heads.saw(ann, headAt(21));
  await heads.flush();
  expect(await lines()).toBe(11_002);
  for (let tenant = 0; tenant < 1_000; tenant++) heads.saw(tenantAt(tenant), headAt(30));
  await heads.flush();
  heads.saw(ann, headAt(31));
  await heads.flush();
  expect(await lines()).toBe(1_000);
});

test('what cannot be written is told, and written later', async () => {
  const directory = join(await newDirectory(), 'state');
  const heads = await opened(directory);
  const faults: unknown[] = [];
  heads.onFault = (error) => faults.push(error);
  const path = join(directory, 'heads');
  await rm(path);
  await mkdir(path);
  heads.saw(ann, headAt(5));
  await heads.flush();
  expect(faults).toMatchObject([{ code: 'EISDIR' }]);

  await rm(path, { recursive: true });
  await heads.flush();
  expect(await readFile(path, 'utf8')).toBe(`${ann} 5 ${hexAt(5)}\n`);
});

test('a second server in the directory of one that runs does not start', async () => {
  const directory = await newDirectory();
  const heads = await opened(directory);
  const lock = join(directory, 'lock');
  const beating = setInterval(() => void heads.flush(), 20);
  onTestFinished(() => clearInterval(beating));
  await expect(openHeadFile(directory, 60_000)).rejects.toThrow(
    `A server that runs uses the directory ${directory} of EAAS_STATE_DIR. Give each server a directory of its own`,
  );
  clearInterval(beating);
  await heads.close();
  await expect(access(lock)).rejects.toThrow('ENOENT');
});

test('the lock of a killed server is taken, and who lost it so writes no more', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = await newDirectory();
  const killed = await opened(directory);
  killed.saw(ann, headAt(5));
  await killed.flush();
  expect(remembered(await opened(directory, 1), ann)).toEqual([headAt(5)]);

  const faults: unknown[] = [];
  killed.onFault = (error) => faults.push(error);
  killed.saw(ann, headAt(6));
  await killed.flush();
  expect(String(faults)).toContain('another server has taken');
  expect(await readFile(join(directory, 'heads'), 'utf8')).toBe(`eaas heads v1\n${ann} 5 ${hexAt(5)}\n`);
});

test('a directory in which a server cannot write is named', async () => {
  const file = join(await newDirectory(), 'file');
  await writeFile(file, '');
  await expect(openHeadFile(join(file, 'state'))).rejects.toThrow(
    /^The directory .* of EAAS_STATE_DIR cannot be used \(ENOTDIR\)\. Set it to a directory/,
  );
});
