import { expect, test } from 'vitest';
import { observedClient, range } from '../../../test/sdk/observed-client.ts';

const all = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
};

test('keys.list yields keys newest first, over all pages', async () => {
  const { client, service } = observedClient();
  for (const n of range(8)) service.createKey(`key ${n}`);
  const names = (await all(client.keys.list({}, { pageSize: 3 }))).map(({ name }) => name);
  expect(names).toEqual([...range(8).map((n) => `key ${7 - n}`), 'fields']);
  expect((await all(client.keys.list({ name: 'key 3' }))).map(({ name }) => name)).toEqual(['key 3']);
  expect(await client.keys.page({ limit: 2 })).toMatchObject({ count: 2, total: 9, limit: 2, offset: 0 });
});

test('keys.list yields no key twice if keys are created while it runs', async () => {
  const { client, service } = observedClient();
  for (const n of range(6)) service.createKey(`key ${n}`);
  const ids: string[] = [];
  for await (const { key_id } of client.keys.list({}, { pageSize: 2 })) {
    if (ids.push(key_id) <= 3) service.createKey(`later ${ids.length}`);
  }
  expect(ids).toHaveLength(7);
  expect(new Set(ids).size).toBe(7);
});

test('apiKeys.list yields API keys newest first, over all pages', async () => {
  const { client, service } = observedClient();
  for (const n of range(3)) service.createApiKey({ name: `api key ${n}`, permissions: ['encrypt'] });
  const names = (await all(client.apiKeys.list({}, { pageSize: 2 }))).map(({ name }) => name);
  expect(names).toEqual(['api key 2', 'api key 1', 'api key 0', 'everything']);
});
