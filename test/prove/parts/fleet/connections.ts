import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from '../../../faults/client.ts';
import { newDek, tally } from '../../../faults/load.ts';
import type { Tenant } from '../../../faults/place.ts';
import { Cluster } from '../../machine/cluster.ts';
import { startPgbouncer, withoutPgbouncer } from '../../machine/pgbouncer.ts';
import { holdsWithin } from '../../machine/until.ts';
import type { Findings, Trial } from '../../trial.ts';
import { comeBack } from './come-back.ts';
import { populate, poolSize, settings } from './populate.ts';
import { newKeyAt, Servers, serverCount } from './servers.ts';

/** More tenants than connections of a pool, so that every connection is busy. */
const tenantCount = 16;
/** In seconds. A server replaces a pool that gets no response of the database for 2 s. */
const short = 1.5;
/** In seconds. In this time, a server replaces its pools several times. */
const long = 12;
/** A server has ten connections for changes and appends, and four for reads. The others are for jobs. */
const busy = 14 * serverCount;
const pause = 200;

interface Scene {
  readonly findings: Findings;
  readonly cluster: Cluster;
  readonly servers: Servers;
  readonly tenants: readonly Tenant[];
  readonly keyIds: readonly string[];
}

async function prepare(findings: Findings, cluster: Cluster, pooled: boolean): Promise<Scene> {
  const { env, tenants } = await populate(cluster, tenantCount);
  const url = pooled && { DATABASE_URL: await startPgbouncer(findings, cluster, 1, poolSize) };
  const start = { env: { ...env, ...url }, tenants: [], inTurn: 0 };
  const servers = await Servers.start(findings, cluster, start);
  const [port = 0] = servers.ports;
  const keyIds: string[] = [];
  for (const { token } of tenants) keyIds.push(await newKeyAt({ port }, token));
  return { findings, cluster, servers, tenants, keyIds };
}

/** Sends wraps and reads of all tenants to all servers again and again, while every statement about a log waits. */
async function lockLogs(
  { findings, cluster, servers, tenants, keyIds }: Scene,
  isEnough: () => boolean,
  mostSeconds: number,
): Promise<number> {
  const sql = cluster.connect(findings, 'superuser');
  const answers: Answer[] = [];
  const ending = new AbortController();
  const repeat = async (call: () => Promise<Answer>): Promise<void> => {
    for (; !ending.signal.aborted; await sleep(pause)) answers.push(await call());
  };
  let sending: Promise<void>[] = [];
  await sql.begin(async (tx) => {
    await tx`lock table eaas.audit_heads in access exclusive mode`;
    findings.try('all logs locked');
    sending = tenants.flatMap(({ token }, nth) =>
      servers.ports.flatMap((port) => [
        repeat(() => send({ port }, token, 'POST', `/v1/keys/${keyIds[nth]}/wrap`, { dek: newDek() })),
        repeat(() => send({ port }, token, 'GET', '/v1/keys')),
      ]),
    );
    await holdsWithin(mostSeconds, async () => isEnough());
    ending.abort();
  });
  await Promise.all(sending);
  findings.answer(tally(answers));
  return servers.connections.most;
}

export const connections: Trial = {
  name: 'connections',
  about: `each of ${tenantCount} tenants sends to each of eight servers, while all logs are locked for a short and for a long time`,
  limit: 600,
  async run(findings) {
    const cluster = await Cluster.create(findings, settings);
    const scene = await prepare(findings, cluster, false);
    const watch = scene.servers.connections;
    const most = (await lockLogs(scene, () => watch.now >= busy, short)) / serverCount;
    findings.figure('most connections of a server', most);
    findings.check('a server has at most 20 connections', most >= 10 && most <= 20, `${most}`);
    const inTrouble = (await lockLogs(scene, () => false, long)) / serverCount;
    findings.figure('most connections of a server while the database does not respond', inTrouble);
    await comeBack(findings, scene.servers, scene.tenants[0]);
    await scene.servers.judge();
  },
};

export const pooledConnections: Trial = {
  name: 'pgbouncer-connections',
  about: `each of ${tenantCount} tenants sends to each of eight servers behind pgbouncer at once, while all logs are locked`,
  limit: 600,
  unavailable: withoutPgbouncer,
  async run(findings) {
    const cluster = await Cluster.create(findings, settings);
    const scene = await prepare(findings, cluster, true);
    checkPool(findings, await lockLogs(scene, () => false, short));
    await scene.servers.judge();
  },
};

export function checkPool(findings: Findings, most: number): void {
  findings.figure('most connections', most);
  findings.check(`pgbouncer has at most ${poolSize} connections`, most > 0 && most <= poolSize, `${most}`);
}
