import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { jsonLines } from '../cli/command-line.ts';
import { type Account, eaasFiles, newAccount, newPlace } from './command-line.ts';

const MiB = 1_048_576;
const measuring = `--expose-gc --import ${fileURLToPath(new URL('peak-memory.mjs', import.meta.url))}`;

let account: Account;
beforeAll(async () => {
  account = await newAccount();
});

async function mostMemory(bytes: number): Promise<number[]> {
  const place = await newPlace();
  const [node, ...program] = eaasFiles();
  const line = [node, measuring, ...program].join(' ');
  const pipe = `head --bytes ${bytes} /dev/zero | ${line} encrypt | ${line} decrypt | wc --bytes`;
  const { code, stdout, stderr } = await place.type(pipe, account.env);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${bytes}\n` });
  return jsonLines<{ most: number }>(stderr).map(({ most }) => most);
}

test('encrypting a pipe of 384 MiB needs no more memory than encrypting a pipe of 32 MiB', async () => {
  const few = await mostMemory(32 * MiB);
  const many = await mostMemory(384 * MiB + 1);
  expect([few.length, many.length]).toEqual([2, 2]);
  expect(Math.min(...few)).toBeGreaterThan(MiB);
  expect(Math.max(...many) - Math.min(...few)).toBeLessThan(16 * MiB);
});
