import { nodeCurve } from '@eaas/protocol/blind-hash-node';
import { toUtf8 } from '@eaas/protocol';
import { finish } from '@eaas/protocol/service';
import { expect, test, vi } from 'vitest';
import { Refusal } from '../base/refusal.ts';
import { blindValues } from '@eaas/test-kit/blind-values';
import { randomElements } from '@eaas/test-kit/elements';
import { apiOf, type Resident, settle, testWorld } from '@eaas/test-kit/world';
import { heldTurns } from '../admission/testing/held-turns.ts';
import { openDoors } from '../http/doors.ts';
import type { Service } from '../app/service.ts';

const world = await testWorld('2026-11-20T10:00:00Z');
const ann = await settle(world.replica(), 'ann');
const bob = await settle(world.replica(), 'bob');

async function keyOf(service: Service, { token }: Resident, name: string): Promise<string> {
  return (await apiOf(service, token)('POST /v1/keys', { name })).key_id;
}

function withHeldTurns() {
  const { admission, ...held } = heldTurns();
  return { service: { ...world.replica(), admission }, ...held };
}

test('two replicas compute the same blind hash', async () => {
  const [one, two] = [world.replica(), world.replica()];
  const key_id = await keyOf(one, ann, 'shared');
  const hashes = await Promise.all(
    [one, two].map(async (replica) => {
      const { elements, ...blinded } = finish(blindValues(nodeCurve, [toUtf8('x')]));
      const response = await apiOf(replica, ann.token)('POST /v1/hash/blind', {
        key_id,
        elements: [...elements],
      });
      return finish(blinded.finish(response));
    }),
  );
  expect(hashes[0]).toEqual(hashes[1]);
});

test('another replica refuses blind hashes immediately after the key is disabled', async () => {
  const [one, two] = [world.replica(), world.replica()];
  const key_id = await keyOf(one, ann, 'disabled');
  const evaluate = () =>
    apiOf(two, ann.token)('POST /v1/hash/blind', { key_id, elements: randomElements(1) });
  await evaluate();
  await apiOf(one, ann.token)('POST /v1/keys/:key_id/disable', { key_id });
  await expect(evaluate()).rejects.toMatchObject({ code: 'key_state' });
});

test('if the key is disabled during the evaluation, the response is 409', async () => {
  const { service, turns } = withHeldTurns();
  const key_id = await keyOf(service, ann, 'late');
  turns.taken = 0;
  turns.isHeld = () => turns.taken > 3;
  const evaluating = apiOf(service, ann.token)('POST /v1/hash/blind', {
    key_id,
    elements: randomElements(100),
  });
  const refusal = evaluating.then(
    () => undefined,
    (error: unknown) => error,
  );
  await expect.poll(() => turns.taken).toBe(4);
  await apiOf(world.replica(), ann.token)('POST /v1/keys/:key_id/disable', { key_id });
  turns.isHeld = () => false;
  expect(await refusal).toMatchObject({ code: 'key_state' });
});

test('a request that has not ended after 4 seconds is refused', async () => {
  const { service, turns, advance } = withHeldTurns();
  const key_id = await keyOf(service, ann, 'slow');
  turns.taken = 0;
  turns.isHeld = () => turns.taken > 3;
  const evaluating = apiOf(service, ann.token)('POST /v1/hash/blind', {
    key_id,
    elements: randomElements(100),
  });
  const refusal = evaluating.then(
    () => undefined,
    (error: unknown) => error,
  );
  await expect.poll(() => turns.taken).toBe(4);
  advance(4_001);
  turns.isHeld = () => false;
  expect(await refusal).toMatchObject({ code: 'unavailable' });
});

test('a long computation of blind hashes runs for at most 2 ms without a pause', async () => {
  const { service, turns } = withHeldTurns();
  const key_id = await keyOf(service, ann, 'slices');
  const elements = randomElements(100);
  await apiOf(service, ann.token)('POST /v1/hash/blind', { key_id, elements });
  expect(turns.taken).toBeGreaterThan(20);
  expect(turns.longest).toBeLessThanOrEqual(2);
});

test("a request of one element does not wait for the end of another tenant's 20 requests of 100 elements", async () => {
  const { service, turns, isWaiting } = withHeldTurns();
  const [large, small] = [await keyOf(service, ann, 'large'), await keyOf(service, bob, 'small')];
  const order: string[] = [];
  const elements = randomElements(100);
  const evaluateAll = async (): Promise<void> => {
    try {
      await apiOf(service, ann.token)('POST /v1/hash/blind', { key_id: large, elements });
      order.push('100');
    } catch (error) {
      // On a busy machine, the requests that wait can be refused.
      if (!(error instanceof Refusal) || error.code !== 'unavailable') throw error;
      await evaluateAll();
    }
  };
  turns.isHeld = () => !isWaiting(bob.tenantId);
  const ofAnn = Promise.allSettled(Array.from({ length: 20 }, evaluateAll));
  await apiOf(service, bob.token)('POST /v1/hash/blind', { key_id: small, elements: randomElements(1) });
  order.push('1');
  turns.isHeld = () => false;
  await ofAnn;
  expect(order[0]).toBe('1');
  expect(order).toContain('100');
});

test('a metric counts the evaluated elements of blind hashes', async () => {
  const service = world.replica();
  const key_id = await keyOf(service, ann, 'counted');
  const api = apiOf(service, ann.token);
  await api('POST /v1/hash/blind', { key_id, elements: randomElements(3) });
  await api('POST /v1/hash/blind', { key_id, elements: randomElements(2) });
  await expect(api('POST /v1/hash/blind', { key_id, elements: ['AA=='] })).rejects.toThrow('elements[0]');
  const text = await openDoors(service, { jobs: [], verified: undefined }).metrics();
  expect(text).toContain('\neaas_blind_hash_elements_total 5\n');
});

test('the memory budget of the cache includes the derived secret and the public key of a key', async () => {
  const service = world.replica();
  const { remembered } = service.tenants;
  const keep = remembered.keepKey.bind(remembered);
  const kept: string[][] = [];
  vi.spyOn(remembered, 'keepKey').mockImplementation((state, key) => {
    kept.push((['blindHash', 'intakePublicKey'] as const).filter((name) => key[name] !== undefined));
    keep(state, key);
  });
  const api = apiOf(service, ann.token);
  const { key_id } = await api('POST /v1/keys', { name: 'counted in the cache', intake: true });
  await api('POST /v1/hash/blind', { key_id, elements: randomElements(1) });
  expect(kept.at(-1)).toEqual(['blindHash']);
  await api('GET /v1/keys/:key_id/public-key', { key_id });
  expect(kept.at(-1)).toEqual(['blindHash', 'intakePublicKey']);
});
