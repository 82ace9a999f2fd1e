import { describe, expect, test } from 'vitest';
import {
  bring,
  expectNothingRecorded,
  keyIn,
  newestEntry,
  newTenant,
  ok,
  only,
  uniqueName,
} from '@eaas/test-kit/fixture';
import { aTimestamp, keyRecord } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const actor = tenant.apiKeyId;
const day = 86_400_000;

const create = (body: unknown) => tenant.api.post('/v1/keys', body);
const get = (keyId: string, query = '') => tenant.api.get(`/v1/keys/${keyId}${query}`);
const change = (keyId: string, verb: 'disable' | 'enable' | 'restore') =>
  tenant.api.post(`/v1/keys/${keyId}/${verb}`);
const rotate = (keyId: string, body?: object) => tenant.api.post(`/v1/keys/${keyId}/rotate`, body);
const destroy = (keyId: string, query = '') => tenant.api.delete(`/v1/keys/${keyId}${query}`);
const putPolicy = (keyId: string, interval_days: number | null) =>
  tenant.api.put(`/v1/keys/${keyId}/rotation-policy`, { interval_days });

describe('POST /v1/keys', () => {
  test('POST /v1/keys returns 201 with the key record, its Location and the time of its audit entry', async () => {
    const name = uniqueName('patients');
    const answer = await create({ name, exportable: null, rotation_policy: null });
    expect(answer).toHaveStatus(201);
    expect(answer.body).toStrictEqual(keyRecord({ name }));
    const { key_id, created_at } = answer.body;
    const location = new URL(answer.headers.get('location') ?? '', 'http://any.example');
    expect(location.pathname).toBe(`/v1/keys/${key_id}`);
    const entry = { action: 'key.create', key_id, key_version: 1, actor, created_at };
    expect(await newestEntry(tenant)).toMatchObject(entry);
  });

  test('POST /v1/keys returns 409 for the name of another key until that key is destroyed', async () => {
    const { key_id, name } = await tenant.newKey();
    await expectNothingRecorded(tenant, async () => {
      expect(await create({ name })).toBeProblem('name_taken');
    });
    await bring(tenant.api, key_id, 'pending_destruction');
    expect(await create({ name })).toBeProblem('name_taken');
    ok(await change(key_id, 'restore'));
    ok(await destroy(key_id, '?grace_days=0'));
    const again = await create({ name });
    expect(again).toHaveStatus(201);
    expect(again.body.key_id).not.toBe(key_id);
  });

  test('of concurrent requests for the same name, one succeeds', async () => {
    const name = uniqueName('contested');
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name })));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toStrictEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  test('a name is stored unchanged, and case, spaces and Unicode normalization count', async () => {
    const others = ['cafe\u0301', 'Caf\u00e9', ' caf\u00e9', '🌍'.repeat(128), '__proto__', '"%00\\'];
    for (const name of ['caf\u00e9', ...others]) {
      const { key_id } = ok(await create({ name }));
      const { keys } = ok(await tenant.api.get(`/v1/keys?name=${encodeURIComponent(name)}`));
      expect(keys).toMatchObject([{ key_id, name }]);
    }
  });
});

