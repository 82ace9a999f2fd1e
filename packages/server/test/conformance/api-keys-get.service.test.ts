import { expect, test } from 'vitest';
import { newTenant, ok, recordOf } from '@eaas/test-kit/fixture';
import { apiKeyRecord } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();

const get = (id: string) => tenant.api.get(`/v1/api-keys/${id}`);

test('GET returns the record of an API key', async () => {
  const { record } = await tenant.issue({ key_ids: [key.key_id], permissions: ['encrypt'] });
  const answer = await get(record.api_key_id);
  expect(answer).toHaveStatus(200);
  expect(answer.body).toStrictEqual(recordOf(record));
  expect((await get(record.api_key_id.toUpperCase())).body).toStrictEqual(recordOf(record));
});

test('GET /v1/api-keys lists all API keys in pages, including revoked API keys, without tokens', async () => {
  const own = await newTenant();
  const { record } = await own.issue({ permissions: ['encrypt'] });
  const revoked = ok(await own.api.delete(`/v1/api-keys/${(await own.issue()).record.api_key_id}`));
  const list = await own.api.get('/v1/api-keys');
  expect(list).toHaveStatus(200);
  const { api_keys, ...page } = list.body;
  expect(page).toStrictEqual({ count: 3, total: 3, limit: 50, offset: 0 });
  expect(api_keys).toContainEqual(recordOf(record));
  expect(api_keys).toContainEqual(revoked);
  const first = api_keys.find((one) => one.api_key_id === own.apiKeyId);
  expect({ ...first, last_used_at: null }).toStrictEqual(apiKeyRecord({ created_by: 'operator' }));
  expect(list.text).not.toContain('eaas_sk_');
  const small = ok(await own.api.get('/v1/api-keys?limit=1&offset=1'));
  expect(small).toMatchObject({ count: 1, total: 3, limit: 1, offset: 1 });
  expect(small.api_keys).toStrictEqual(api_keys.slice(1, 2));
});
