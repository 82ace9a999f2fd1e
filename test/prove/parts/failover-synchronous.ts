import { setTimeout as sleep } from 'node:timers/promises';
import { type Place, send } from '../../faults/client.ts';
import { Load, succeeded, tally } from '../../faults/load.ts';
import { newKey, operate, type Tenant } from '../../faults/place.ts';
import type { Replica } from '../../faults/place.ts';
import { judgeLog } from '../judge-log.ts';
import { Cluster } from '../machine/cluster.ts';
import { metric, startServer } from '../machine/server.ts';
import { type Manner, Switch } from '../machine/switch.ts';
import { type Findings, scaled, type Trial } from '../trial.ts';

const rounds = scaled(2);

interface Setting {
  readonly replicas: readonly Replica[];
  readonly loaded: readonly { readonly tenant: Tenant; readonly load: Load }[];
  readonly road: Switch;
}

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
      const setting = await underLoad(findings, road);
      for (let round = 0; round < rounds; round++) {
        await sleep(1_000);
        primary = await failOver(findings, { setting, primary, manner, backWithin });
      }
      await judge(findings, setting);
    },
  };
}

async function underLoad(findings: Findings, road: Switch): Promise<Setting> {
  const operator = await operate(road.url);
  const tenants = [await operator.newTenant(), await operator.newTenant()];
  await operator.close();
  const replicas = [await startServer(findings, operator.env), await startServer(findings, operator.env)];
  const loaded: Setting['loaded'] = await Promise.all(
    tenants.map(async (tenant, nth) => {
      const keyId = await newKey(replicas[0] ?? { port: 0 }, tenant.token);
      const places = replicas.map(({ port }) => ({ port }));
      const load = new Load({ places, token: tenant.token, keyId, workers: 3, rest: 10, changes: nth === 1 });
      findings.defer(() => load.stop());
      return { tenant, load };
    }),
  );
  return { replicas, loaded, road };
}

interface Failover {
  readonly setting: Setting;
  readonly primary: Cluster;
  readonly manner: Manner;
  readonly backWithin: number;
}

async function failOver(findings: Findings, failover: Failover): Promise<Cluster> {
  const { setting, primary, manner, backWithin } = failover;
  const standby = await primary.standby(findings);
  await primary.makeSynchronous();
  await sleep(1_500);
  setting.road.cut(manner);
  await primary.kill();
  await standby.promote();
  setting.road.lead(standby);
  const switchedAt = performance.now();
  findings.try('primary killed, standby promoted');
  const waited = await Promise.all(
    setting.replicas.map(({ port }) => answersAgain(setting, port, switchedAt)),
  );
  findings.figure('back after', `${waited.map(Math.round).join(' and ')} ms`);
  findings.check(
    `each server serves within ${backWithin} ms after the switch`,
    Math.max(...waited) <= backWithin,
    waited.map(Math.round),
  );
  for (const { tenant } of setting.loaded) {
    const lists = await Promise.all(
      setting.replicas.map((place) => send(place, tenant.token, 'GET', '/v1/audit')),
    );
    findings.check(
      'a list is answered 200 at the first attempt once unwraps are',
      lists.every(({ status }) => status === 200),
      tally(lists),
    );
  }
  return standby;
}

async function answersAgain({ loaded }: Setting, port: number, since: number): Promise<number> {
  const first = (load: Load): number =>
    load.sent
      .filter((sent) => sent.place.port === port && sent.sentAt > since && succeeded(sent))
      .reduce((least, { answeredAt }) => Math.min(least, answeredAt - since), Infinity);
  for (;;) {
    const waited = Math.max(...loaded.map(({ load }) => first(load)));
    if (waited < Infinity || performance.now() > since + 25_000) return waited;
    await sleep(20);
  }
}

async function judge(findings: Findings, { replicas, loaded }: Setting): Promise<void> {
  const place: Place = replicas[0] ?? { port: 0 };
  await Promise.all(loaded.map(({ load }) => load.stop()));
  for (const { tenant, load } of loaded) {
    await judgeLog(findings, place, tenant, await load.stop());
  }
  for (const replica of replicas) {
    findings.check('no server ends', replica.end() === undefined, replica.log().slice(-400));
    const wentBack = await metric(replica, 'eaas_audit_head_went_back_total');
    findings.check('no loss is reported where none was', wentBack === 0, `${wentBack}`);
  }
}
