import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import { checkDigits } from './decoder.ts';
import {
  allPermissions,
  clientOf,
  expectNothingRecorded,
  type KeyRecord,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  uniqueName,
  unknownId,
} from './fixture.ts';
import { apiKeyRecord, auditEntry } from './shapes.ts';

let tenant: Tenant;
let key: KeyRecord;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
  key = await tenant.newKey();
});

const create = (fields: object) =>
  tenant.api.post('/v1/api-keys', { name: 'ci', permissions: ['encrypt'], ...fields });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

test(
  'answers 201 with the record and, this once, the API key itself',
  covers(
    'contract: POST /v1/api-keys → 201 record and `api_key`.',
    'contract: Record: `api_key_id`, `name`, `hint` (last 4 characters), `permissions`, `key_ids` (null: all), `allowed_origins`, `expires_at`, `created_at`, `created_by`, `revoked_at`, `last_used_at` (to the minute).',
    'contract: Token: `eaas_sk_` + 43 base62 digits of 32 random bytes + 6 of a CRC-32; shown once.',
    'contract: Answers that carry secrets say `Cache-Control: no-store`.',
  ),
  async () => {
    const name = uniqueName('ci');
    const answer = await create({ name, permissions: ['decrypt', 'encrypt'] });
    expect(answer).toHaveStatus(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { api_key, ...record } = answer.body;
    expect(record).toStrictEqual(
      apiKeyRecord({
        name,
        hint: api_key.slice(-4),
        permissions: expect.toSatisfy((list: string[]) => list.toSorted().join() === 'decrypt,encrypt'),
        created_by: tenant.apiKeyId,
      }),
    );
    const shown = await tenant.api.get(`/v1/api-keys/${record.api_key_id}`);
    expect(shown.text).not.toContain(api_key);
    expect(shown.body).toStrictEqual(record);
  },
);

test(
  'the API key is eaas_sk_, 43 base62 digits and six check digits',
  covers(
    'envelope: API key: "eaas_sk_", 43 base62 digits of 32 random bytes, 6 of the CRC-32 of the preceding 51 characters; 57 characters.',
    'interface: API key: bearer credential with the prefix eaas_sk_.',
    'interface: There is no live or test key distinction.',
    'interface: A test key is an ordinary key issued on a test tenant. The server has no notion of environment.',
  ),
  async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, async () => ok(await create({})).api_key));
    expect(new Set(tokens).size).toBe(10);
    for (const token of tokens) {
      expect(token).toMatch(/^eaas_sk_[0-9A-Za-z]{49}$/);
      expect(token.slice(51)).toBe(checkDigits(token.slice(0, 51)));
    }
  },
);

test(
  'works at once, with what it was given',
  covers(
    'contract: A request received after a change was acknowledged sees it.',
    'interface: It carries permissions (for example encrypt).',
  ),
  async () => {
    const { api } = await tenant.issue({ permissions: ['keys.read'], expires_at: inAnHour() });
    expect(await api.get('/v1/keys')).toHaveStatus(200);
    expect(await api.get('/v1/audit')).toBeProblem('permission_missing');
  },
);

test(
  'is recorded as api_key.create, without the API key',
  covers(
    'interface: create / update / revoke an API key: api_key.create / api_key.update / api_key.revoke',
    'contract: `key_id` and `key_version` are null where the action has no key.',
  ),
  async () => {
    const { api_key } = ok(await create({}));
    const entry = await newestEntry(tenant);
    expect(entry).toStrictEqual(
      auditEntry({ action: 'api_key.create', key_id: null, key_version: null, actor: tenant.apiKeyId }),
    );
    expect(JSON.stringify(entry)).not.toContain(api_key);
  },
);

test(
  'null for an optional field means absent',
  covers('contract: `null` for an optional field on creation means absent.'),
  async () => {
    const answer = await create({ key_ids: null, expires_at: null, allowed_origins: null });
    expect(answer.body).toMatchObject({ key_ids: null, expires_at: null, allowed_origins: null });
  },
);

test(
  'shows keys in lower case and times in UTC',
  covers(
    'contract: UUIDs: lower case on output, any case on input, 36 characters with hyphens and no other spelling.',
    'contract: Timestamps are RFC 3339 UTC with milliseconds and `Z`.',
  ),
  async () => {
    const answer = await create({
      key_ids: [key.key_id.toUpperCase()],
      expires_at: '2099-01-01T02:00:00+02:00',
    });
    expect(answer.body).toMatchObject({ key_ids: [key.key_id], expires_at: '2099-01-01T00:00:00.000Z' });
  },
);