describe('GET /v1/keys/:key_id', () => {
  test('returns the record and the versions, and writes no audit entry', async () => {
    const { key_id } = await tenant.newKey();
    const rotated = ok(await rotate(key_id));
    const unused = { created_at: aTimestamp, wraps: 0, unwraps: 0, last_unwrap_at: null };
    await expectNothingRecorded(tenant, async () => {
      expect(ok(await get(key_id.toUpperCase()))).toStrictEqual({
        ...rotated,
        versions_total: 2,
        limit: 100,
        offset: 0,
        versions: [
          { key_version: 2, ...unused },
          { key_version: 1, ...unused },
        ],
      });
    });
  });

  test('returns the versions of a key in pages, newest first', async () => {
    const { key_id } = await tenant.newKey();
    for (let nth = 0; nth < 4; nth++) ok(await rotate(key_id));
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
});

describe('GET /v1/keys', async () => {
  const own = await newTenant();
  const made = [];
  for (let number = 1; number <= 6; number++) made.push(await own.newKey({ name: `key ${number}` }));
  for (const [at, status] of [
    [4, 'disabled'],
    [3, 'pending_destruction'],
    [2, 'destroyed'],
  ] as const) {
    await bring(own.api, made[at]?.key_id ?? '', status);
  }

  const list = async (query: string) => ok(await own.api.get(`/v1/keys?${query}`));
  const names = async (query: string) => (await list(query)).keys.map((key) => key.name);

  test('GET /v1/keys lists the keys of the tenant, newest first', async () => {
    expect(ok(await own.api.get('/v1/keys'))).toStrictEqual({
      count: 6,
      total: 6,
      limit: 50,
      offset: 0,
      keys: [
        keyRecord({ name: 'key 6' }),
        keyRecord({ name: 'key 5', status: 'disabled' }),
        keyRecord({ name: 'key 4', status: 'pending_destruction', destroy_at: aTimestamp }),
        keyRecord({ name: 'key 3', status: 'destroyed', destroy_at: expect.anything() }),
        keyRecord({ name: 'key 2' }),
        keyRecord({ name: 'key 1' }),
      ],
    });
  });

  test('GET /v1/keys returns the page that limit and offset select', async () => {
    expect(await names('limit=2')).toStrictEqual(['key 6', 'key 5']);
    expect(await names('limit=2&offset=1')).toStrictEqual(['key 5', 'key 4']);
    expect(await list('limit=2&offset=5')).toMatchObject({ count: 1, total: 6, limit: 2, offset: 5 });
    expect(await list('offset=6')).toMatchObject({ keys: [], count: 0, total: 6, offset: 6 });
    expect(await list('limit=101')).toMatchObject({ count: 6, limit: 100 });
  });

  test.for([
    ['active', ['key 6', 'key 2', 'key 1']],
    ['disabled', ['key 5']],
  ] as const)('status=%s', async ([status, expected]) => {
    expect(await names(`status=${status}`)).toStrictEqual(expected);
    expect(await list(`status=${status}&limit=1`)).toMatchObject({ count: 1, total: expected.length });
  });
});

describe('DELETE /v1/keys/:key_id', () => {
  test.for([
    ['', 30],
    ['?grace_days=1', 1],
  ] as const)('DELETE%s leaves %i days to restore the key', async ([query, grace]) => {
    const { key_id, name } = await keyIn(tenant, 'disabled');
    const destroyed = await destroy(key_id, query);
    expect(destroyed).toHaveStatus(202);
    const pending = keyRecord({ key_id, name, status: 'pending_destruction', destroy_at: aTimestamp });
    expect(destroyed.body).toStrictEqual(pending);
    const { destroy_at } = destroyed.body;
    const entry = await newestEntry(tenant);
    expect(entry).toMatchObject({ action: 'key.destroy', key_id, actor, metadata: { destroy_at } });
    const left = Date.parse(destroy_at ?? '') - Date.parse(entry.created_at);
    expect(Math.abs(left - grace * day)).toBeLessThan(60_000);

    expect(ok(await change(key_id, 'restore'))).toStrictEqual(
      keyRecord({ key_id, name, status: 'disabled' }),
    );
    expect(await newestEntry(tenant)).toMatchObject({ action: 'key.restore', key_id, actor });
  });

  test('DELETE with grace_days=0 erases the key immediately and writes one audit entry', async () => {
    const { key_id } = await keyIn(tenant, 'disabled');
    const before = await tenant.auditTotal();
    const destroyed = await destroy(key_id, '?grace_days=0');
    expect(destroyed).toHaveStatus(202);
    expect(destroyed.body).toMatchObject({ key_id, status: 'destroyed' });
    expect(await tenant.auditTotal()).toBe(before + 1);
    expect(await newestEntry(tenant)).toMatchObject({ action: 'key.destroy', actor });
    expect(ok(await get(key_id)).status).toBe('destroyed');
  });
});

describe('rotate', () => {
  test('rotate creates the next version of the key and writes an audit entry', async () => {
    const { key_id, name } = await tenant.newKey();
    const answer = await rotate(key_id);
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual(keyRecord({ key_id, name, key_version: 2, rotated_at: aTimestamp }));
    expect(await newestEntry(tenant)).toMatchObject({ action: 'key.rotate', key_id, key_version: 2, actor });
    expect(ok(await rotate(key_id, {})).key_version).toBe(3);
  });

  test('a repeated call of rotate with the same key_version rotates the key only once', async () => {
    const { key_id } = await tenant.newKey();
    expect(ok(await rotate(key_id, { key_version: 1 })).key_version).toBe(2);
    await expectNothingRecorded(tenant, async () => {
      for (const key_version of [1, 3, 0, -1, 2 ** 40]) {
        expect(await rotate(key_id, { key_version })).toBeProblem('key_state');
      }
    });
    const racing = await Promise.all(Array.from({ length: 10 }, () => rotate(key_id, { key_version: 2 })));
    only(racing.filter((answer) => answer.status !== 409));
    expect(ok(await get(key_id)).key_version).toBe(3);
  });
});

describe('a rotation policy', () => {
  test('sets the interval and the next rotation', async () => {
    const { key_id, name, created_at } = await tenant.newKey();
    for (const interval_days of [1, 3_650]) {
      const set = ok(await putPolicy(key_id, interval_days));
      const rotation_policy = { interval_days };
      expect(set).toStrictEqual(keyRecord({ key_id, name, rotation_policy, next_rotation_at: aTimestamp }));
      expect(Date.parse(set.next_rotation_at ?? '')).toBeGreaterThan(Date.parse(created_at));
      expect(await newestEntry(tenant)).toMatchObject({ action: 'key.rotation_policy', key_id, actor });
    }
    expect(ok(await putPolicy(key_id, null))).toStrictEqual(keyRecord({ key_id, name }));
  });

  test('is not postponed by a PUT of what is already set, but by a manual rotation', async () => {
    const { key_id } = await tenant.newKey({ rotation_policy: { interval_days: 30 } });
    const rotated = ok(await rotate(key_id));
    const due = Date.parse(rotated.next_rotation_at ?? '') - Date.parse(rotated.rotated_at ?? '');
    expect(due).toBe(30 * day);
    await expectNothingRecorded(tenant, async () => {
      expect(ok(await putPolicy(key_id, 30))).toStrictEqual(rotated);
    });
    const without = ok(await putPolicy(key_id, null));
    await expectNothingRecorded(tenant, async () => {
      expect(ok(await putPolicy(key_id, null))).toStrictEqual(without);
    });
  });
});
