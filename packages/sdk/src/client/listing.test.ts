import { expect, test } from 'vitest';
import { all, observedClient, range } from '../../test/observed-client.ts';

test('lists of keys and of API keys yield the newest first, over all pages', async () => {
  const { client, service } = await observedClient();
  for (const n of range(8)) await service.createKey(`key ${n}`);
  for (const n of range(3)) await service.createApiKey({ name: `api key ${n}`, permissions: ['encrypt'] });
  const apiKeys = (await all(client.apiKeys.list({}, { pageSize: 2 }))).map(({ name }) => name);
  expect(apiKeys).toEqual(['api key 2', 'api key 1', 'api key 0', 'everything']);
  const names = (await all(client.keys.list({}, { pageSize: 3 }))).map(({ name }) => name);
  expect(names).toEqual([...range(8).map((n) => `key ${7 - n}`), 'fields']);
  expect((await all(client.keys.list({ name: 'key 3' }))).map(({ name }) => name)).toEqual(['key 3']);
  expect(await client.keys.page({ limit: 2 })).toMatchObject({ count: 2, total: 9, limit: 2, offset: 0 });
});

test('keys.list yields no key twice if keys are created while it runs', async () => {
  const { client, service } = await observedClient();
  for (const n of range(6)) await service.createKey(`key ${n}`);
  const ids: string[] = [];
  for await (const { key_id } of client.keys.list({}, { pageSize: 2 })) {
    if (ids.push(key_id) <= 3) await service.createKey(`later ${ids.length}`);
  }
  expect(ids).toHaveLength(7);
  expect(new Set(ids).size).toBe(7);
});

test('issuers are created, listed newest first, and revoked', async () => {
  const { client, keyId } = await observedClient();
  const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };
  const own = { permissions: ['decrypt' as const], key_ids: [keyId], jwks, audience: 'app' };
  for (const name of ['0', '1', '2']) {
    await client.issuers.create({ ...own, name, issuer: 'https://a.example' });
  }
  const listed = await all(client.issuers.list({}, { pageSize: 2 }));
  expect(listed.map(({ name }) => name)).toEqual(['2', '1', '0']);
  const { issuer_id = '' } = listed[0] ?? {};
  await client.issuers.revoke(issuer_id);
  expect(await client.issuers.get(issuer_id)).toMatchObject({ revoked_at: expect.any(String) as string });
});

interface Page {
  readonly keys: readonly object[];
  readonly count: number;
  readonly total: number;
  readonly offset: number;
}

test.each<[string, (page: Page, offset: number) => Page]>([
  ['responds with the first page again', (page, offset) => (offset > 0 ? { ...page, offset: 0 } : page)],
  ['repeats the records of the first page', (page, offset) => ({ ...page, offset, total: offset + 9 })],
  ['counts too few records', (page, offset) => ({ ...page, offset, count: 1 })],
])('`list` throws `invalid_response` if the service %s', async (_, change) => {
  const { service, client: writer, make } = await observedClient();
  for (const n of range(4)) await service.createKey(`key ${n}`);
  const first = await writer.keys.page({ limit: 2 });
  let requests = 0;
  const client = make({
    fetch: async (input, init) => {
      if (++requests > 1_000) throw new Error('this list never ends');
      const { searchParams } = new URL(new Request(input, init).url);
      return Response.json(change(first, Number(searchParams.get('offset'))));
    },
  });
  await expect(all(client.keys.list({}, { pageSize: 2 }))).rejects.toMatchObject({
    code: 'invalid_response',
  });
  expect(requests).toBeLessThan(110);
});
