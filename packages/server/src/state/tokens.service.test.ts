import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { apiOf, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { heldTurns } from '../admission/testing/held-turns.ts';
import { Database } from '../store/database.ts';

let queries = 0;
let fails = false;

class CountedDatabase extends Database {
  override async run<T>(...all: Parameters<Database['run']>): Promise<T> {
    queries++;
    if (fails) throw Object.assign(new Error('the database is away'), { code: 'CONNECTION_CLOSED' });
    return (await super.run(...all)) as T;
  }
}

const world = await testWorld('2026-11-20T10:00:00Z');
const residents = [await settle(world.replica(), 'ann'), await settle(world.replica(), 'ben')];

/** Returns a replica that has just started, and therefore remembers no API key. */
function fresh() {
  const database = new CountedDatabase(world.database.connection('server'), 6);
  world.onClose(() => database.close());
  return world.replica(database);
}

const strangers = (count: number) => Array.from({ length: count }, () => formatApiKey(randomBytes(32)));

test.each(['GET /v1/keys', 'GET /v1/audit/verify'] as const)(
  '%s: all API keys that wait are looked up in one query',
  async (route) => {
    const service = fresh();
    const call = (token: string) => statusOf(apiOf(service, token)(route, {}));
    queries = 0;
    const refused = await Promise.all(strangers(500).map(call));
    expect(new Set(refused)).toEqual(new Set([401]));
    expect(queries).toBe(2);
  },
);

test('after a restart, the API keys of tenants are found by the same queries as those of a thousand strangers', async () => {
  const service = fresh();
  const call = (token: string) => statusOf(apiOf(service, token)('GET /v1/keys', {}));
  queries = 0;
  const refused = strangers(1_000).map(call);
  const served = residents.map(({ token }) => call(token));
  expect(await Promise.all(served)).toEqual([200, 200]);
  expect(new Set(await Promise.all(refused))).toEqual(new Set([401]));
  expect(queries).toBeLessThan(20);
});

test('the refusal of an unknown API key waits for a turn', async () => {
  const held = heldTurns();
  const service = { ...fresh(), admission: held.admission };
  const end = held.occupy();
  held.turns.isHeld = () => true;
  const refused = strangers(10).map((token) => statusOf(apiOf(service, token)('GET /v1/keys', {})));
  await expect.poll(() => held.waitingOf('no tenant')).toBe(10);
  held.turns.isHeld = () => false;
  expect(new Set(await Promise.all(refused))).toEqual(new Set([401]));
  await end();
});

test('if the query fails, all API keys of the query get 503, and the next call works', async () => {
  const service = fresh();
  const call = (token: string) => statusOf(apiOf(service, token)('GET /v1/keys', {}));
  fails = true;
  try {
    expect(new Set(await Promise.all(strangers(20).map(call)))).toEqual(new Set([503]));
  } finally {
    fails = false;
  }
  expect(await call(residents[0]?.token ?? '')).toBe(200);
});
