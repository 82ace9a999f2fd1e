import { setTimeout as sleep } from 'node:timers/promises';
import { isDeadlock } from '../../../../packages/server/src/store/faults.ts';
import { Disturbance, type Scene } from './scene.ts';

type Mode = 'force_logical' | 'block_writes';

async function move({ database }: Scene, tenantId: string, mode: Mode): Promise<void> {
  const { id, host } = await database.shardOf(tenantId);
  const target = database.otherWorker(host);
  await database.run(
    `select citus_move_shard_placement(${id}, '${host}', 5432, '${target.socket}', 5432, shard_transfer_mode => '${mode}')`,
  );
}

/** Repeats the statement if Citus cancels it, because it can wait for a request that waits for it. */
async function isolate({ findings, database }: Scene, tenantId: string): Promise<void> {
  const statement = `select isolate_tenant_to_new_shard('eaas.tenants', '${tenantId}', 'CASCADE',
    shard_transfer_mode => 'block_writes')`;
  for (let attempt = 1; ; attempt++) {
    try {
      await database.run(statement);
      return;
    } catch (error) {
      if (!isDeadlock(error) || attempt === 20) throw error;
      findings.try('isolation cancelled because of a deadlock');
    }
  }
}

/** Moves the shards of the tenants in turn. */
export function moves(mode: Mode, times: number) {
  return async (scene: Scene): Promise<void> => {
    const { findings, bench } = scene;
    const disturbance = new Disturbance();
    for (let nth = 0; nth < times; nth++) {
      const tenantId = bench.loaded[nth % bench.loaded.length]?.tenant.tenantId ?? '';
      await disturbance.during(scene, () => move(scene, tenantId, mode));
      findings.try(`shard moved with ${mode}`);
      await sleep(200);
    }
    disturbance.report(scene);
  };
}

export async function isolations(scene: Scene): Promise<void> {
  const { findings, bench } = scene;
  const disturbance = new Disturbance();
  for (const { tenant } of bench.loaded) {
    await disturbance.during(scene, () => isolate(scene, tenant.tenantId));
    findings.try('tenant isolated');
    await sleep(1_000);
  }
  disturbance.report(scene);
}

/** Gives each of the two tenants a worker. */
export async function separate(scene: Scene): Promise<void> {
  const { database, bench } = scene;
  const [first, second] = bench.loaded.map(({ tenant }) => tenant.tenantId);
  if (first === undefined || second === undefined) throw new Error('expected two tenants');
  await isolate(scene, second);
  const [one, other] = [await database.shardOf(first), await database.shardOf(second)];
  if (one.host === other.host) await move(scene, second, 'block_writes');
}

export async function rebalancing(scene: Scene): Promise<void> {
  const { findings, database } = scene;
  const disturbance = new Disturbance();
  const [node] = database.workers;
  const socket = node?.socket ?? '';
  await disturbance.during(scene, async () => {
    await database.run(`select citus_drain_node('${socket}', 5432, shard_transfer_mode => 'force_logical')`);
    findings.try('worker drained');
    await database.run(`select citus_set_node_property('${socket}', 5432, 'shouldhaveshards', true)`);
    await database.run(`select citus_rebalance_start(shard_transfer_mode => 'force_logical')`);
    await database.run('select citus_rebalance_wait()');
    findings.try('rebalancer run');
  });
  disturbance.report(scene);
}
