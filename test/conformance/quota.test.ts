import { expect, test } from 'vitest';
import { covers } from './covers.ts';
import { newDek, newTenant, ok, type Tenant, unknownId } from './fixture.ts';

async function tenantWithQuota(quota: number): Promise<{ tenant: Tenant; key_id: string }> {
  const tenant = await newTenant('--monthly-encrypt-quota', String(quota));
  return { tenant, key_id: (await tenant.newKey()).key_id };
}

test(
  'counts successful encrypts only, and refuses the one over it',
  covers(
    'interface: Counted as operation encrypt; subject to the monthly quota (429).',
    'interface: POST /v1/encrypt is counted as encrypt and refused with 429 on monthly quota overrun.',
    'interface: 429 Quota Exceeded: monthly operation quota reached on /v1/encrypt; not a rate limit',
    'contract: The monthly quota counts successful encrypts only.',
    'contract: Nothing else is recorded; refusals are never counted in usage.',
  ),
  async () => {
    const { tenant, key_id } = await tenantWithQuota(3);
    const encrypt = (body: object) => tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id, ...body });
    for (let round = 0; round < 3; round++) {
      expect(await encrypt({ key_id: unknownId() })).toBeProblem('not_found');
      expect(await encrypt({ plaintext: 5 })).toBeProblem('bad_request');
      expect(await encrypt({})).toHaveStatus(200);
    }
    const before = await tenant.auditTotal();
    expect(await encrypt({})).toBeProblem('quota_exceeded');
    expect(await encrypt({})).toBeProblem('quota_exceeded');
    expect(await tenant.auditTotal()).toBe(before);
    expect(ok(await tenant.api.get('/v1/usage'))).toMatchObject({
      encrypt_quota: 3,
      operations: { encrypt: 3 },
    });
  },
);

test(
  'is exact when many come at once',
  covers('interface: POST /v1/encrypt is counted as encrypt and refused with 429 on monthly quota overrun.'),
  async () => {
    const { tenant, key_id } = await tenantWithQuota(20);
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    expect((await tenant.entries('action=encrypt')).length).toBe(20);
  },
);

test(
  'refuses nothing but encrypt',
  covers(
    'interface: Recorded as decrypt; never refused for quota.',
    'interface: Counted as key.wrap and key.unwrap, never refused for quota.',
    'interface: POST /v1/keys/:id/wrap is counted as key.wrap and never refused.',
    'interface: POST /v1/keys/:id/unwrap is counted as key.unwrap and never refused.',
    'interface: POST /v1/decrypt is counted as decrypt and never refused.',
  ),
  async () => {
    const { tenant, key_id } = await tenantWithQuota(1);
    const bundle = ok(await tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id }));
    expect(await tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id })).toBeProblem('quota_exceeded');
    for (let round = 0; round < 5; round++) {
      expect(await tenant.api.post('/v1/decrypt', bundle)).toHaveStatus(200);
      const wrapping = await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() });
      const { wrapped_key } = ok(wrapping);
      expect(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key })).toHaveStatus(200);
      expect(await tenant.api.post('/v1/hash', { key_id, value: 'x' })).toHaveStatus(200);
    }
  },
);

test(
  'is changed by the operator, and holds at once',
  covers(
    "contract: `eaas tenant set <id or name> --monthly-encrypt-quota 3 --json` prints the same; the quota's `null` is spelled `null`.",
    'contract: A request received after a change was acknowledged sees it.',
  ),
  async () => {
    const { tenant, key_id } = await tenantWithQuota(0);
    const encrypt = () => tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id });
    expect(await encrypt()).toBeProblem('quota_exceeded');
    expect(await tenant.set('--monthly-encrypt-quota', '1')).toMatchObject({ monthly_encrypt_quota: 1 });
    expect(await encrypt()).toHaveStatus(200);
    expect(await encrypt()).toBeProblem('quota_exceeded');
    expect(await tenant.set('--monthly-encrypt-quota', 'null')).toMatchObject({
      monthly_encrypt_quota: null,
    });
    expect(await encrypt()).toHaveStatus(200);
    expect(ok(await tenant.api.get('/v1/usage')).encrypt_quota).toBeNull();
  },
);
