import { type Answer, send } from '@eaas/test-kit/faults/client';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import type { Tenant } from '@eaas/test-kit/faults/place';
import type { Cluster } from '../../machine/cluster.ts';
import { withoutPgbouncer } from '../../machine/pgbouncer.ts';
import { repeat } from '../../machine/repeat.ts';
import { holdsWithin } from '../../machine/until.ts';
import type { Findings, Trial } from '../../trial.ts';
import { comeBack } from './come-back.ts';
import { populate, poolSize } from './populate.ts';
import { newKeyAt, Servers, serverCount } from './servers.ts';

/**
 * Each tenant keeps one connection busy. There are more tenants than a pool has connections, so all of them are busy.
 */
const tenantCount = 16;
/** A server replaces a connection pool if the database does not respond for 2 s. */
const shortSeconds = 1.5;
const longSeconds = 12;
/** A server has ten connections for changes and appends, and four for reads. */
const busy = 14 * serverCount;
const pause = 200;

interface Scene {
  readonly findings: Findings;
  readonly cluster: Cluster;
  readonly servers: Servers;
  readonly tenants: readonly Tenant[];
  readonly keyIds: readonly string[];
}

async function prepare(findings: Findings, pooled = false): Promise<Scene> {
  const { cluster, env, tenants } = await populate(findings, tenantCount, pooled);
  const servers = await Servers.start(findings, cluster, { env, tenants: [], inTurn: 0 });
  const [port = 0] = servers.ports;
  const keyIds: string[] = [];
  for (const { token } of tenants) keyIds.push(await newKeyAt({ port }, token));
  return { findings, cluster, servers, tenants, keyIds };
}

async function lockLogs(
  { findings, cluster, servers, tenants, keyIds }: Scene,
  isEnough: () => boolean,
  mostSeconds: number,
): Promise<number> {
  const sql = cluster.connect(findings, 'superuser');
  const answers: Answer[] = [];
  const repeatCall = (call: () => Promise<Answer>) => repeat(pause, async () => answers.push(await call()));
  let ending: Promise<void>[] = [];
  await sql.begin(async (tx) => {
    await tx`lock table eaas.audit_heads in access exclusive mode`;
    findings.try('all logs locked');
    const ends = tenants.flatMap(({ token }, nth) =>
      servers.ports.flatMap((port) => [
        repeatCall(() => send({ port }, token, 'POST', `/v1/keys/${keyIds[nth]}/wrap`, { dek: newDek() })),
        repeatCall(() => send({ port }, token, 'GET', '/v1/keys')),
      ]),
    );
    await holdsWithin(mostSeconds, async () => isEnough());
    ending = ends.map((end) => end());
  });
  // The repeated calls wait for a lock of the transaction above, so they end only after this transaction.
  await Promise.all(ending);
  findings.answer(tally(answers));
  return servers.connections.most;
}

export const connections: Trial = {
  name: 'connections',
  about: `each of ${tenantCount} tenants sends to each of eight servers, while all logs are locked for a short and for a long time`,
  limit: 600,
  async run(findings) {
    const scene = await prepare(findings);
    const watch = scene.servers.connections;
    const most = (await lockLogs(scene, () => watch.now >= busy, shortSeconds)) / serverCount;
    findings.figure('most connections of a server', most);
    findings.check('a server has at most 20 connections', most >= 10 && most <= 20, `${most}`);
    const inTrouble = (await lockLogs(scene, () => false, longSeconds)) / serverCount;
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
    const scene = await prepare(findings, true);
    checkPool(findings, await lockLogs(scene, () => false, shortSeconds));
    await scene.servers.judge();
  },
};

export function checkPool(findings: Findings, most: number): void {
  findings.figure('most connections', most);
  findings.check(`pgbouncer has at most ${poolSize} connections`, most > 0 && most <= poolSize, `${most}`);
}
