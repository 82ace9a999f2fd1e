import { describe, expect, test } from 'vitest';
import { newTenant, recordOf } from '@eaas/test-kit/fixture';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();

const get = (id: string) => tenant.api.get(`/v1/api-keys/${id}`);

describe('GET /v1/api-keys/:id', () => {
  test('GET returns the record of an API key', async () => {
    const { record } = await tenant.issue({ key_ids: [key.key_id], permissions: ['encrypt'] });
    const answer = await get(record.api_key_id);
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual(recordOf(record));
    expect((await get(record.api_key_id.toUpperCase())).body).toStrictEqual(recordOf(record));
  });
});
