import { beforeAll, expect, test } from 'vitest';
import { covers } from './covers.ts';
import {
  bring,
  expectNothingRecorded,
  newDek,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  wrapped,
} from './fixture.ts';
import { aBase64 } from './shapes.ts';

let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
});

const rewrap = (keyId: string, body: object) => tenant.api.post(`/v1/keys/${keyId}/rewrap`, body);

test(
  'wraps anew under the newest version, without the DEK leaving',
  covers(
    'contract: POST /v1/keys/:id/rewrap: `wrapped_key`, `context`? → `wrapped_key`, `key_id`, `key_version`, `rewrapped` (false, and the same string, when already newest).',
    'contract: Rewrap: the DEK never leaves.',
    'contract: Rewrap: one `key.wrap` entry with `metadata.from_version`, in either case.',
  ),
  async () => {
    const { key_id } = await tenant.newKey();
    const [dek, context] = [newDek(), { a: 'b' }];
    const old = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek, context })).wrapped_key;
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    const before = await tenant.auditTotal();
    const answer = await rewrap(key_id, { wrapped_key: old, context });
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({ wrapped_key: aBase64, key_id, key_version: 2, rewrapped: true });
    expect(answer.body.wrapped_key).not.toBe(old);
    expect(answer.text).not.toContain(dek);
    expect(await tenant.auditTotal()).toBe(before + 1);
    expect(await newestEntry(tenant)).toMatchObject({
      action: 'key.wrap',
      key_id,
      key_version: 2,
      metadata: { from_version: 1 },
    });
    const body = { wrapped_key: answer.body.wrapped_key, context };
    expect(ok(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, body)).dek).toBe(dek);
  },
);

test(
  'answers the same string, and records it, when it is the newest already',
  covers(
    'contract: POST /v1/keys/:id/rewrap: `wrapped_key`, `context`? → `wrapped_key`, `key_id`, `key_version`, `rewrapped` (false, and the same string, when already newest).',
    'contract: Rewrap: one `key.wrap` entry with `metadata.from_version`, in either case.',
  ),
  async () => {
    const { key_id } = await tenant.newKey();
    const wrapped_key = await wrapped(tenant.api, key_id);
    const before = await tenant.auditTotal();
    const answer = await rewrap(key_id, { wrapped_key });
    expect(answer.body).toStrictEqual({ wrapped_key, key_id, key_version: 1, rewrapped: false });
    expect(await tenant.auditTotal()).toBe(before + 1);
    expect(await newestEntry(tenant)).toMatchObject({ action: 'key.wrap', metadata: { from_version: 1 } });
  },
);

test(
  'an unauthentic wrapped_key, the newest version too, is 403 and recorded as key.wrap',
  covers(
    'contract: Recorded refusals, with `metadata.outcome: "refused"` and `metadata.code`: unwrap 403 and 409, decrypt 409 and 422, rewrap 403 (as `key.wrap`).',
  ),
  async () => {
    const { key_id } = await tenant.newKey();
    const other = await tenant.newKey();
    const [foreign, bound] = [
      await wrapped(tenant.api, other.key_id),
      await wrapped(tenant.api, key_id, { a: 'b' }),
    ];
    for (const wrapped_key of [foreign, bound, 'AAAA']) {
      expect(await rewrap(key_id, { wrapped_key })).toBeProblem('wrapped_key_unauthentic');
      expect(await newestEntry(tenant)).toMatchObject({
        action: 'key.wrap',
        key_id,
        metadata: { outcome: 'refused', code: 'wrapped_key_unauthentic' },
      });
    }
  },
);

test.for(['disabled', 'pending_destruction', 'destroyed'] as const)(
  'a key that is %s rewraps nothing, and that is not recorded',
  covers(
    'contract: disabled allows unwrap, decrypt, export, rotation policy and GET; the rest is 409.',
    'contract: Nothing else is recorded; refusals are never counted in usage.',
  ),
  async (status) => {
    const { key_id } = await tenant.newKey();
    const wrapped_key = await wrapped(tenant.api, key_id);
    await bring(tenant.api, key_id, status);
    await expectNothingRecorded(tenant, async () => {
      expect(await rewrap(key_id, { wrapped_key })).toBeProblem('key_state');
    });
  },
);

test.for(['', 'AAA', 'AA-_'])(
  'base64 that is not canonical, or empty, is 400: %j',
  covers('interface: 400 Bad Request: non-conforming base64'),
  async (wrapped_key) => {
    const { key_id } = await tenant.newKey();
    expect(await rewrap(key_id, { wrapped_key })).toBeProblem('bad_request', /wrapped_key/);
    expect(await rewrap(key_id, {})).toBeProblem('bad_request', /wrapped_key/);
  },
);
