import { Refusal } from '@eaas/server/internal';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { SignInCodes } from './sign-in.ts';

const open = async () => 'a session';
const minute = 60_000;

let folder: string;
let now: number;
let codes: SignInCodes;
beforeEach(async () => {
  folder = await newDirectory();
  now = Date.now();
  codes = new SignInCodes(folder, () => now);
});

it('a sign-in code has 32 random bytes and can be exchanged, by another process too', async () => {
  const [code, other] = [await codes.create(), await codes.create()];
  expect(Buffer.from(code, 'base64url')).toHaveLength(32);
  expect(code).not.toBe(other);
  for (const each of [code, other]) {
    expect(await new SignInCodes(folder).exchange(each, open)).toBe('a session');
  }
});

it('the files of the sign-in codes do not contain the codes, and only their owner can read them', async () => {
  const code = await codes.create();
  const [name = '', ...others] = await readdir(join(folder, 'sign-in'));
  expect(others).toEqual([]);
  expect(name + (await readFile(join(folder, 'sign-in', name), 'utf8'))).not.toContain(code);
  const modes = await Promise.all(['sign-in', `sign-in/${name}`].map((path) => stat(join(folder, path))));
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
});

it('only one of two concurrent exchanges accepts a sign-in code', async () => {
  const code = await codes.create();
  const both = await Promise.allSettled([codes.exchange(code, open), codes.exchange(code, open)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(codes.exchange(code, open)).rejects.toBeInstanceOf(Refusal);
});

it.each([
  '',
  'x',
  '../dev.json',
  (right: string) => `${right} `,
  (right: string) => right.slice(1),
  () => 'A'.repeat(43),
])('the correct sign-in code works after a wrong code (case %#)', async (wrong) => {
  const code = await codes.create();
  const text = typeof wrong === 'string' ? wrong : wrong(code);
  await expect(codes.exchange(text, open)).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await codes.exchange(code, open)).toBe('a session');
});

it('a sign-in code expires after ten minutes, and the next code removes its file', async () => {
  const [early, late] = [await codes.create(), await codes.create()];
  now += 10 * minute - 1;
  expect(await codes.exchange(early, open)).toBe('a session');
  now += 1;
  await expect(codes.exchange(late, open)).rejects.toMatchObject({ code: 'unauthorized' });
  await codes.create();
  expect(await readdir(join(folder, 'sign-in'))).toHaveLength(1);
});

it('a sign-in code stays valid if creating the API key fails', async () => {
  const code = await codes.create();
  const unavailable = () => Promise.reject(new Refusal('unavailable', 'The database does not respond.'));
  await expect(codes.exchange(code, unavailable)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await codes.exchange(code, open)).toBe('a session');
});
