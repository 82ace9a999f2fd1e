import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import {
  bring,
  expectNothingRecorded,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  uniqueName,
} from './fixture.ts';
import { aTimestamp, auditEntry, keyRecord } from './shapes.ts';

let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
});

const create = (body: unknown) => tenant.api.post('/v1/keys', body);

test(
  'answers 201 with the key record, its id in Location too',
  covers(
    'interface: POST /v1/keys creates a key and returns its UUID.',
    'interface: A key is identified by a UUID (key_id), returned by POST /v1/keys. Keys also have a name.',
    'contract: Key record: `key_id`, `name`, `key_version`, `status`, `exportable`, `created_at`, `rotated_at`, `rotation_policy`, `next_rotation_at`, `destroy_at`.',
    'contract: POST /v1/keys: `exportable`? (false, never changes), `rotation_policy`? → 201 key record, `Location`.',
    'contract: Timestamps are RFC 3339 UTC with milliseconds and `Z`.',
  ),
  async () => {
    const name = uniqueName('patients');
    const answer = await create({ name });
    expect(answer).toHaveStatus(201);
    expect(answer.body).toStrictEqual(keyRecord({ name }));
    const location = new URL(answer.headers.get('location') ?? '', 'http://any.example');
    expect(location.pathname).toBe(`/v1/keys/${answer.body.key_id}`);
  },
);

test(
  'takes exportable and a rotation policy',
  covers(
    'contract: POST /v1/keys: `exportable`? (false, never changes), `rotation_policy`? → 201 key record, `Location`.',
  ),
  async () => {
    const name = uniqueName('key');
    const key = ok(await create({ name, exportable: true, rotation_policy: { interval_days: 90 } }));
    expect(key).toStrictEqual(
      keyRecord({
        name,
        exportable: true,
        rotation_policy: { interval_days: 90 },
        next_rotation_at: aTimestamp,
      }),
    );
    expect(Date.parse(key.next_rotation_at ?? '') - Date.parse(key.created_at)).toBe(90 * 86_400_000);
  },
);

test(
  'null for an optional field means absent',
  covers('contract: `null` for an optional field on creation means absent.'),
  async () => {
    const name = uniqueName('key');
    const key = ok(await create({ name, exportable: null, rotation_policy: null }));
    expect(key).toStrictEqual(keyRecord({ name }));
  },
);

test(
  'is recorded as key.create in the same moment',
  covers(
    'interface: create / rotate / disable / destroy / export a key: key.create / key.rotate / key.disable / key.destroy / key.export',
    'interface: Audit actions exist for key.create, key.rotate, key.disable, key.destroy.',
    "contract: Changes of tenants, keys and API keys, the command line's too, commit together with their entry.",
  ),
  async () => {
    const { key_id } = await tenant.newKey();
    expect(await newestEntry(tenant)).toStrictEqual(
      auditEntry({ action: 'key.create', key_id, key_version: 1, actor: tenant.apiKeyId }),
    );
  },
);

test(
  'a name that another key has is 409, in whatever state that is, until it is destroyed',
  covers(
    'interface: The name is unique (duplicate gives 409).',
    'interface: 409 Conflict: name already taken',
    "contract: Names are unique among a tenant's keys that are not destroyed.",
  ),
  async () => {
    const { key_id, name } = await tenant.newKey();
    await expectNothingRecorded(tenant, async () => {
      expect(await create({ name })).toBeProblem('name_taken');
    });
    await bring(tenant.api, key_id, 'pending_destruction');
    expect(await create({ name })).toBeProblem('name_taken');
    ok(await tenant.api.post(`/v1/keys/${key_id}/restore`));
    ok(await tenant.api.delete(`/v1/keys/${key_id}?grace_days=0`));
    const again = await create({ name });
    expect(again).toHaveStatus(201);
    expect(again.body.key_id).not.toBe(key_id);
  },
);