describe('refused', () => {
  const bad: [string, () => object, RegExp][] = [
    ['no permissions', () => ({ permissions: [] }), /permissions/],
    ['a permission twice', () => ({ permissions: ['encrypt', 'encrypt'] }), /permissions/],
    ['an unknown permission', () => ({ permissions: ['encrypt', 'root'] }), /permissions/],
    ['all as a permission', () => ({ permissions: ['all'] }), /permissions/],
    ['permissions as text', () => ({ permissions: 'encrypt' }), /permissions/],
    ['permissions null', () => ({ permissions: null }), /permissions/],
    ['no keys', () => ({ key_ids: [] }), /key_ids/],
    ['a key twice', () => ({ key_ids: [key.key_id, key.key_id] }), /key_ids/],
    ['a key twice, in two cases', () => ({ key_ids: [key.key_id, key.key_id.toUpperCase()] }), /key_ids/],
    ['keys as text', () => ({ key_ids: key.key_id }), /key_ids/],
    ['a number for a key', () => ({ key_ids: [5] }), /key_ids/],
    [
      'an expiry in the past',
      () => ({ expires_at: new Date(Date.now() - 1_000).toISOString() }),
      /expires_at/,
    ],
    ['an expiry without a time', () => ({ expires_at: '2099-01-01' }), /expires_at/],
    ['an expiry that is no date', () => ({ expires_at: '2099-02-30T00:00:00Z' }), /expires_at/],
    ['an expiry as a number', () => ({ expires_at: 4_070_908_800 }), /expires_at/],
    ['a control character in the name', () => ({ name: 'a\nb' }), /name/],
    ['an empty name', () => ({ name: '' }), /name/],
    ['no name', () => ({ name: undefined }), /name/],
    ['permissions missing', () => ({ permissions: undefined }), /permissions/],
    ['a misspelled field', () => ({ expires: inAnHour() }), /expires/],
    ['audit.read for some keys only', () => ({ key_ids: [key.key_id], permissions: ['audit.read'] }), /./],
    [
      'usage.read for some keys only',
      () => ({ key_ids: [key.key_id], permissions: ['encrypt', 'usage.read'] }),
      /./,
    ],
    [
      'api_keys.manage for some keys only',
      () => ({ key_ids: [key.key_id], permissions: ['api_keys.manage'] }),
      /./,
    ],
  ];
  test.for(bad)(
    '%s',
    covers(
      'contract: An empty list of keys or permissions, a duplicate in one, an expiry in the past: 400.',
      'contract: An API key with `key_ids` cannot hold `audit.read`, `api_keys.manage` or `usage.read` (400).',
      'contract: What is stored (names, context) has no control characters.',
      'contract: A missing field is named in `detail`.',
    ),
    async ([, fields, detail]) => {
      await expectNothingRecorded(tenant, async () => {
        expect(await create(fields())).toBeProblem('bad_request', detail);
      });
    },
  );

  test(
    'a key that is unknown, or named otherwise than by its UUID, is 404',
    covers(
      'contract: A key id that is not a UUID is 404, never 400: in paths, in bodies, in the audit filter.',
      'interface: 404 Not Found: key not found for this tenant (for instance a name given where the UUID is expected)',
    ),
    async () => {
      for (const id of [unknownId(), key.name, '']) {
        expect(await create({ key_ids: [key.key_id, id] })).toBeProblem('not_found');
      }
    },
  );
});

