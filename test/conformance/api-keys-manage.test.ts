import { beforeAll, describe, expect, test, vi } from 'vitest';
import { covers } from './covers.ts';
import {
  commandJson,
  clientOf,
  expectNothingRecorded,
  type IssuedApiKey,
  type KeyRecord,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  uniqueName,
  unknownId,
} from './fixture.ts';
import { apiKeyRecord, aTimestamp, auditEntry } from './shapes.ts';

let tenant: Tenant;
let key: KeyRecord;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
  key = await tenant.newKey();
});

const get = (id: string) => tenant.api.get(`/v1/api-keys/${id}`);
const patch = (id: string, body: object) => tenant.api.patch(`/v1/api-keys/${id}`, body);
const revoke = (id: string) => tenant.api.delete(`/v1/api-keys/${id}`);

function recordOf(issued: IssuedApiKey) {
  const { api_key: _, ...record } = issued;
  return record;
}

describe('GET /v1/api-keys', () => {
  test(
    'lists records in pages, revoked ones too, and never an API key',
    covers('contract: GET /v1/api-keys (`api_keys`, `count`, `total`, `limit`, `offset`).'),
    async () => {
      const own = await newTenant();
      const { record } = await own.issue({ permissions: ['encrypt'] });
      const list = await own.api.get('/v1/api-keys');
      expect(list).toHaveStatus(200);
      const { api_keys, ...page } = list.body;
      expect(page).toStrictEqual({ count: 2, total: 2, limit: 50, offset: 0 });
      expect(api_keys).toContainEqual(recordOf(record));
      const first = api_keys.find((one) => one.api_key_id === own.apiKeyId);
      expect({ ...first, last_used_at: null }).toStrictEqual(apiKeyRecord({ created_by: 'operator' }));
      expect(list.text).not.toContain('eaas_sk_');
      const small = ok(await own.api.get('/v1/api-keys?limit=1&offset=1'));
      expect(small).toMatchObject({ count: 1, total: 2, limit: 1, offset: 1 });
      expect(small.api_keys).toStrictEqual(api_keys.slice(1));
    },
  );

  test.for(['limit=0', 'limit=x', 'offset=-1', 'name=x', 'limit='])(
    'refuses %s',
    covers(
      'contract: Unknown, repeated or empty query parameters: 400 naming the field (cut to 64 characters).',
    ),
    async (query) => {
      const field = new RegExp(query.split('=')[0] ?? '');
      expect(await tenant.api.get(`/v1/api-keys?${query}`)).toBeProblem('bad_request', field);
    },
  );
});

describe('GET /v1/api-keys/:id', () => {
  test(
    'shows the record',
    covers('contract: GET /v1/api-keys/:id', 'interface: It carries permissions (for example encrypt).'),
    async () => {
      const { record } = await tenant.issue({ key_ids: [key.key_id], permissions: ['encrypt'] });
      const answer = await get(record.api_key_id);
      expect(answer).toHaveStatus(200);
      expect(answer.body).toStrictEqual(recordOf(record));
      expect((await get(record.api_key_id.toUpperCase())).body).toStrictEqual(recordOf(record));
    },
  );

  test(
    'an unknown id, a name or a token is 404',
    covers('interface: The name is never accepted where key_id or a path id is expected.'),
    async () => {
      const { record } = await tenant.issue();
      for (const id of [unknownId(), record.name, record.api_key, 'x', key.key_id]) {
        expect(await get(encodeURIComponent(id))).toBeProblem('not_found');
      }
    },
  );

  test(
    'shows when it was last used, to the minute',
    {
      ...covers(
        'contract: Record: `api_key_id`, `name`, `hint` (last 4 characters), `permissions`, `key_ids` (null: all), `allowed_origins`, `expires_at`, `created_at`, `created_by`, `revoked_at`, `last_used_at` (to the minute).',
      ),
      timeout: 90_000,
    },
    async () => {
      const { record, api } = await tenant.issue();
      expect(record.last_used_at).toBeNull();
      ok(await api.get('/v1/keys'));
      await vi.waitFor(
        async () => {
          const { last_used_at } = ok(await get(record.api_key_id));
          expect(last_used_at).toMatch(/:00\.000Z$/);
          expect(Math.abs(Date.parse(last_used_at ?? '') - Date.now())).toBeLessThan(150_000);
        },
        { timeout: 75_000, interval: 1_000 },
      );
    },
  );
});