test(
  'two requests at once for one name: one of them gets it',
  covers('interface: The name is unique (duplicate gives 409).'),
  async () => {
    const name = uniqueName('contested');
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name })));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(9);
  },
);

test(
  'another tenant may use the same name',
  covers("contract: Names are unique among a tenant's keys that are not destroyed."),
  async () => {
    const other = await newTenant();
    const { name } = await tenant.newKey();
    expect(await other.newKey({ name })).toMatchObject({ name });
  },
);

describe('name', () => {
  test.for([
    ['one character', 'n'],
    ['128 characters', 'n'.repeat(128)],
    ['128 code points of four bytes', '🌍'.repeat(128)],
    ['spaces around it', '  n  '],
    ['a slash, quotes and a percent sign', 'a/b "c" \'d\' %00 \\'],
    ['a name of JavaScript', '__proto__'],
    ['what looks like SQL', "'; drop table keys; --"],
  ] as const)(
    'is kept exactly: %s',
    covers('contract: POST /v1/keys: `name` (1–128 code points, kept and compared exactly).'),
    async ([, name]) => {
      const key = ok(await create({ name }));
      expect(key.name).toBe(name);
      const found = ok(await tenant.api.get(`/v1/keys?name=${encodeURIComponent(name)}`));
      expect(found.keys.map((one) => one.key_id)).toStrictEqual([key.key_id]);
    },
  );

  test(
    'is compared exactly: case, spaces and composition tell names apart',
    covers('contract: POST /v1/keys: `name` (1–128 code points, kept and compared exactly).'),
    async () => {
      for (const name of ['caf\u00e9', 'cafe\u0301', 'Caf\u00e9', 'caf\u00e9 ', ' caf\u00e9', 'ﬁ', 'fi']) {
        expect(await create({ name })).toHaveStatus(201);
      }
    },
  );

  test.for([
    ['empty', ''],
    ['129 characters', 'n'.repeat(129)],
    ['129 code points of four bytes', '🌍'.repeat(129)],
    ['a line break', 'a\nb'],
    ['NUL', 'a\u0000b'],
    ['a tab', '\t'],
    ['DEL', '\u007F'],
    ['a C1 control', '\u0085'],
    ['a number', 5],
    ['null', null],
    ['a list', ['n']],
  ] as const)(
    'is refused: %s',
    covers(
      'contract: POST /v1/keys: `name` (1–128 code points, kept and compared exactly).',
      'contract: What is stored (names, context) has no control characters.',
    ),
    async ([, name]) => {
      await expectNothingRecorded(tenant, async () => {
        expect(await create({ name })).toBeProblem('bad_request', /name/);
      });
    },
  );

  test(
    'is required',
    covers(
      'interface: 400 Bad Request: missing required field',
      'contract: A missing field is named in `detail`.',
    ),
    async () => {
      expect(await create({})).toBeProblem('bad_request', /name/);
      expect(await create({ exportable: true })).toBeProblem('bad_request', /name/);
    },
  );
});

test.for([
  ['exportable', 'yes'],
  ['exportable', 1],
  ['rotation_policy', 30],
  ['rotation_policy', {}],
  ['rotation_policy', { interval_days: 0 }],
  ['rotation_policy', { interval_days: 3_651 }],
  ['rotation_policy', { interval_days: 1.5 }],
  ['rotation_policy', { interval_days: '30' }],
  ['rotation_policy', { interval_days: 30, days: 30 }],
  ['status', 'disabled'],
  ['key_id', '00000000-0000-4000-8000-000000000001'],
] as const)(
  'refuses %s as %j',
  covers('contract: Unknown fields in a body: 400 naming the field (cut to 64 characters).'),
  async ([field, value]) => {
    await expectNothingRecorded(tenant, async () => {
      const answer = await create({ name: uniqueName('key'), [field]: value });
      expect(answer).toBeProblem('bad_request', new RegExp(field));
    });
  },
);
