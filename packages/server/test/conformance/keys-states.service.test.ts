import { describe, expect, test } from 'vitest';
import { bring, keyIn, type KeyRecord, newDek, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import type { Answer } from '@eaas/test-kit/api';
import { publicJwk } from '@eaas/test-kit/rsa';

const tenant = await newTenant();

interface Bundle {
  wrapped_key: string;
}

describe('the calls that each state allows', () => {
  const calls: Record<string, (key: KeyRecord, bundle: Bundle) => Promise<Answer>> = {
    wrap: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() }),
    encrypt: ({ key_id }) => tenant.api.post('/v1/encrypt', { key_id, plaintext: 'x' }),
    hash: ({ key_id }) => tenant.api.post('/v1/hash', { key_id, value: 'x' }),
    'public key': ({ key_id }) => tenant.api.get(`/v1/keys/${key_id}/public-key`),
    rewrap: ({ key_id }, { wrapped_key }) => tenant.api.post(`/v1/keys/${key_id}/rewrap`, { wrapped_key }),
    unwrap: ({ key_id }, { wrapped_key }) => tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }),
    decrypt: (_, bundle) => tenant.api.post('/v1/decrypt', bundle),
    rotate: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/rotate`),
    disable: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/disable`),
    enable: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/enable`),
    destroy: ({ key_id }) => tenant.api.delete(`/v1/keys/${key_id}`),
    restore: ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/restore`),
    policy: ({ key_id }) => tenant.api.put(`/v1/keys/${key_id}/rotation-policy`, { interval_days: 30 }),
    'min version': ({ key_id }) => tenant.api.put(`/v1/keys/${key_id}/min-version`, { key_version: 1 }),
    export: async ({ key_id }) => tenant.api.post(`/v1/keys/${key_id}/export`, { public_key: publicJwk() }),
    show: ({ key_id }) => tenant.api.get(`/v1/keys/${key_id}`),
  };
  const recorded = new Set(['unwrap', 'decrypt']);
  const allowed = {
    active: [
      'wrap',
      'encrypt',
      'hash',
      'public key',
      'rewrap',
      'unwrap',
      'decrypt',
      'rotate',
      'disable',
      'policy',
      'min version',
      'export',
      'show',
    ],
    disabled: ['unwrap', 'decrypt', 'enable', 'destroy', 'policy', 'export', 'show'],
    pending_destruction: ['restore', 'show'],
    destroyed: ['show'],
  } as const;

  test.for(['active', 'disabled', 'pending_destruction', 'destroyed'] as const)(
    'in the state %s only the listed calls succeed, and of the others only unwrap and decrypt are recorded',
    async (status) => {
      const outcomes: Record<string, unknown> = {};
      const expected: Record<string, unknown> = {};
      for (const [name, call] of Object.entries(calls)) {
        const key = await tenant.newKey({ exportable: true });
        const sealing = { key_id: key.key_id, plaintext: 'x' };
        const bundle = ok(await tenant.api.post('/v1/encrypt', sealing));
        await bring(tenant.api, key.key_id, status);
        const before = await tenant.auditTotal();
        const answer = await call(key, bundle);
        const works = (allowed[status] as readonly string[]).includes(name);
        const { code } = answer.body as { code?: string };
        const entries = (await tenant.auditTotal()) - before;
        const refusal = { outcome: 'refused', code: 'key_state' };
        const refused = recorded.has(name) ? { code: 'key_state', recorded: refusal } : { code: 'key_state' };
        expected[name] = works ? (name === 'destroy' ? 202 : 200) : refused;
        const { metadata } = await newestEntry(tenant);
        const found = { outcome: metadata['outcome'], code: metadata['code'] };
        outcomes[name] = works ? answer.status : entries > 0 ? { code, recorded: found } : { code };
      }
      expect(outcomes).toStrictEqual(expected);
    },
  );

  test.for([
    ['disable', 'disabled', /^The key is already disabled\.$/],
    ['disable', 'pending_destruction', /pending: POST \/v1\/keys\/:id\/restore makes the key disabled\.$/],
    ['disable', 'destroyed', /its key material was erased and cannot be restored\.$/],
    ['enable', 'active', /^The key is already active\.$/],
    ['enable', 'pending_destruction', /: restore it first with POST \/v1\/keys\/:id\/restore\.$/],
    ['enable', 'destroyed', /its key material was erased and cannot be restored\.$/],
    ['restore', 'active', /^The key is active, and has no pending destruction to cancel\.$/],
    ['restore', 'disabled', /^The key is already disabled, and has no pending destruction to cancel\.$/],
    ['restore', 'destroyed', /its key material was erased and cannot be restored\.$/],
    ['destroy', 'active', /: disable it first with POST \/v1\/keys\/:id\/disable\.$/],
    [
      'destroy',
      'pending_destruction',
      /already pending .*restore the key first with POST \/v1\/keys\/:id\/restore\.$/,
    ],
    ['destroy', 'destroyed', /^The key is already destroyed\.$/],
    ['rotate', 'disabled', /: enable it first with POST \/v1\/keys\/:id\/enable\.$/],
    ['policy', 'pending_destruction', /: restore it first with POST \/v1\/keys\/:id\/restore\.$/],
  ] as const)('%s of a key with the status %s says what to do next: %s', async ([name, status, detail]) => {
    const key = await keyIn(tenant, status);
    expect(await calls[name]?.(key, { wrapped_key: '' })).toBeProblem('key_state', detail);
  });

  test('a second DELETE says when the secrets of the key are erased', async () => {
    const { key_id, destroy_at } = await keyIn(tenant, 'pending_destruction');
    const answer = await tenant.api.delete(`/v1/keys/${key_id}?grace_days=1`);
    expect(answer).toBeProblem('key_state', new RegExp(`\\(\`destroy_at\` is ${destroy_at}\\)`));
  });
});
