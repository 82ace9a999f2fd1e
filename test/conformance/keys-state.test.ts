import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import {
  bring,
  expectNothingRecorded,
  type KeyRecord,
  keyIn,
  newDek,
  newestEntry,
  newTenant,
  ok,
  type Tenant,
  wrapped,
} from './fixture.ts';
import { aTimestamp, auditEntry, keyRecord } from './shapes.ts';
import { publicJwk } from './rsa.ts';

let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant();
});

describe('rotate', () => {
  const rotate = (keyId: string, body?: object) => tenant.api.post(`/v1/keys/${keyId}/rotate`, body);

  test(
    'makes the next version and records it',
    covers(
      'contract: POST /v1/keys/:id/rotate: key record; 409 unless active.',
      'interface: Has an integer key_version that grows with rotation.',
      'interface: create / rotate / disable / destroy / export a key: key.create / key.rotate / key.disable / key.destroy / key.export',
    ),
    async () => {
      const { key_id, name } = await tenant.newKey();
      const answer = await rotate(key_id);
      expect(answer).toHaveStatus(200);
      expect(answer.body).toStrictEqual(keyRecord({ key_id, name, key_version: 2, rotated_at: aTimestamp }));
      expect(await newestEntry(tenant)).toStrictEqual(
        auditEntry({ action: 'key.rotate', key_id, key_version: 2, actor: tenant.apiKeyId }),
      );
      expect(ok(await rotate(key_id, {})).key_version).toBe(3);
    },
  );

  test(
    'with key_version, a retry rotates once',
    covers('contract: Rotate with `key_version`: 409 unless current, so a retry rotates once.'),
    async () => {
      const { key_id } = await tenant.newKey();
      expect(ok(await rotate(key_id, { key_version: 1 })).key_version).toBe(2);
      await expectNothingRecorded(tenant, async () => {
        for (const key_version of [1, 3, 0, -1, 2 ** 40]) {
          expect(await rotate(key_id, { key_version })).toBeProblem('key_state');
        }
      });
      const racing = await Promise.all(Array.from({ length: 10 }, () => rotate(key_id, { key_version: 2 })));
      expect(racing.filter((answer) => answer.status === 200)).toHaveLength(1);
      expect(racing.filter((answer) => answer.status === 409)).toHaveLength(9);
      expect(ok(await tenant.api.get(`/v1/keys/${key_id}`)).key_version).toBe(3);
    },
  );

  test(
    'refuses a key_version that is not a whole number',
    covers('contract: Rotate with `key_version`: 409 unless current, so a retry rotates once.'),
    async () => {
      const { key_id } = await tenant.newKey();
      for (const key_version of ['1', 1.5, true, [1]]) {
        expect(await rotate(key_id, { key_version })).toBeProblem('bad_request', /key_version/);
      }
    },
  );
});

describe('disable and enable', () => {
  test(
    'a disabled key can be enabled again, and both are recorded',
    covers(
      'contract: POST /v1/keys/:id/disable: key record; 409 unless active.',
      'contract: POST /v1/keys/:id/enable (action `key.enable`): key record; 409 unless disabled.',
      "contract: Actions beyond the interface's list, complete: `key.enable`, `key.restore`, `tenant.update`.",
    ),
    async () => {
      const { key_id, name } = await tenant.newKey();
      const disabled = await tenant.api.post(`/v1/keys/${key_id}/disable`);
      expect(disabled).toHaveStatus(200);
      expect(disabled.body).toStrictEqual(keyRecord({ key_id, name, status: 'disabled' }));
      expect(await newestEntry(tenant)).toStrictEqual(auditEntry({ action: 'key.disable', key_id }));
      const enabled = await tenant.api.post(`/v1/keys/${key_id}/enable`);
      expect(enabled).toHaveStatus(200);
      expect(enabled.body).toStrictEqual(keyRecord({ key_id, name }));
      expect(await newestEntry(tenant)).toStrictEqual(auditEntry({ action: 'key.enable', key_id }));
    },
  );
});

