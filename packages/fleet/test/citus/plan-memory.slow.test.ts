import { openPool } from '@eaas/test-kit/server';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { citusIsInstalled } from '@eaas/test-kit/citus';
import { addressIn, type PostgresAddress } from '@eaas/test-kit/database';
import { requested } from '@eaas/test-kit/on-demand';
import { openWorld, settle, type World } from '@eaas/test-kit/world';

whereAvailable('Citus', await citusIsInstalled(), () => {
  let world: World;
  let citus: PostgresAddress;

  beforeAll(async () => {
    citus = await requested<PostgresAddress>(inject('citus'));
    world = await openWorld('2026-09-01T00:00:00Z', Promise.resolve(citus));
  });
  afterAll(() => world.close());

  test('the cached plans of a Citus worker do not grow with each append', async () => {
    const { tenantId } = await settle(world.replica(), 'ann');
    const coordinator = openPool(world.database.connection('superuser'), 1);
    const [shard] = await coordinator<{ host: string }[]>`
      select nodename as host from citus_shards
      where shardid = get_shard_id_for_distribution_column('eaas.tenants', ${tenantId}::uuid)`;
    await coordinator.end();
    const node = citus.workers?.find(({ host }) => host === shard?.host);
    if (!node) throw new Error(`expected a worker with the host ${shard?.host}`);
    const worker = openPool(addressIn(node, world.database.name).connection('superuser'), 1);
    const none = Buffer.alloc(0);
    const append = () => worker<{ appended: string }[]>`
      select eaas.append(${tenantId}, 0, ${none}, 0, 1, ${none}, 0, ${none}, 0, '', 0, ${none}, ${world.time},
        '[]', ${none}) as appended`;
    const planBytes = async (): Promise<number> => {
      const [row] = await worker<{ bytes: number }[]>`
        select coalesce(sum(total_bytes), 0)::bigint as bytes from pg_backend_memory_contexts where name = 'CachedPlan'`;
      return row?.bytes ?? 0;
    };
    try {
      for (let nth = 0; nth < 20; nth++) expect((await append())[0]?.appended).toMatch(/^moved /);
      const before = await planBytes();
      for (let nth = 0; nth < 100; nth++) await append();
      expect(await planBytes()).toBeLessThan(before + 500_000);
    } finally {
      await worker.end();
    }
  });
});
