import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '@eaas/test-kit/faults/client';
import { tally } from '@eaas/test-kit/faults/load';
import { judgeNoLoss } from '../judge-log.ts';
import { Cluster } from '../machine/cluster.ts';
import { type Manner, Switch } from '../machine/switch.ts';
import { type Findings, scaled, type Trial } from '../trial.ts';
import { UnderLoad } from './under-load.ts';

const rounds = scaled(2);

export function synchronousFailover(manner: Manner, backWithin: number): Trial {
  return {
    name: `synchronous-${manner}`,
    about: `the primary is killed under load, the synchronous standby promoted; servers see ${
      manner === 'closed' ? 'closed connections' : 'nothing'
    }`,
    limit: 180,
    async run(findings) {
      let primary = await Cluster.create(findings);
      const road = await Switch.open(findings, primary);
      const bench = await UnderLoad.start(findings, road);
      for (let round = 0; round < rounds; round++) {
        primary = await failOver(findings, { bench, primary, manner, backWithin });
        await sleep(1_000);
      }
      await bench.judge();
      await judgeNoLoss(findings, bench.replicas);
    },
  };
}

interface Failover {
  readonly bench: UnderLoad<Switch>;
  readonly primary: Cluster;
  readonly manner: Manner;
  readonly backWithin: number;
  /** Ends when the primary is to die. */
  readonly due?: (primary: Cluster) => Promise<unknown>;
}

export async function failOver(findings: Findings, failover: Failover): Promise<Cluster> {
  const { bench, primary, manner, backWithin, due } = failover;
  const { cluster: road, replicas, loaded } = bench;
  const standby = await primary.standby(findings);
  await primary.makeSynchronous();
  await sleep(1_500);
  await due?.(primary);
  road.cut(manner);
  await primary.kill();
  await standby.promote();
  road.lead(standby);
  const switchedAt = performance.now();
  findings.try('primary killed, standby promoted');
  const waited = await bench.backAfter(switchedAt, 25_000);
  findings.longest('back after', waited);
  findings.check(
    `each server serves requests within ${backWithin} ms after the promotion of the standby`,
    waited <= backWithin,
    `${Math.round(waited)} ms`,
  );
  for (const { tenant } of loaded) {
    const lists = await Promise.all(replicas.map((place) => send(place, tenant.token, 'GET', '/v1/audit')));
    findings.check(
      'once unwraps succeed, GET /v1/audit succeeds at the first attempt',
      lists.every(({ status }) => status === 200),
      tally(lists),
    );
  }
  return standby;
}
