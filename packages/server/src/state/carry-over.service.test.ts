import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Api,
  apiOf,
  dek,
  openWorld,
  type Resident,
  settle,
  statusOf,
  type World,
} from '../../../../test/setup/world.ts';
import { updateTenant } from '../operations/tenants.ts';
import type { Service } from '../app/service.ts';

let world: World;
let service: Service;
let other: Service;
let ann: Resident;
let api: Api;
let keys: string[];
let snapshots = 0;

beforeAll(async () => {
  world = await openWorld('2026-11-20T10:00:00Z');
  const { database } = world.replica();
  const counting = new Proxy(database, {
    get(target, name) {
      if (name === 'snapshot') snapshots++;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
  service = world.replica(counting);
  other = world.replica();
  ann = await settle(service, 'ann');
  api = apiOf(service, ann.token);
  keys = [];
  for (const name of ['a', 'b', 'c']) keys.push((await api('POST /v1/keys', { name })).key_id);
});
beforeEach(async () => {
  await wrapAll();
  snapshots = 0;
});
afterAll(() => world.close());

const wrap = (key_id: string) => api('POST /v1/keys/:key_id/wrap', { key_id, dek });
const wrapAll = async () => Promise.all(keys.map(async (key) => (await wrap(key)).key_version));

test('a change by this replica keeps the unchanged rows in the cache', async () => {
  const before = await wrapAll();
  snapshots = 0;
  await api('POST /v1/keys', { name: `another ${before.length}` });
  expect(await wrapAll()).toEqual(before);
  expect(snapshots).toBe(0);
  await api('POST /v1/keys/:key_id/rotate', { key_id: keys[0] ?? '' });
  const [first = 0, ...rest] = before;
  expect(await wrapAll()).toEqual([first + 1, ...rest]);
  expect(snapshots).toBe(1);
});

test('a change by another replica keeps the unchanged rows in the cache', async () => {
  const before = await wrapAll();
  snapshots = 0;
  await apiOf(other, ann.token)('POST /v1/keys/:key_id/rotate', { key_id: keys[1] ?? '' });
  const [first, second = 0, third] = before;
  expect(await wrapAll()).toEqual([first, second + 1, third]);
  expect(snapshots).toBe(2);
});

test('a refused change and a change without effect keep all rows in the cache', async () => {
  expect(await statusOf(api('POST /v1/keys', { name: 'a' }))).toBe(409);
  await api('PATCH /v1/api-keys/:api_key_id', { api_key_id: ann.apiKeyId, name: 'everything' });
  await wrapAll();
  expect(snapshots).toBe(0);
});

test('after an API key is revoked, neither this replica nor another replica accepts it', async () => {
  for (const revoking of [service, other]) {
    const { api_key, api_key_id } = await api('POST /v1/api-keys', { name: 'x', permissions: ['encrypt'] });
    const hash = (replica: Service) =>
      statusOf(apiOf(replica, api_key)('POST /v1/hash', { key_id: keys[0] ?? '', value: 'x' }));
    expect([await hash(service), await hash(other)]).toEqual([200, 200]);
    await apiOf(revoking, ann.token)('DELETE /v1/api-keys/:api_key_id', { api_key_id });
    expect([await hash(service), await hash(other)]).toEqual([401, 401]);
  }
});

test("a change of a tenant's settings takes effect, and the keys stay in the cache", async () => {
  const encrypt = () => statusOf(api('POST /v1/encrypt', { key_id: keys[0] ?? '', plaintext: 'x' }));
  for (const replica of [service, other]) {
    await updateTenant(replica, ann.tenantId, { envelope_only: true });
    expect(await encrypt()).toBe(403);
    await updateTenant(replica, ann.tenantId, { envelope_only: false });
    expect(await encrypt()).toBe(200);
  }
});

test('each call uses the settings that are valid at the time of its audit entry', async () => {
  const [key_id = ''] = keys;
  const over = new AbortController();
  const versions: number[] = [];
  const wraps = Array.from({ length: 4 }, async () => {
    while (!over.signal.aborted) versions.push((await wrap(key_id)).key_version);
  });
  for (let nth = 0; nth < 10; nth++) {
    const replica = nth % 2 ? service : other;
    await apiOf(replica, ann.token)('POST /v1/keys/:key_id/rotate', { key_id });
  }
  over.abort();
  await Promise.all(wraps);
  const { logs } = await api('GET /v1/audit', { limit: 100, key_id });
  const recorded = logs.map(({ key_version }) => key_version ?? 0);
  expect(recorded).toEqual(recorded.toSorted((a, b) => b - a));
  const rotations = logs
    .filter(({ action }) => action === 'key.rotate')
    .map(({ key_version }) => key_version);
  expect(new Set(rotations).size).toBe(rotations.length);
  expect(versions.length).toBeGreaterThan(3);
});
