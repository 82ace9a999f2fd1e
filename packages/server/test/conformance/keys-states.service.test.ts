import { describe, expect, test } from 'vitest';
import { call, routes } from '@eaas/test-kit/calls';
import { bring, keyIn, type KeyRecord, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';

const tenant = await newTenant();

/** Names a route of one key, such as `POST wrap`. */
const nameOf = (route: string) => route.replace(/\/v1\/(keys\/:key_id\/?)?/, '').trim();
const ofOneKey = new Map(
  routes.filter((route) => /:key_id|crypt$|v1\/hash/.test(route)).map((route) => [nameOf(route), route]),
);
const notOfActive = new Set(['POST enable', 'POST restore', 'DELETE']);
const allowed: Readonly<Record<KeyRecord['status'], readonly string[]>> = {
  active: [...ofOneKey.keys()].filter((name) => !notOfActive.has(name)),
  disabled: [
    'GET',
    'POST unwrap',
    'POST decrypt',
    'POST enable',
    'DELETE',
    'PUT rotation-policy',
    'POST export',
  ],
  pending_destruction: ['GET', 'POST restore'],
  destroyed: ['GET'],
};

describe.for(['active', 'disabled', 'pending_destruction', 'destroyed'] as const)('%s', (status) => {
  test.for([...ofOneKey])(
    '%s only in the listed states, and refused unwraps are recorded',
    async ([name, route]) => {
      const { key_id: id } = await tenant.newKey({ exportable: true });
      const bundle = ok(await tenant.api.post('/v1/encrypt', { key_id: id, plaintext: 'x' }));
      ok(await tenant.api.post(`/v1/keys/${id}/rotate`));
      await bring(tenant.api, id, status);
      const before = await tenant.auditTotal();
      const answer = await call(tenant.api, route, { ...bundle, id });
      const { code } = answer.body as { code?: string };
      const { id: newest, metadata } = await newestEntry(tenant);
      const logged = newest > before ? metadata['code'] : 'nothing';
      const isAllowed = allowed[status].includes(name);
      const recorded = ['POST unwrap', 'POST decrypt'].includes(name) ? 'key_state' : 'nothing';
      expect([answer.status, code, isAllowed || logged]).toStrictEqual(
        isAllowed ? [name === 'DELETE' ? 202 : 200, undefined, true] : [409, 'key_state', recorded],
      );
    },
  );
});

test.for([
  ['POST disable', 'disabled', /^The key is already disabled\.$/],
  ['POST enable', 'pending_destruction', /: restore it first with POST \/v1\/keys\/:id\/restore\.$/],
  ['POST restore', 'disabled', /^The key is already disabled, and has no pending destruction to cancel\.$/],
  ['POST restore', 'destroyed', /its key material was erased and cannot be restored\.$/],
  ['DELETE', 'active', /: disable it first with POST \/v1\/keys\/:id\/disable\.$/],
  ['POST rotate', 'disabled', /: enable it first with POST \/v1\/keys\/:id\/enable\.$/],
] as const)('%s of a key with the status %s says what to do next: %s', async ([name, status, detail]) => {
  const { key_id: id } = await keyIn(tenant, status);
  const route = ofOneKey.get(name) ?? 'GET /v1/keys';
  expect(await call(tenant.api, route, { id, wrapped_key: '', ciphertext: '' })).toBeProblem(
    'key_state',
    detail,
  );
});

test('a second DELETE says when the secrets of the key are erased', async () => {
  const { key_id, destroy_at } = await keyIn(tenant, 'pending_destruction');
  const answer = await tenant.api.delete(`/v1/keys/${key_id}?grace_days=1`);
  expect(answer).toBeProblem('key_state', new RegExp(`\\(\`destroy_at\` is ${destroy_at}\\)`));
});
