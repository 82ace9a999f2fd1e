import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findPlay, isPlay, newOwner } from '../playground/play.ts';
import { storeUsers } from '../playground/users.ts';
import { sessionInMemory } from './embedded.tsx';

beforeEach(() => {
  vi.stubGlobal('location', { origin: 'https://docs.example' });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a session in memory plays without a request that leaves the page', async () => {
  const sent = vi.fn();
  vi.stubGlobal('fetch', sent);
  const play = await findPlay(sessionInMemory());
  if (!isPlay(play)) throw new Error('the playground found keys that it did not create');

  const ada = newOwner();
  const ciphertext = await play.eaas.encrypt('ada@example.com', ada);
  expect(await play.eaas.decrypt(ciphertext, { ...ada, as: 'text' })).toBe('ada@example.com');
  const users = await storeUsers(play.eaas, 'ada@example.com');
  expect(await users.find('ADA@example.com')).toMatchObject({ found: ['42'] });
  const { logs } = await play.session.client.audit.page({ limit: 10 });
  expect(logs.map(({ action }) => action)).toEqual(expect.arrayContaining(['key.wrap', 'key.unwrap']));
  expect(sent).not.toHaveBeenCalled();
});

test('two sessions in memory have different API keys, and no keys in common', async () => {
  const [first, second] = [sessionInMemory(), sessionInMemory()];
  expect(first.apiKey).not.toBe(second.apiKey);
  await first.client.keys.create({ name: 'first' });
  expect(await second.client.keys.page()).toMatchObject({ total: 0 });
});