describe('nobody gives what they lack', () => {
  test(
    'a permission that the caller does not hold',
    covers(
      "contract: Nobody gives what they lack: every field that POST sets or PATCH changes must lie within the caller's own, else 403 `permission_missing`.",
    ),
    async () => {
      const { api } = await tenant.issue({ permissions: ['api_keys.manage', 'encrypt'] });
      const give = (permissions: readonly string[]) => api.post('/v1/api-keys', { name: 'x', permissions });
      expect(await give(['encrypt'])).toHaveStatus(201);
      expect(await give(['api_keys.manage', 'encrypt'])).toHaveStatus(201);
      await expectNothingRecorded(tenant, async () => {
        for (const permission of allPermissions.filter(
          (one) => one !== 'encrypt' && one !== 'api_keys.manage',
        )) {
          expect(await give(['encrypt', permission])).toBeProblem('permission_missing');
        }
      });
    },
  );

  test(
    "a later expiry than the caller's own, or none",
    covers(
      "contract: Nobody gives what they lack: every field that POST sets or PATCH changes must lie within the caller's own, else 403 `permission_missing`.",
    ),
    async () => {
      const own = inAnHour();
      const { api } = await tenant.issue({ expires_at: own });
      const give = (fields: object) =>
        api.post('/v1/api-keys', { name: 'x', permissions: ['encrypt'], ...fields });
      expect(await give({ expires_at: own })).toHaveStatus(201);
      expect(await give({ expires_at: new Date(Date.parse(own) - 1_000).toISOString() })).toHaveStatus(201);
      const later = new Date(Date.parse(own) + 1).toISOString();
      for (const fields of [{}, { expires_at: null }, { expires_at: later }]) {
        expect(await give(fields)).toBeProblem('permission_missing');
      }
    },
  );
});

describe('limited to some keys', () => {
  test(
    'any other key is as if it were not there',
    covers(
      'contract: An API key with `key_ids` is limited to those keys: any other is 404 to it.',
      'contract: To an API key with `key_ids`, GET /v1/keys lists only its own.',
    ),
    async () => {
      const other = await tenant.newKey();
      const { api } = await tenant.issue({
        key_ids: [key.key_id],
        permissions: ['encrypt', 'decrypt', 'keys.read'],
      });
      expect(await api.post('/v1/hash', { key_id: key.key_id, value: 'x' })).toHaveStatus(200);
      expect(await api.post('/v1/hash', { key_id: other.key_id, value: 'x' })).toBeProblem('not_found');
      expect(await api.get(`/v1/keys/${other.key_id}`)).toBeProblem('not_found');
      const { keys, total } = ok(await api.get('/v1/keys'));
      expect(keys.map((one) => one.key_id)).toStrictEqual([key.key_id]);
      expect(total).toBe(1);
      expect(ok(await api.get(`/v1/keys?name=${encodeURIComponent(other.name)}`)).total).toBe(0);
    },
  );

  test(
    'cannot create keys',
    covers('contract: An API key with `key_ids` cannot create keys (403).'),
    async () => {
      const { api } = await tenant.issue({ key_ids: [key.key_id], permissions: ['keys.manage'] });
      expect(await api.post('/v1/keys', { name: 'x' })).toBeProblem('permission_missing');
      expect(await api.post(`/v1/keys/${key.key_id}/rotate`)).toHaveStatus(200);
    },
  );
});

test(
  'an API key that expires works until then, and not after',
  covers(
    'interface: It can be absent, unknown, expired or revoked (all give 401).',
    "contract: Expiry is judged against the entry's `created_at`.",
  ),
  async () => {
    const expires_at = new Date(Date.now() + 3_000).toISOString();
    const { api } = await tenant.issue({ permissions: ['encrypt'], expires_at });
    const wrap = () =>
      api.post(`/v1/keys/${key.key_id}/wrap`, { dek: Buffer.alloc(32, 1).toString('base64') });
    expect(await wrap()).toHaveStatus(200);
    let last = await wrap();
    while (last.status === 200 && Date.now() < Date.parse(expires_at) + 5_000) last = await wrap();
    expect(last).toBeProblem('unauthorized');
    const mine = (await tenant.entries()).filter((entry) => entry.action === 'key.wrap');
    expect(mine.length).toBeGreaterThan(1);
    expect(mine.filter((entry) => entry.created_at >= expires_at)).toStrictEqual([]);
  },
);

test(
  'another tenant does not see it',
  covers('interface: Every account is a tenant. A tenant has a boolean setting envelope_only.'),
  async () => {
    const other = await newTenant();
    const { api_key_id, api_key } = ok(await create({}));
    expect(await other.api.get(`/v1/api-keys/${api_key_id}`)).toBeProblem('not_found');
    expect(await other.api.delete(`/v1/api-keys/${api_key_id}`)).toBeProblem('not_found');
    const holder = await clientOf(api_key);
    expect(await holder.post('/v1/hash', { key_id: key.key_id, value: 'x' })).toHaveStatus(200);
  },
);
