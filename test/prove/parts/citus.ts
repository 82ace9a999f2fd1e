import { setTimeout as sleep } from 'node:timers/promises';
import { succeeded } from '@eaas/test-kit/faults/load';
import { judgeNoLoss } from '../judge-log.ts';
import { CitusCluster, withoutCitus } from '../machine/citus-cluster.ts';
import { type Findings, type Part, scaled } from '../trial.ts';
import { recovers } from './recovers.ts';
import { UnderLoad } from './under-load.ts';

const away = 2_000;

async function run(findings: Findings): Promise<void> {
  const database = await CitusCluster.create(findings);
  const bench = await UnderLoad.start(findings, database);
  await separate(database, bench);
  let fewest = Infinity;
  for (let round = 0; round < scaled(3); round++) {
    for (const worker of database.workers) {
      await worker.kill();
      const killedAt = performance.now();
      await sleep(away);
      const now = performance.now();
      const served = bench.loaded.map(
        ({ load }) =>
          load.sent.filter((sent) => sent.sentAt > killedAt && sent.answeredAt < now && succeeded(sent))
            .length,
      );
      fewest = Math.min(fewest, Math.max(...served));
      await worker.start();
      findings.try('worker killed, started 2 s later');
      await recovers(findings, bench, 'worker away for 2 s');
    }
  }
  findings.figure('fewest responses to the tenant of the running worker while the other is away', fewest);
  await bench.judge();
  await judgeNoLoss(findings, bench.replicas);
}

/** Gives the second tenant a shard of its own, on another worker than the first. */
async function separate(database: CitusCluster, { loaded }: UnderLoad<CitusCluster>): Promise<void> {
  const [first = '', second = ''] = loaded.map(({ tenant }) => tenant.tenantId);
  await database.run(
    `select isolate_tenant_to_new_shard('eaas.tenants', '${second}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
  );
  const { id, host } = await database.shardOf(second);
  if (host !== (await database.shardOf(first)).host) return;
  await database.run(`select citus_move_shard_placement(${id}, '${host}', 5432,
    '${database.otherWorker(host).socket}', 5432, shard_transfer_mode => 'block_writes')`);
}

export const citus: Part = {
  name: 'citus',
  about: 'a coordinator and two workers of Citus, with the settings of the manual’s page',
  unavailable: withoutCitus,
  trials: [
    {
      name: 'workers',
      about: 'each worker is killed and started again under load',
      limit: 400,
      run,
    },
  ],
};
