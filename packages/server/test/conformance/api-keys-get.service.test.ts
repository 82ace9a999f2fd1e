import { describe, expect, test } from 'vitest';
import {
  clientOf,
  commandJson,
  type IssuedApiKey,
  newTenant,
  ok,
  recordOf,
  unknownId,
} from '@eaas/test-kit/fixture';

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

  test('GET with an unknown id, a name or a token returns 404', async () => {
    const { record } = await tenant.issue();
    for (const id of [unknownId(), record.name, record.api_key, 'x', key.key_id]) {
      expect(await get(encodeURIComponent(id))).toBeProblem('not_found');
    }
  });
});

test('an API key that the command api-key create issued works like an API key of POST /v1/api-keys', async () => {
  const issued = await commandJson<IssuedApiKey>(
    'api-key',
    'create',
    '--tenant',
    tenant.tenant_id,
    '--name',
    'ci',
    '--permissions',
    'keys.read',
  );
  expect(ok(await get(issued.api_key_id))).toStrictEqual(recordOf(issued));
  const api = await clientOf(issued.api_key);
  expect(await api.get('/v1/keys')).toHaveStatus(200);
  expect(await api.get('/v1/audit')).toBeProblem('permission_missing');
});
