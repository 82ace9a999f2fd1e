import { Database, hashApiKey } from '@eaas/server/internal';
import { type Pool, findTokenTenants, openPool } from '@eaas/test-kit/server';
import { endpoints, type Route } from '@eaas/protocol/wire';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { citusIsInstalled } from '@eaas/test-kit/citus';
import type { PostgresAddress } from '@eaas/test-kit/database';
import { requested } from '@eaas/test-kit/on-demand';
import { apiOf, openWorld, settle, type World } from '@eaas/test-kit/world';
import { everyCall } from './every-call.ts';
import { planOf, recording, type Statement, tasksOf } from './statements.ts';

whereAvailable('Citus', await citusIsInstalled(), () => {
  let world: World;
  let server: Pool;
  let statements: ReadonlyMap<string, Statement>;
  let called: ReadonlySet<Route>;

  beforeAll(async () => {
    world = await openWorld('2026-09-01T00:00:00Z', requested<PostgresAddress>(inject('citus')));
    const { token } = await settle(world.replica(), 'ann');
    const recorder = recording(world.database);
    const database = new Database(recorder.connection, 4);
    world.onClose(() => database.close());
    called = await everyCall(apiOf(world.replica(database), token));
    // Repeats all calls with a new replica, whose cache is empty. In this way, the queries that fill the cache are
    // recorded too.
    await everyCall(apiOf(world.replica(database), token));
    ({ statements } = recorder);
    server = openPool(world.database.connection('server'), 1);
    world.onClose(() => server.end());
  });
  afterAll(() => world.close());

  test('the calls of this test use every endpoint', () => {
    expect([...called].toSorted()).toEqual(Object.keys(endpoints).toSorted());
  });

  test('API keys whose hashes are on different shards are found by one query', async () => {
    const residents = [];
    for (const name of Array.from('bcdefghi')) residents.push(await settle(world.replica(), name));
    const hashes = residents.map(({ token }) => Buffer.from(hashApiKey(token)).toString('hex'));
    const found = await findTokenTenants(server, [...hashes, 'ff'.repeat(32)]);
    expect(hashes.map((hash) => found.get(hash))).toEqual(residents.map(({ tenantId }) => tenantId));
    expect(found.size).toBe(residents.length);
  });

  test('every statement of a request runs on one shard', async () => {
    expect(statements.size).toBeGreaterThan(30);
    for (const statement of statements.values()) {
      const plan = await planOf(server, statement);
      // The statement that selects the current time reads no table and therefore runs on no shard.
      const tasks = plan.startsWith('Result') && !plan.includes('Scan') ? [] : [1];
      expect({ statement, plan, tasks: tasksOf(plan) }).toMatchObject({ tasks });
      expect(plan).not.toContain('Distributed Subplan');
    }
  });
});
