import type { Route } from '@eaas/protocol/wire';
import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { calls, routes } from '@eaas/test-kit/calls';
import { openWorld, type World } from '@eaas/test-kit/world';
import { apiKey, callOf, keyIn, remember, text } from './material.ts';
import { openPairs, type Own, type Pair } from './pair.ts';

let world: World;
let newPair: () => Promise<Pair>;
let pair: Pair;

beforeAll(async () => {
  world = await openWorld('2026-11-20T10:00:00.000Z');
  newPair = await openPairs(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  pair = await newPair();
});

const steps = fc.array(
  fc.record({
    route: fc.constantFrom(...routes),
    key: fc.nat(),
    apiKey: fc.nat(),
    hours: fc.constantFrom(0, 0, 0, 0, 1, 30, 24 * 40),
    input: fc.constantFrom({}, { context: { a: 'b' } }, { key_version: 1 }, { key_version: 2 }),
  }),
  { minLength: 120, maxLength: 120 },
);

test.for(fc.sample(steps, { numRuns: 3, seed: 2026 }))(
  'both services respond equally to 120 random calls over months',
  async (life) => {
    pair.showsJobs = true;
    const keys = [
      await keyIn(pair, 'active'),
      await keyIn(pair, 'active', { rotation_policy: { interval_days: 30 } }),
    ];
    keys.push(await keyIn(pair, 'disabled'), await keyIn(pair, 'pending_destruction'));
    const apiKeys = [await apiKey(pair), await apiKey(pair, { permissions: ['decrypt'] })];
    const materials = (route: Route) => (calls[route].subject === 'api key' ? apiKeys : keys);
    for (const { route, key, apiKey: by, hours, input } of life) {
      world.time += hours * 3_600_000;
      const material = materials(route)[key % materials(route).length];
      const holder = apiKeys[by % 10];
      if (!material) continue;
      const call = callOf(route, material);
      const answer = await pair.send((own) => {
        const sent = call(own);
        const body =
          sent.body && !('items' in (sent.body as object))
            ? { ...(sent.body as object), ...input }
            : sent.body;
        return { ...sent, ...(body && { body }), ...(holder && { token: own(holder).token }) };
      });
      remember(route, answer, material, { keys, apiKeys });
    }
    expect(await pair.allDifferences()).toStrictEqual([]);
  },
);

test('the real service and the test service treat changes of tenants equally', async () => {
  const key = await keyIn(pair, 'active');
  const encrypt = callOf('POST /v1/encrypt', key);
  await pair.set({ monthlyEncryptQuota: 2 });
  for (let time = 0; time < 3; time++) await pair.send(encrypt);
  await pair.get(() => '/v1/usage');
  world.time = Date.parse(`${new Date(world.time).getUTCFullYear() + 1}-01-01T00:00:00.000Z`);
  for (let time = 0; time < 3; time++) await pair.send(encrypt);
  await pair.get(() => '/v1/usage');
  await pair.set({ envelopeOnly: true, monthlyEncryptQuota: null });
  await pair.send(encrypt);
  await pair.send((own) => ({ ...callOf('POST /v1/decrypt', key)(own), body: 'no JSON' }));
  await pair.send(callOf('POST /v1/keys/:key_id/unwrap', key));
  await pair.set({ envelopeOnly: true });
  await pair.set({ envelopeOnly: false });
  await pair.send(callOf('POST /v1/decrypt', key));
  expect(await pair.allDifferences()).toStrictEqual([]);
});

test('the real service and the test service respond equally to batches', async () => {
  const [key, disabled] = [await keyIn(pair, 'active'), await keyIn(pair, 'disabled')];
  const dek = btoa('x'.repeat(32));
  const items = (own: Own) => [
    { key_id: own(key).id, wrapped_key: own(key).wrapped_key, dek, value: 'x', reference: 'first' },
    { key_id: own(disabled).id, wrapped_key: own(disabled).wrapped_key, dek, value: 'x' },
    { key_id: own(key).id, wrapped_key: own(disabled).wrapped_key, dek: 'AAAA', value: '\ud800' },
    { key_id: 'a name', wrapped_key: own(key).wrapped_key, dek, value: 'x', reference: 'r'.repeat(129) },
    { key_id: own(key).id, wrapped_key: own(key).wrapped_key, dek, value: 'x', context: { row: '1' } },
    { key_id: own(key).id, wrapped_key: own(key).wrapped_key, dek, value: 'x', key_version: 2 },
  ];
  const members = { wrap: ['dek', 'context'], unwrap: ['wrapped_key', 'context', 'key_version'] };
  const taken = { ...members, rewrap: ['wrapped_key', 'context'], hash: ['value', 'context'] };
  for (const [operation, fields] of Object.entries(taken)) {
    const known = new Set(['key_id', 'reference', ...fields]);
    const only = (item: object) =>
      Object.fromEntries(Object.entries(item).filter(([name]) => known.has(name)));
    await pair.post(
      () => `/v1/batch/${operation}`,
      (own) => ({ items: [...items(own).map(only), items(own)[0], 1, null, []] }),
    );
    await pair.post(
      () => `/v1/batch/${operation}`,
      (own) => ({ items: Array.from({ length: 1_001 }, () => only(items(own)[0] ?? {})) }),
    );
  }
  expect(await pair.allDifferences()).toStrictEqual([]);
});

test('the real service and the test service respond equally to log queries', async () => {
  const key = await keyIn(pair, 'active');
  const start = new Date(world.time).toISOString();
  world.time += 1_000;
  const checkpoint = await pair.get(() => '/v1/audit/checkpoint');
  await pair.send(callOf('POST /v1/keys/:key_id/rotate', key));
  const note = (own: Own) => encodeURIComponent(text(own(checkpoint).body['checkpoint']));
  const queries: ((own: Own) => string)[] = [
    (own) => `verify?checkpoint=${note(own)}`,
    (own) => `verify?checkpoint=${note(own)}%0A`,
    (own) => `verify?checkpoint=${note(own).replace('audit', 'b')}`,
    () => 'verify?checkpoint=x',
    () => 'verify?from_id=2&to_id=3',
    () => 'verify?from_id=3&to_id=2',
    () => 'verify?from_id=99',
    () => 'verify?to_id=99',
    () => `?date_to=${start}`,
    () => `?date_from=${start.replace('Z', '1Z')}`,
    () => `?date_from=${start.replace('.000Z', '%2B00:00')}&action=key.rotate`,
    () => '?date_from=2099-01-01T00:00:00Z&date_to=2001-01-01T00:00:00Z',
    (own) => `?key_id=${own(key).id}&limit=1&offset=1`,
    () => '?limit=1000&offset=1000',
  ];
  for (const query of queries) await pair.get((own) => `/v1/audit${query(own).replace(/^v/, '/v')}`);
  expect(await pair.allDifferences()).toStrictEqual([]);
});

test('the real service and the test service refuse excessive permissions equally', async () => {
  pair.showsJobs = true;
  const [key, other] = [await keyIn(pair, 'active'), await keyIn(pair, 'active')];
  const soon = new Date(world.time + 3_600_000).toISOString();
  const later = new Date(world.time + 7_200_000).toISOString();
  const giver = await apiKey(pair, { permissions: ['api_keys.manage', 'encrypt'], expires_at: soon });
  const asked: ((own: Own) => object)[] = [
    () => ({ permissions: ['encrypt'] }),
    () => ({ permissions: ['encrypt'], expires_at: soon }),
    () => ({ permissions: ['encrypt'], expires_at: later }),
    () => ({ permissions: ['encrypt'], expires_at: null }),
    () => ({ permissions: ['decrypt'], expires_at: soon }),
    () => ({ permissions: ['encrypt'], expires_at: '2001-01-01T00:00:00Z' }),
    (own) => ({ permissions: ['encrypt'], key_ids: [own(key).id.toUpperCase()], expires_at: soon }),
    (own) => ({ permissions: ['encrypt'], key_ids: [own(key).id, own(key).id.toUpperCase()] }),
    (own) => ({ permissions: ['encrypt', 'audit.read'], key_ids: [own(other).id] }),
    () => ({ permissions: ['encrypt'], key_ids: ['a name'], expires_at: soon }),
    () => ({ permissions: ['keys.manage'], allowed_origins: ['https://app.example'] }),
    () => ({ permissions: ['encrypt'], allowed_origins: ['https://app.example:443'] }),
    () => ({ permissions: ['encrypt'], allowed_origins: ['https://app.example'], expires_at: soon }),
    () => ({ permissions: [] }),
    () => ({}),
  ];
  const made = await apiKey(pair);
  for (const token of [giver, undefined]) {
    for (const build of asked) {
      const by = (own: Own) => (token ? { token: own(token).token } : {});
      await pair.send((own) => ({
        method: 'POST',
        path: '/v1/api-keys',
        body: { name: 'given', ...build(own) },
        ...by(own),
      }));
      const path = (own: Own) => `/v1/api-keys/${own(made).id}`;
      await pair.send((own) => ({ method: 'PATCH', path: path(own), body: build(own), ...by(own) }));
    }
  }
  await pair.send((own) => ({ method: 'DELETE', path: `/v1/api-keys/${own(giver).id}` }));
  const all = await pair.get(() => '/v1/api-keys?limit=100');
  const managers = (own: Own) => own(all).body['api_keys'] as { api_key_id: string }[];
  const first = (own: Own) => `/v1/api-keys/${managers(own).at(-1)?.api_key_id}`;
  await pair.send((own) => ({ method: 'DELETE', path: first(own) }));
  expect(await pair.allDifferences()).toStrictEqual([]);
});