describe('destroy and restore', () => {
  const days = 86_400_000;

  test.for([
    ['', 30],
    ['?grace_days=1', 1],
    ['?grace_days=365', 365],
  ] as const)(
    'DELETE%s leaves %i days, in which it can be restored',
    covers(
      'contract: DELETE /v1/keys/:id: `grace_days` (0–365, default 30); 202 key record; 409 unless disabled; `pending_destruction` until `destroy_at`.',
      'contract: `key.destroy` is written on request (`metadata.destroy_at`).',
      'contract: POST /v1/keys/:id/restore (action `key.restore`): pending → disabled.',
      "contract: Actions beyond the interface's list, complete: `key.enable`, `key.restore`, `tenant.update`.",
    ),
    async ([query, grace]) => {
      const { key_id, name } = await keyIn(tenant, 'disabled');
      const destroyed = await tenant.api.delete(`/v1/keys/${key_id}${query}`);
      expect(destroyed).toHaveStatus(202);
      const pending = keyRecord({ key_id, name, status: 'pending_destruction', destroy_at: aTimestamp });
      expect(destroyed.body).toStrictEqual(pending);
      const entry = await newestEntry(tenant);
      expect(entry).toStrictEqual(auditEntry({ action: 'key.destroy', key_id, actor: tenant.apiKeyId }));
      expect(entry.metadata).toMatchObject({ destroy_at: destroyed.body.destroy_at });
      const left = Date.parse(destroyed.body.destroy_at ?? '') - Date.parse(entry.created_at);
      expect(Math.abs(left - grace * days)).toBeLessThan(60_000);

      const restored = await tenant.api.post(`/v1/keys/${key_id}/restore`);
      expect(restored).toHaveStatus(200);
      expect(restored.body).toStrictEqual(keyRecord({ key_id, name, status: 'disabled' }));
      expect(await newestEntry(tenant)).toStrictEqual(auditEntry({ action: 'key.restore', key_id }));
    },
  );

  test(
    'what was wrapped before opens again after restore',
    covers('contract: POST /v1/keys/:id/restore (action `key.restore`): pending → disabled.'),
    async () => {
      const { key_id } = await tenant.newKey();
      const wrapped_key = await wrapped(tenant.api, key_id);
      await bring(tenant.api, key_id, 'pending_destruction');
      ok(await tenant.api.post(`/v1/keys/${key_id}/restore`));
      expect(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key })).toHaveStatus(200);
    },
  );

  test(
    '0 days erases at once, with one entry',
    covers('contract: 0 days erases at once, one entry.'),
    async () => {
      const { key_id } = await keyIn(tenant, 'disabled');
      const before = await tenant.auditTotal();
      const destroyed = await tenant.api.delete(`/v1/keys/${key_id}?grace_days=0`);
      expect(destroyed).toHaveStatus(202);
      expect(destroyed.body).toMatchObject({ key_id, status: 'destroyed' });
      expect(await tenant.auditTotal()).toBe(before + 1);
      expect(await newestEntry(tenant)).toMatchObject({ action: 'key.destroy', actor: tenant.apiKeyId });
      expect(ok(await tenant.api.get(`/v1/keys/${key_id}`)).status).toBe('destroyed');
    },
  );

  test.for(['-1', '366', '1.5', 'x', '', '30&grace_days=30', '0x10', '1e2', '+5', ' 5'])(
    'refuses grace_days=%s',
    covers(
      'contract: DELETE /v1/keys/:id: `grace_days` (0–365, default 30); 202 key record; 409 unless disabled; `pending_destruction` until `destroy_at`.',
    ),
    async (grace) => {
      const { key_id } = await keyIn(tenant, 'disabled');
      const path = `/v1/keys/${key_id}?grace_days=${grace}` as const;
      await expectNothingRecorded(tenant, async () => {
        expect(await tenant.api.delete(path)).toBeProblem('bad_request', /grace_days/);
      });
    },
  );
});

describe('what each state allows', () => {
  const calls: Record<string, (key: KeyRecord, wrapped_key: string) => Promise<{ status: number }>> = {
    wrap: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() }),
    encrypt: ({ key_id }) => tenant.api.post('/v1/encrypt', { key_id, plaintext: 'x' }),
    hash: ({ key_id }) => tenant.api.post('/v1/hash', { key_id, value: 'x' }),
    rewrap: ({ key_id }, wrapped_key) => tenant.api.post(`/v1/keys/${key_id}/rewrap`, { wrapped_key }),
    unwrap: ({ key_id }, wrapped_key) => tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }),
    rotate: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/rotate`),
    disable: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/disable`),
    enable: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/enable`),
    destroy: ({ key_id }) => tenant.api.delete(`/v1/keys/${key_id}`),
    restore: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/restore`),
    policy: ({ key_id }) => tenant.api.put(`/v1/keys/${key_id}/rotation-policy`, { interval_days: 30 }),
    export: async ({ key_id }) =>
      tenant.api.post(`/v1/keys/${key_id}/export`, { public_key: await publicJwk() }),
    show: ({ key_id }) => tenant.api.get(`/v1/keys/${key_id}`),
  };
  const allowed = {
    active: ['wrap', 'encrypt', 'hash', 'rewrap', 'unwrap', 'rotate', 'disable', 'policy', 'export', 'show'],
    disabled: ['unwrap', 'enable', 'destroy', 'policy', 'export', 'show'],
    pending_destruction: ['restore', 'show'],
    destroyed: ['show'],
  } as const;

  test.for(['active', 'disabled', 'pending_destruction', 'destroyed'] as const)(
    '%s: the listed calls work, all others are 409',
    {
      ...covers(
        'contract: active allows everything.',
        'contract: disabled allows unwrap, decrypt, export, rotation policy and GET; the rest is 409.',
        'contract: pending_destruction allows only GET and restore (else 409).',
        'contract: destroyed allows only GET (else 409).',
        'interface: Only an active key can be rotated or used to wrap (otherwise 409).',
        'interface: 409 Conflict: operation refused by key state',
        'contract: Restore is 409 once `destroy_at` has passed.',
      ),
      timeout: 60_000,
    },
    async (status) => {
      const outcomes: Record<string, number> = {};
      const expected: Record<string, number> = {};
      for (const [name, call] of Object.entries(calls)) {
        const key = await tenant.newKey({ exportable: true });
        const wrapped_key = await wrapped(tenant.api, key.key_id);
        await bring(tenant.api, key.key_id, status);
        outcomes[name] = (await call(key, wrapped_key)).status;
        const works = (allowed[status] as readonly string[]).includes(name);
        expected[name] = works ? (name === 'destroy' ? 202 : 200) : 409;
      }
      expect(outcomes).toStrictEqual(expected);
    },
  );

  test(
    'a refusal by state says so and changes nothing',
    covers('interface: 409 Conflict: operation refused by key state'),
    async () => {
      const { key_id } = await keyIn(tenant, 'active');
      await expectNothingRecorded(tenant, async () => {
        expect(await tenant.api.post(`/v1/keys/${key_id}/enable`)).toBeProblem('key_state');
        expect(await tenant.api.delete(`/v1/keys/${key_id}`)).toBeProblem('key_state', /disable/i);
        expect(await tenant.api.post(`/v1/keys/${key_id}/restore`)).toBeProblem('key_state');
      });
      expect(ok(await tenant.api.get(`/v1/keys/${key_id}`))).toMatchObject({
        status: 'active',
        key_version: 1,
      });
    },
  );
});
