import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from '../../../faults/client.ts';
import { newDek, succeeded, tally } from '../../../faults/load.ts';
import { operate, type Tenant } from '../../../faults/place.ts';
import { Cluster, withoutStandby } from '../../machine/cluster.ts';
import { startPgbouncer, withoutPgbouncer } from '../../machine/pgbouncer.ts';
import { holdsWithin } from '../../machine/until.ts';
import type { Findings, Part, Trial } from '../../trial.ts';
import { newKeyAt, Servers, serverCount, type Start } from './servers.ts';
import { upgrade } from './upgrade.ts';

const tenantCount = 24;
const inTurn = 4;
/** More tenants than connections of the pool, so that every connection is busy. */
const lockedTenants = 48;
const poolSize = 20;
/** The manual allows 40 connections per server, and 10 for operators. */
const settings = { max_connections: String(40 * serverCount + 10) };

async function populate(cluster: Cluster, count = tenantCount) {
  const operator = await operate(cluster.url);
  const tenants: Tenant[] = [];
  while (tenants.length < count) tenants.push(await operator.newTenant());
  await operator.close();
  return { env: operator.env, tenants };
}

const rolling: Trial = {
  name: 'rolling',
  about: `eight servers are restarted one after the other, then all but one are stopped, while ${tenantCount} tenants send requests, ${inTurn} of them to all servers in turn`,
  limit: 600,
  async run(findings) {
    const cluster = await Cluster.create(findings, settings);
    const servers = await Servers.start(findings, cluster, { ...(await populate(cluster)), inTurn });
    await restartAll(findings, servers);
    await stopAllButLast(servers);
    const { most } = servers.connections;
    findings.figure('most connections', most);
    await servers.judge();
  },
};

const behindPgbouncer: Trial = {
  name: 'pgbouncer',
  about: `the same behind pgbouncer with ${poolSize} connections to the database`,
  limit: 600,
  unavailable: withoutPgbouncer,
  async run(findings) {
    const cluster = await Cluster.create(findings, settings);
    const { env, tenants } = await populate(cluster);
    const url = await startPgbouncer(findings, cluster, 1, poolSize);
    const start = { env: { ...env, DATABASE_URL: url }, tenants, inTurn };
    const servers = await Servers.start(findings, cluster, start);
    await restartAll(findings, servers);
    await stopAllButLast(servers);
    checkPool(findings, servers.connections.most);
    await servers.judge();
  },
};

const pooledConnections: Trial = {
  name: 'pgbouncer-connections',
  about: `each of ${lockedTenants} tenants sends a wrap to each of eight servers behind pgbouncer at once, while all logs are locked`,
  limit: 600,
  unavailable: withoutPgbouncer,
  async run(findings) {
    const cluster = await Cluster.create(findings, settings);
    const { env, tenants } = await populate(cluster, lockedTenants);
    const url = await startPgbouncer(findings, cluster, 1, poolSize);
    const most = await mostConnections(findings, cluster, {
      env: { ...env, DATABASE_URL: url },
      tenants,
      inTurn,
    });
    checkPool(findings, most);
  },
};

const readiness: Trial = {
  name: 'database',
  about: 'the database of eight servers is killed, and starts again after 3 s',
  limit: 600,
  async run(findings) {
    const cluster = await Cluster.create(findings, settings);
    const servers = await Servers.start(findings, cluster, { ...(await populate(cluster)), inTurn });
    await cluster.kill();
    findings.try('database killed, started 3 s later');
    await Promise.all([reportAway(findings, servers), sleep(3_000)]);
    await cluster.start();
    await comeBack(findings, servers);
    await servers.judge({ isCalm: false });
  },
};

function checkPool(findings: Findings, most: number): void {
  findings.figure('most connections', most);
  findings.check(`pgbouncer has at most ${poolSize} connections`, most > 0 && most <= poolSize, `${most}`);
}

async function mostConnections(findings: Findings, cluster: Cluster, start: Start): Promise<number> {
  const servers = await Servers.start(findings, cluster, { ...start, tenants: [] });
  findings.answer(tally(await wrapEverywhere(findings, cluster, servers, start.tenants)));
  const { most } = servers.connections;
  findings.figure('most connections', most);
  await servers.judge();
  return most;
}

/**
 * Sends wraps that all wait with a database connection, so that the servers open all connections that they may open.
 */
async function wrapEverywhere(
  findings: Findings,
  cluster: Cluster,
  servers: Servers,
  tenants: readonly Tenant[],
): Promise<Answer[]> {
  const [port = 0] = servers.ports;
  const keyIds: string[] = [];
  for (const { token } of tenants) keyIds.push(await newKeyAt({ port }, token));
  const sql = cluster.connect(findings, 'superuser');
  let answers: Promise<Answer>[] = [];
  await sql.begin(async (tx) => {
    await tx`select from eaas.audit_heads for update`;
    answers = tenants.flatMap(({ token }, nth) =>
      servers.ports.map((one) =>
        send({ port: one }, token, 'POST', `/v1/keys/${keyIds[nth]}/wrap`, { dek: newDek() }),
      ),
    );
    findings.try('wrap while the logs are locked', answers.length);
    await sleep(1_500);
  });
  return Promise.all(answers);
}

async function restartAll(findings: Findings, servers: Servers): Promise<void> {
  const startedAt = performance.now();
  for (let nth = 0; nth < serverCount; nth++) await servers.restart(nth);
  findings.figure(`${serverCount} restarts in`, `${Math.round(performance.now() - startedAt)} ms`);
}

async function stopAllButLast(servers: Servers): Promise<void> {
  for (let nth = 0; nth < serverCount - 1; nth++) await servers.stop(nth);
  await sleep(1_000);
}

async function reportAway(findings: Findings, servers: Servers): Promise<void> {
  const reports = async (port: number): Promise<boolean> => {
    const { status, body } = await servers.balancer.check(port);
    return status === 503 && JSON.stringify(body['reasons']) === '["the database does not respond"]';
  };
  const startedAt = performance.now();
  const waited = await Promise.all(servers.ports.map((port) => holdsWithin(10, () => reports(port))));
  findings.figure('all report it after', `${Math.round(performance.now() - startedAt)} ms`);
  findings.check('every server reports that the database is away', waited.every(Boolean), waited);
  const health = await Promise.all(servers.ports.map((port) => send({ port }, '', 'GET', '/healthz')));
  findings.check('every server stays healthy without a database', health.every(succeeded), tally(health));
}

async function comeBack(findings: Findings, servers: Servers): Promise<void> {
  const startedAt = performance.now();
  const isReady = async (port: number): Promise<boolean> => succeeded(await servers.balancer.check(port));
  const ready = await Promise.all(servers.ports.map((port) => holdsWithin(15, () => isReady(port))));
  findings.figure('all ready after', `${Math.round(performance.now() - startedAt)} ms`);
  findings.check('every server is ready again within 15000 ms', ready.every(Boolean), ready);
  await sleep(3_000);
  const [client] = servers.clients;
  const calm = await Promise.all(
    servers.ports.map((port) => send({ port }, client?.tenant.token ?? '', 'GET', '/v1/keys')),
  );
  findings.check('nothing is refused once both serve', calm.every(succeeded), tally(calm));
}

export const fleet: Part = {
  name: 'fleet',
  about: 'eight servers on one database are started, restarted, upgraded and stopped under load',
  unavailable: withoutStandby,
  trials: [rolling, behindPgbouncer, pooledConnections, readiness, upgrade],
};
