import { judgeNoLoss } from '../../judge-log.ts';
import { CitusCluster, withoutCitus } from '../../machine/citus-cluster.ts';
import { type Findings, type Part, scaled, type Trial } from '../../trial.ts';
import { UnderLoad } from '../under-load.ts';
import { coordinatorKilled, serversKilled, workersKilled } from './kills.ts';
import { isolations, moves, rebalancing } from './moves.ts';
import type { Scene } from './scene.ts';

type Fault = (scene: Scene) => Promise<void>;

function citusTrial(name: string, about: string, fault: Fault): Trial {
  return {
    name,
    about,
    limit: 400,
    async run(findings: Findings) {
      const database = await CitusCluster.create(findings);
      const bench = await UnderLoad.start(findings, database);
      await fault({ findings, database, bench });
      await bench.judge();
      await judgeNoLoss(findings, bench.replicas);
    },
  };
}

export const citus: Part = {
  name: 'citus',
  about: 'a coordinator and two workers of Citus, with the settings of the manual’s page',
  unavailable: withoutCitus,
  trials: [
    citusTrial('workers', 'each worker is killed and started again under load', workersKilled(scaled(3))),
    citusTrial(
      'coordinator',
      'the coordinator is killed and started again under load',
      coordinatorKilled(scaled(5)),
    ),
    citusTrial('servers', 'servers are killed under load', serversKilled(scaled(2))),
    // Makes 24 moves even with --small. With fewer moves, the trial can pass although moves of shards lose entries.
    citusTrial(
      'logical',
      'shards move between the workers under load, with force_logical',
      moves('force_logical', 24),
    ),
    citusTrial(
      'blocking',
      'shards move between the workers under load, with block_writes',
      moves('block_writes', scaled(10)),
    ),
    citusTrial('isolation', 'tenants get shards of their own under load', isolations),
    citusTrial(
      'rebalancing',
      'a worker is emptied and filled again by the rebalancer, under load',
      rebalancing,
    ),
  ],
};