describe('PATCH /v1/api-keys/:id', () => {
  test(
    'changes what it names and leaves the rest',
    covers(
      'contract: PATCH /v1/api-keys/:id (`name`, `permissions`, `key_ids`, `expires_at`, `allowed_origins`; absent = unchanged).',
      'interface: create / update / revoke an API key: api_key.create / api_key.update / api_key.revoke',
    ),
    async () => {
      const { record } = await tenant.issue({ permissions: ['encrypt'] });
      const expected: Record<string, unknown> = recordOf(record);
      const changes: Record<string, unknown>[] = [
        { name: uniqueName('renamed') },
        { permissions: ['decrypt'] },
        { key_ids: [key.key_id] },
        { expires_at: '2099-01-01T00:00:00.000Z' },
        { allowed_origins: ['https://app.example'] },
        { key_ids: null, expires_at: null, allowed_origins: null },
      ];
      for (const change of changes) {
        Object.assign(expected, change);
        const answer = await patch(record.api_key_id, change);
        expect(answer).toHaveStatus(200);
        expect(answer.body).toStrictEqual({ ...expected, last_used_at: answer.body.last_used_at });
        expect(await newestEntry(tenant)).toStrictEqual(
          auditEntry({ action: 'api_key.update', key_id: null, key_version: null, actor: tenant.apiKeyId }),
        );
      }
    },
  );

  test(
    'takes effect at once',
    covers('contract: A request received after a change was acknowledged sees it.'),
    async () => {
      const { record, api } = await tenant.issue({ permissions: ['encrypt'] });
      const hash = () => api.post('/v1/hash', { key_id: key.key_id, value: 'x' });
      for (let round = 0; round < 10; round++) {
        expect(await hash()).toHaveStatus(200);
        ok(await patch(record.api_key_id, { permissions: ['decrypt'] }));
        expect(await hash()).toBeProblem('permission_missing');
        ok(await patch(record.api_key_id, { permissions: ['encrypt'], key_ids: [key.key_id] }));
        ok(await patch(record.api_key_id, { key_ids: null }));
      }
    },
  );

  test.for([
    [{ permissions: [] }, /permissions/],
    [{ permissions: null }, /permissions/],
    [{ permissions: ['encrypt', 'encrypt'] }, /permissions/],
    [{ permissions: ['encrypts'] }, /permissions/],
    [{ key_ids: [] }, /key_ids/],
    [{ name: '' }, /name/],
    [{ name: null }, /name/],
    [{ name: 'a\u0000' }, /name/],
    [{ expires_at: '2001-01-01T00:00:00Z' }, /expires_at/],
    [{ expires_at: 'tomorrow' }, /expires_at/],
    [{ allowed_origins: ['*'] }, /allowed_origins/],
    [{ revoked_at: null }, /revoked_at/],
    [{ api_key: 'x' }, /api_key/],
  ] as const)(
    'refuses %j',
    covers(
      'contract: An empty list of keys or permissions, a duplicate in one, an expiry in the past: 400.',
      'contract: Unknown fields in a body: 400 naming the field (cut to 64 characters).',
    ),
    async ([body, detail]) => {
      const { record } = await tenant.issue({ permissions: ['encrypt'] });
      await expectNothingRecorded(tenant, async () => {
        expect(await patch(record.api_key_id, body)).toBeProblem('bad_request', detail);
      });
    },
  );

  test(
    'cannot bring together what POST refuses: tenant-wide permissions and some keys',
    covers(
      'contract: An API key with `key_ids` cannot hold `audit.read`, `api_keys.manage` or `usage.read` (400).',
    ),
    async () => {
      const wide = await tenant.issue({ permissions: ['audit.read'] });
      expect(await patch(wide.record.api_key_id, { key_ids: [key.key_id] })).toBeProblem('bad_request');
      const narrow = await tenant.issue({ permissions: ['encrypt'], key_ids: [key.key_id] });
      expect(await patch(narrow.record.api_key_id, { permissions: ['usage.read'] })).toBeProblem(
        'bad_request',
      );
    },
  );

  test(
    'nobody gives what they lack',
    covers(
      "contract: Nobody gives what they lack: every field that POST sets or PATCH changes must lie within the caller's own, else 403 `permission_missing`.",
    ),
    async () => {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      const caller = await tenant.issue({ permissions: ['api_keys.manage', 'encrypt'], expires_at });
      const wider = await tenant.issue({ permissions: ['decrypt'] });
      const path = `/v1/api-keys/${wider.record.api_key_id}` as const;
      await expectNothingRecorded(tenant, async () => {
        const refused = [
          { permissions: ['encrypt', 'decrypt'] },
          { expires_at: null },
          { expires_at: '2099-01-01T00:00:00Z' },
        ];
        for (const body of refused) {
          expect(await caller.api.patch(path, body)).toBeProblem('permission_missing');
        }
      });
      expect(await caller.api.patch(path, { name: 'renamed' })).toHaveStatus(200);
      expect(await caller.api.patch(path, { permissions: ['encrypt'] })).toHaveStatus(200);
      expect(await caller.api.patch(path, { expires_at })).toHaveStatus(200);
    },
  );

  test(
    'an API key cannot widen itself',
    covers(
      "contract: Nobody gives what they lack: every field that POST sets or PATCH changes must lie within the caller's own, else 403 `permission_missing`.",
    ),
    async () => {
      const { record, api } = await tenant.issue({ permissions: ['api_keys.manage'] });
      const path = `/v1/api-keys/${record.api_key_id}` as const;
      expect(await api.patch(path, { permissions: ['api_keys.manage', 'keys.export'] })).toBeProblem(
        'permission_missing',
      );
      expect(await api.get('/v1/keys')).toBeProblem('permission_missing');
    },
  );

  test('of a revoked one is 409', covers('contract: PATCH of a revoked one is 409.'), async () => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    ok(await revoke(record.api_key_id));
    await expectNothingRecorded(tenant, async () => {
      expect(await patch(record.api_key_id, { name: 'x' })).toBeProblem('conflict');
    });
  });

  test(
    'of an unknown one, or with an unknown key, is 404',
    covers(
      'contract: A key id that is not a UUID is 404, never 400: in paths, in bodies, in the audit filter.',
    ),
    async () => {
      const { record } = await tenant.issue({ permissions: ['encrypt'] });
      expect(await patch(unknownId(), { name: 'x' })).toBeProblem('not_found');
      expect(await patch('x', { name: 'x' })).toBeProblem('not_found');
      for (const id of [unknownId(), key.name]) {
        expect(await patch(record.api_key_id, { key_ids: [id] })).toBeProblem('not_found');
      }
    },
  );
});

