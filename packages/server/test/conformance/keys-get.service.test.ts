import { expect, test } from 'vitest';
import { expectNothingRecorded, newTenant, ok } from '@eaas/test-kit/fixture';
import { aTimestamp, keyRecord } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');

const get = (keyId: string, query = '') => tenant.api.get(`/v1/keys/${keyId}${query}`);
const unused = { wraps: 0, unwraps: 0, last_unwrap_at: null };

test('GET of a key returns its record and versions, and writes no audit entry', async () => {
  const key = await tenant.newKey();
  const rotated = ok(await tenant.api.post(`/v1/keys/${key.key_id}/rotate`));
  await expectNothingRecorded(tenant, async () => {
    const answer = await get(key.key_id);
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({
      ...rotated,
      versions_total: 2,
      limit: 100,
      offset: 0,
      versions: [
        { key_version: 2, created_at: aTimestamp, ...unused },
        { key_version: 1, created_at: aTimestamp, ...unused },
      ],
    });
  });
});

test('the versions of a key are returned in pages, newest first', async () => {
  const { key_id } = await tenant.newKey();
  for (let nth = 0; nth < 4; nth++) ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  const page = async (query: string) => {
    const { versions_total, limit, offset, versions } = ok(await get(key_id, query));
    expect(versions_total).toBe(5);
    return [limit, offset, versions.map((version) => version.key_version)];
  };
  expect(await page('?limit=2')).toStrictEqual([2, 0, [5, 4]]);
  expect(await page('?limit=2&offset=2')).toStrictEqual([2, 2, [3, 2]]);
  expect(await page('?offset=4')).toStrictEqual([100, 4, [1]]);
  expect(await page('?offset=9007199254740991')).toStrictEqual([100, 9_007_199_254_740_991, []]);
  expect(await page('?limit=1001')).toStrictEqual([1_000, 0, [5, 4, 3, 2, 1]]);
});

test('the path of a key takes its id in upper or lower case', async () => {
  const key = await tenant.newKey();
  expect(ok(await get(key.key_id.toUpperCase()))).toMatchObject(keyRecord({ key_id: key.key_id }));
});
