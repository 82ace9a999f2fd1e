import { beforeAll, expect, test, vi } from 'vitest';
import { covers } from './covers.ts';
import { expectNothingRecorded, keyIn, newTenant, ok, type Tenant, unknownId, wrapped } from './fixture.ts';
import { aTimestamp, keyRecord } from './shapes.ts';

let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
});

const get = (keyId: string) => tenant.api.get(`/v1/keys/${keyId}`);
const unused = { wraps: 0, unwraps: 0, last_unwrap_at: null };

test(
  'answers the key record and its versions, and is not recorded',
  covers(
    'contract: GET /v1/keys/:id: key record and `versions`: `key_version`, `created_at`, `wraps`, `unwraps`, `last_unwrap_at`.',
    'interface: Has an integer key_version that grows with rotation.',
  ),
  async () => {
    const key = await tenant.newKey();
    const rotated = ok(await tenant.api.post(`/v1/keys/${key.key_id}/rotate`));
    await expectNothingRecorded(tenant, async () => {
      const answer = await get(key.key_id);
      expect(answer).toHaveStatus(200);
      const { versions, ...record } = answer.body;
      expect(record).toStrictEqual(rotated);
      expect([...versions].sort((a, b) => a.key_version - b.key_version)).toStrictEqual([
        { key_version: 1, created_at: aTimestamp, ...unused },
        { key_version: 2, created_at: aTimestamp, ...unused },
      ]);
    });
  },
);

test.for(['active', 'disabled', 'pending_destruction', 'destroyed'] as const)(
  'shows a key that is %s',
  covers(
    'contract: disabled allows unwrap, decrypt, export, rotation policy and GET; the rest is 409.',
    'contract: pending_destruction allows only GET and restore (else 409).',
    'contract: destroyed allows only GET (else 409).',
  ),
  async (status) => {
    const { key_id } = await keyIn(tenant, status);
    expect(ok(await get(key_id))).toMatchObject({ key_id, status });
  },
);

test(
  'any case of the id is the same key; no other text is one',
  covers(
    'contract: UUIDs: lower case on output, any case on input, 36 characters with hyphens and no other spelling.',
    'contract: A key id that is not a UUID is 404, never 400: in paths, in bodies, in the audit filter.',
    'interface: The name is never accepted where key_id or a path id is expected.',
  ),
  async () => {
    const key = await tenant.newKey();
    expect(ok(await get(key.key_id.toUpperCase()))).toMatchObject(keyRecord({ key_id: key.key_id }));
    const others = [
      key.name,
      unknownId(),
      key.key_id.replaceAll('-', ''),
      `${key.key_id} `,
      '..',
      'x'.repeat(80),
    ];
    for (const other of others) {
      expect(await get(encodeURIComponent(other))).toBeProblem('not_found');
    }
  },
);

test(
  'says what still uses each version, at most a minute late',
  {
    ...covers('contract: What still uses an old version is counted aside, at most a minute late.'),
    timeout: 90_000,
  },
  async () => {
    const { key_id } = await tenant.newKey();
    const unwrap = async (wrapped_key: string) =>
      ok(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }));
    const first = await wrapped(tenant.api, key_id);
    await wrapped(tenant.api, key_id);
    await unwrap(first);
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    const second = await wrapped(tenant.api, key_id);
    const since = Date.now();
    await unwrap(first);
    await unwrap(second);
    await vi.waitFor(
      async () => {
        const { versions } = ok(await get(key_id));
        const [one, two] = [...versions].sort((a, b) => a.key_version - b.key_version);
        expect(one).toMatchObject({ wraps: 2, unwraps: 2, last_unwrap_at: aTimestamp });
        expect(two).toMatchObject({ wraps: 1, unwraps: 1, last_unwrap_at: aTimestamp });
        expect(Date.parse(one?.last_unwrap_at ?? '')).toBeGreaterThan(since - 60_000);
      },
      { timeout: 65_000, interval: 1_000 },
    );
  },
);