describe('DELETE /v1/api-keys/:id', () => {
  test(
    'revokes, at once and for good; again is 200 without a second entry',
    covers(
      'contract: DELETE /v1/api-keys/:id → record, revoked (again: 200, no second entry).',
      'interface: create / update / revoke an API key: api_key.create / api_key.update / api_key.revoke',
      'interface: It can be absent, unknown, expired or revoked (all give 401).',
      'contract: A request received after a change was acknowledged sees it.',
    ),
    async () => {
      const { record, api } = await tenant.issue();
      expect(await api.get('/v1/keys')).toHaveStatus(200);
      const answer = await revoke(record.api_key_id);
      expect(answer).toHaveStatus(200);
      expect(answer.body).toStrictEqual({
        ...recordOf(record),
        revoked_at: aTimestamp,
        last_used_at: answer.body.last_used_at,
      });
      expect(await newestEntry(tenant)).toStrictEqual(
        auditEntry({ action: 'api_key.revoke', key_id: null, key_version: null, actor: tenant.apiKeyId }),
      );
      expect(await api.get('/v1/keys')).toBeProblem('unauthorized');
      await expectNothingRecorded(tenant, async () => {
        const again = await revoke(record.api_key_id);
        expect(again).toHaveStatus(200);
        expect(again.body.revoked_at).toBe(answer.body.revoked_at);
      });
    },
  );

  test(
    'any holder of api_keys.manage may revoke, one that holds more too, and itself',
    covers('contract: Any holder of `api_keys.manage` may revoke.'),
    async () => {
      const manager = await tenant.issue({ permissions: ['api_keys.manage'] });
      const { record } = await tenant.issue();
      expect(await manager.api.delete(`/v1/api-keys/${record.api_key_id}`)).toHaveStatus(200);
      expect(await manager.api.delete(`/v1/api-keys/${manager.record.api_key_id}`)).toHaveStatus(200);
      expect(await manager.api.get('/v1/api-keys')).toBeProblem('unauthorized');
    },
  );

  test(
    "the tenant's last holder of api_keys.manage cannot be revoked, by two at once neither",
    covers(
      "contract: The tenant's last key holding `api_keys.manage` cannot be revoked through the API (409).",
    ),
    async () => {
      const own = await newTenant();
      await own.issue({ permissions: ['encrypt'] });
      await expectNothingRecorded(own, async () => {
        expect(await own.api.delete(`/v1/api-keys/${own.apiKeyId}`)).toBeProblem('conflict');
      });
      const second = await own.issue();
      const racing = await Promise.all([
        own.api.delete(`/v1/api-keys/${own.apiKeyId}`),
        second.api.delete(`/v1/api-keys/${second.record.api_key_id}`),
      ]);
      const statuses = racing.map(({ status }) => status).sort((a, b) => a - b);
      expect(statuses).toStrictEqual([200, 409]);
    },
  );

  test(
    'an unknown one is 404',
    covers('contract: DELETE /v1/api-keys/:id → record, revoked (again: 200, no second entry).'),
    async () => {
      for (const id of [unknownId(), 'x', key.key_id]) {
        expect(await revoke(id)).toBeProblem('not_found');
      }
    },
  );
});

test(
  'what the operator issues and what the API issues are the same kind of API key',
  covers('contract: First API key: `eaas api-key create`.'),
  async () => {
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
  },
);
