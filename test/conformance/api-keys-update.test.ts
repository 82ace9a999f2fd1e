import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import {
  expectNothingRecorded,
  type KeyRecord,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  uniqueName,
  unknownId,
  recordOf,
} from './fixture.ts';
import { auditEntry } from './shapes.ts';

let tenant: Tenant;
let key: KeyRecord;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
  key = await tenant.newKey();
});

const patch = (id: string, body: object) => tenant.api.patch(`/v1/api-keys/${id}`, body);
const revoke = (id: string) => tenant.api.delete(`/v1/api-keys/${id}`);

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
