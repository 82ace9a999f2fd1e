import { afterEach, expect, test } from 'vitest';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { openDoors } from '../http/doors.ts';
import type { Service } from '../app/service.ts';
import { heldTurns } from './testing/held-turns.ts';

const world = await testWorld('2026-11-20T10:00:00Z');
const ann = await settle(world.replica(), 'ann');
const bob = await settle(world.replica(), 'bob');
const held = heldTurns();
const service = { ...world.replica(), admission: held.admission };
afterEach(() => {
  held.turns.isHeld = () => false;
});

test('another tenant gets its response before a large batch ends', async () => {
  const ofAnn = apiOf(service, ann.token);
  const ofBob = apiOf(service, bob.token);
  const { key_id: large } = await ofAnn('POST /v1/keys', { name: 'large' });
  const { key_id: small } = await ofBob('POST /v1/keys', { name: 'small' });
  await ofBob('POST /v1/keys/:key_id/wrap', { key_id: small, dek });
  const { turns, isWaiting } = held;
  turns.taken = 0;
  turns.isHeld = () => turns.taken > 0;
  const order: string[] = [];
  const context = { note: 'x'.repeat(4_000) };
  const items = Array.from({ length: 1_000 }, () => ({ key_id: large, dek, context }));
  const batch = ofAnn('POST /v1/batch/wrap', { items }).then((answer) => {
    order.push('batch');
    return answer;
  });
  await expect.poll(() => turns.taken).toBe(1);
  turns.isHeld = () => !isWaiting(bob.tenantId);
  await ofBob('POST /v1/keys/:key_id/wrap', { key_id: small, dek });
  order.push('call');
  expect(turns.taken).toBeLessThan(10);
  turns.isHeld = () => false;
  const { results } = await batch;
  expect(results.filter((result) => 'error' in result)).toEqual([]);
  expect(results).toHaveLength(1_000);
  expect(order).toEqual(['call', 'batch']);
  expect(turns.taken).toBeGreaterThan(100);
});

test.each(['encrypt', 'decrypt'] as const)(
  '%s computes only when it is the turn of its tenant',
  async (operation) => {
    const api = apiOf(service, ann.token);
    const { key_id } = await api('POST /v1/keys', { name: operation });
    const plaintext = 'x'.repeat(1_000);
    const encrypt = () => api('POST /v1/encrypt', { key_id, plaintext });
    const bundle = await encrypt();
    const { turns, isWaiting } = held;
    const end = held.occupy();
    turns.isHeld = () => true;
    const call = operation === 'encrypt' ? encrypt() : api('POST /v1/decrypt', bundle);
    await expect.poll(() => isWaiting(ann.tenantId), { interval: 1 }).toBe(true);
    expect(service.counts.waiting).toBe(0);
    turns.isHeld = () => false;
    await call;
    await end();
  },
);

test.each([
  ['GET /v1/keys', { limit: 100 }],
  ['GET /v1/api-keys', { limit: 100 }],
  ['GET /v1/audit', { limit: 100 }],
] as const)('the rows of %s are judged one by one, in many turns', async (route, page) => {
  const cat = await settle(world.replica(), `cat ${route}`);
  const api = apiOf(service, cat.token);
  for (let nth = 0; nth < 20; nth++) {
    await api('POST /v1/keys', { name: `key ${nth}` });
    await api('POST /v1/api-keys', { name: `API key ${nth}`, permissions: ['encrypt'] });
  }
  const { turns } = held;
  turns.taken = 0;
  expect((await api(route, page)).count).toBeGreaterThanOrEqual(20);
  expect(turns.taken).toBeGreaterThanOrEqual(5);
});

test("a tenant's concurrent changes use at most one database connection", async () => {
  const api = apiOf(service, ann.token);
  const { changes } = service.admission.shares;
  const made = Array.from({ length: 20 }, (_, nth) => api('POST /v1/keys', { name: `key ${nth}` }));
  await expect.poll(() => changes.counts.held, { interval: 1 }).toBe(1);
  await Promise.all(made);
  expect(changes.counts).toEqual({ held: 0, waiting: 0, refused: 0 });
});

test('readiness checks at the same time share one query of the database', async () => {
  let queries = 0;
  const database: Service['database'] = Object.create(service.database, {
    run: {
      value: (...all: Parameters<Service['database']['run']>) => {
        queries++;
        return service.database.run(...all);
      },
    },
  });
  const state = { jobs: [], verified: undefined };
  const doors = openDoors({ ...service, database }, state);
  const answers = await Promise.all(Array.from({ length: 300 }, () => doors.health()));
  expect(answers.every(({ ready }) => ready)).toBe(true);
  expect(queries).toBe(1);
});
