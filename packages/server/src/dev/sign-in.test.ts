import { expect, it } from 'vitest';
import { Refusal } from '../refusal.ts';
import { SignInCode } from './sign-in.ts';

const open = async () => 'a session';
const minute = 60_000;

it('a sign-in code has 32 random bytes and can be exchanged', async () => {
  const [code, other] = [new SignInCode(), new SignInCode()];
  expect(Buffer.from(code.text, 'base64url')).toHaveLength(32);
  expect(code.text).not.toBe(other.text);
  expect(await code.exchange(code.text, open)).toBe('a session');
});

it('only one of two concurrent exchanges accepts a sign-in code', async () => {
  const code = new SignInCode();
  const both = await Promise.allSettled([code.exchange(code.text, open), code.exchange(code.text, open)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(code.exchange(code.text, open)).rejects.toBeInstanceOf(Refusal);
});

it.each(['', 'x', (right: string) => `${right} `, (right: string) => right.slice(1), () => 'A'.repeat(43)])(
  'the correct sign-in code works after a wrong code (case %#)',
  async (wrong) => {
    const code = new SignInCode();
    const text = typeof wrong === 'string' ? wrong : wrong(code.text);
    await expect(code.exchange(text, open)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await code.exchange(code.text, open)).toBe('a session');
  },
);

it('a sign-in code expires after ten minutes', async () => {
  let now = 0;
  const [early, late] = [new SignInCode(() => now), new SignInCode(() => now)];
  now = 10 * minute - 1;
  expect(await early.exchange(early.text, open)).toBe('a session');
  now = 10 * minute;
  await expect(late.exchange(late.text, open)).rejects.toMatchObject({ code: 'unauthorized' });
});

it('a sign-in code stays valid if creating the API key fails', async () => {
  const code = new SignInCode();
  const unavailable = () => Promise.reject(new Refusal('unavailable', 'The database does not respond.'));
  await expect(code.exchange(code.text, unavailable)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await code.exchange(code.text, open)).toBe('a session');
});
