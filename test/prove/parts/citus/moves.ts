import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseError } from '../../../../packages/server/src/store/faults.ts';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { Disturbance, type Scene } from './scene.ts';

type Mode = 'force_logical' | 'block_writes';

/** Matches an error of Citus while the old copy of a shard that an earlier statement moved is still locked. */
const oldCopyInUse = /orphaned shard .* could not be cleaned up/;

/**
 * Repeats the statement after the two errors that `docs/operating/citus.md` tells operators to expect. Citus cancels one
 * of two transactions that wait for each other, or cannot yet delete the old copy of a moved shard.
 */
async function persist({ findings, database }: Scene, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await database.run(statement);
      return;
    } catch (error) {
      const isInUse = error instanceof Error && oldCopyInUse.test(error.message);
      const isDeadlock = isDatabaseError(error) && error.code === '40P01';
      if (!(isDeadlock || isInUse) || attempt === 20) throw error;
      findings.try(
        isInUse ? 'statement refused because of an old copy' : 'statement cancelled because of a deadlock',
      );
      await sleep(200);
    }
  }
}

async function move(scene: Scene, tenantId: string, mode: Mode): Promise<void> {
  const { id, host } = await scene.database.shardOf(tenantId);
  const target = scene.database.otherWorker(host);
  const statement = `select citus_move_shard_placement(${id}, '${host}', 5432, '${target.socket}', 5432,
    shard_transfer_mode => '${mode}')`;
  await persist(scene, statement);
}

const isolate = (scene: Scene, tenantId: string): Promise<void> =>
  persist(
    scene,
    `select isolate_tenant_to_new_shard('eaas.tenants', '${tenantId}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
  );

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
  const [balance = '', drain = ''] = blocksOf(read('docs/operating/citus.md'), 'sql').slice(-2);
  const socket = database.workers[1]?.socket ?? '';
  const disturbance = new Disturbance();
  await disturbance.during(scene, async () => {
    await persist(scene, drain.replace('worker-2.example', socket));
    findings.try('worker drained');
    await database.run(`select citus_set_node_property('${socket}', 5432, 'shouldhaveshards', true)`);
    // Commits after each statement, because Citus starts the rebalancing only after a commit.
    for (const statement of balance.trim().split('\n')) await database.run(statement);
    findings.try('rebalancer run');
  });
  disturbance.report(scene);
}
