import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '@eaas/test-kit/faults/client';
import { succeeded, tally } from '@eaas/test-kit/faults/load';
import { withoutStandby } from '../../machine/cluster.ts';
import { withoutPgbouncer } from '../../machine/pgbouncer.ts';
import { holdsWithin } from '../../machine/until.ts';
import type { Findings, Part, Trial } from '../../trial.ts';
import { checkPool, connections, pooledConnections } from './connections.ts';
import { comeBack } from './come-back.ts';
import { populate, poolSize } from './populate.ts';
import { Servers, serverCount } from './servers.ts';

const tenantCount = 24;
const inTurn = 4;

const rolling: Trial = {
  name: 'rolling',
  about: `eight servers are restarted one after the other, then all but one are stopped, while ${tenantCount} tenants send requests, ${inTurn} of them to all servers in turn`,
  limit: 600,
  async run(findings) {
    const servers = await restartAndStop(findings);
    findings.figure('most connections', servers.connections.most);
    await servers.judge();
  },
};

const behindPgbouncer: Trial = {
  name: 'pgbouncer',
  about: `the same behind pgbouncer with ${poolSize} connections to the database`,
  limit: 600,
  unavailable: withoutPgbouncer,
  async run(findings) {
    const servers = await restartAndStop(findings, true);
    checkPool(findings, servers.connections.most);
    await servers.judge();
  },
};

const readiness: Trial = {
  name: 'database',
  about: 'the database of eight servers is killed, and starts again after 3 s',
  limit: 600,
  async run(findings) {
    const { cluster, env, tenants } = await populate(findings, tenantCount);
    const servers = await Servers.start(findings, cluster, { env, tenants, inTurn });
    await cluster.kill();
    findings.try('database killed, started 3 s later');
    await Promise.all([reportAway(findings, servers), sleep(3_000)]);
    await cluster.start();
    await comeBack(findings, servers, tenants[0]);
    await servers.judge({ isCalm: false });
  },
};

async function restartAndStop(findings: Findings, pooled = false): Promise<Servers> {
  const { cluster, env, tenants } = await populate(findings, tenantCount, pooled);
  const servers = await Servers.start(findings, cluster, { env, tenants, inTurn });
  const startedAt = performance.now();
  for (let nth = 0; nth < serverCount; nth++) await servers.restart(nth);
  findings.figure(`${serverCount} restarts in`, `${Math.round(performance.now() - startedAt)} ms`);
  for (let nth = 0; nth < serverCount - 1; nth++) await servers.stop(nth);
  await sleep(1_000);
  return servers;
}

async function reportAway(findings: Findings, servers: Servers): Promise<void> {
  const reports = async (port: number): Promise<boolean> => {
    const { status, body } = await servers.balancer.check(port);
    return status === 503 && JSON.stringify(body['reasons']) === '["the database does not respond"]';
  };
  const startedAt = performance.now();
  const waited = await Promise.all(servers.ports.map((port) => holdsWithin(10, () => reports(port))));
  findings.figure('all report it after', `${Math.round(performance.now() - startedAt)} ms`);
  findings.check(
    '/readyz of every server reports that the database does not respond',
    waited.every(Boolean),
    waited,
  );
  const health = await Promise.all(servers.ports.map((port) => send({ port }, '', 'GET', '/healthz')));
  findings.check(
    '/healthz of every server succeeds without a database',
    health.every(succeeded),
    tally(health),
  );
}

export const fleet: Part = {
  name: 'fleet',
  about: 'eight servers on one database are started, restarted and stopped under load',
  unavailable: withoutStandby,
  trials: [rolling, behindPgbouncer, connections, pooledConnections, readiness],
};
