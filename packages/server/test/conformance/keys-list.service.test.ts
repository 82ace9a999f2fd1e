import { describe, expect, test } from 'vitest';
import { bring, type KeyRecord, newTenant, ok, only } from '@eaas/test-kit/fixture';
import { aTimestamp, keyRecord } from './shapes.ts';

const keys: KeyRecord[] = []; // newest first

const tenant = await newTenant();
for (let number = 1; number <= 6; number++) keys.unshift(await tenant.newKey({ name: `key ${number}` }));
const [, disabled, pending, destroyed] = keys;
await bring(tenant.api, disabled?.key_id ?? '', 'disabled');
await bring(tenant.api, pending?.key_id ?? '', 'pending_destruction');
await bring(tenant.api, destroyed?.key_id ?? '', 'destroyed');

const list = async (query: string) => ok(await tenant.api.get(`/v1/keys?${query}`));
const names = async (query: string) => (await list(query)).keys.map((key) => key.name);

test('GET /v1/keys lists keys, newest first', async () => {
  const page = ok(await tenant.api.get('/v1/keys'));
  expect(page).toMatchObject({ count: 6, total: 6, limit: 50, offset: 0 });
  expect(Object.keys(page).toSorted()).toStrictEqual(['count', 'keys', 'limit', 'offset', 'total']);
  expect(page.keys).toStrictEqual([
    keyRecord({ name: 'key 6' }),
    keyRecord({ name: 'key 5', status: 'disabled' }),
    keyRecord({ name: 'key 4', status: 'pending_destruction', destroy_at: aTimestamp }),
    keyRecord({ name: 'key 3', status: 'destroyed', destroy_at: expect.anything() }),
    keyRecord({ name: 'key 2' }),
    keyRecord({ name: 'key 1' }),
  ]);
});

describe('pages', () => {
  test('GET /v1/keys returns the page that limit and offset select', async () => {
    expect(await names('limit=2')).toStrictEqual(['key 6', 'key 5']);
    expect(await names('limit=2&offset=1')).toStrictEqual(['key 5', 'key 4']);
    expect(await list('limit=2&offset=5')).toMatchObject({ count: 1, total: 6, limit: 2, offset: 5 });
    expect(await list('offset=6')).toMatchObject({ keys: [], count: 0, total: 6, offset: 6 });
    expect(await list('offset=1000000')).toMatchObject({ keys: [], count: 0, total: 6 });
    expect(await list('limit=101')).toMatchObject({ count: 6, limit: 100 });
  });
});

test.for([
  ['active', ['key 6', 'key 2', 'key 1']],
  ['disabled', ['key 5']],
  ['pending_destruction', ['key 4']],
  ['destroyed', ['key 3']],
] as const)('status=%s', async ([status, expected]) => {
  expect(await names(`status=${status}`)).toStrictEqual(expected);
  expect(await list(`status=${status}&limit=1`)).toMatchObject({ count: 1, total: expected.length });
});

test('the filter `name` of GET /v1/keys matches only the whole name', async () => {
  expect(await names('name=key%201')).toStrictEqual(['key 1']);
  for (const other of ['key', 'KEY%201', 'key%201%20', 'key%25', '%25']) {
    expect(await names(`name=${other}`)).toStrictEqual([]);
  }
  expect(await names('name=key%201&status=disabled')).toStrictEqual([]);
});

test('GET /v1/keys shows no key of another tenant', async () => {
  const other = await newTenant();
  const own = await other.newKey({ name: 'key 1' });
  const page = ok(await other.api.get('/v1/keys'));
  expect(only(page.keys).key_id).toBe(own.key_id);
  expect(page.total).toBe(1);
});
