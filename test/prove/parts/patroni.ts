import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { succeeded, tally } from '../../faults/load.ts';
import { HighAvailability, withoutPatroni } from '../machine/patroni/high-availability.ts';
import type { Node } from '../machine/patroni/node.ts';
import { withoutPgbouncer } from '../machine/pgbouncer.ts';
import { metric } from '../machine/server.ts';
import { holdsWithin } from '../machine/until.ts';
import type { Findings, Part, Trial } from '../trial.ts';
import { UnderLoad } from './under-load.ts';

/**
 * In milliseconds. A failover takes up to the sum of Patroni's `ttl`, the election, the promotion and HAProxy's check.
 */
const patience = 60_000;

interface Scene {
  readonly findings: Findings;
  readonly database: HighAvailability;
  readonly bench: UnderLoad<HighAvailability>;
}

type Fault = (scene: Scene) => Promise<void>;

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;

async function takesOver({ findings, database, bench }: Scene, old: Node, since: number): Promise<void> {
  const changed = await holdsWithin(
    patience / 1_000,
    async () => ![undefined, old].includes(await database.primary()),
  );
  const promotedAt = performance.now();
  findings.figure('another primary after', seconds(promotedAt - since));
  findings.check('another node becomes the primary', changed, `not within ${patience} ms`);
  const waited = await bench.backAfter(promotedAt, patience);
  findings.figure('service back after', seconds(promotedAt + waited - since));
  findings.check('servers recover by themselves', waited < patience, `not within ${patience} ms`);
}

async function rejoins({ findings, database }: Scene, old: Node): Promise<void> {
  const startedAt = performance.now();
  const joined = await holdsWithin(patience / 1_000, async () =>
    (await database.standbys()).some(({ name }) => name === old.name),
  );
  findings.figure('the old primary is a standby after', seconds(performance.now() - startedAt));
  findings.check('the old primary becomes a standby', joined, `not within ${patience} ms`);
}

const kill: Fault = async (scene) => {
  const old = await scene.database.requirePrimary();
  const since = performance.now();
  await old.kill();
  scene.findings.try('PostgreSQL and Patroni of the primary killed');
  await takesOver(scene, old, since);
  await old.start();
  await rejoins(scene, old);
};

const silence: Fault = async (scene) => {
  const { findings, database } = scene;
  const old = await database.requirePrimary();
  const session = old.connect('eaas_owner', 'choose-one', 'eaas');
  findings.defer(() => session.end({ timeout: 1 }));
  await session`select`;
  const since = performance.now();
  await old.freeze();
  findings.try('PostgreSQL and Patroni of the primary stopped, then continued');
  await takesOver(scene, old, since);
  // Only synchronous replication protects the data here, because the stopped Patroni cannot demote the old primary.
  await old.thaw('postgres');
  findings.check('the old primary accepts no write', !(await acceptsWrite(session)));
  await old.thaw('patroni');
  await rejoins(scene, old);
};

async function acceptsWrite(session: postgres.Sql): Promise<boolean> {
  const write = session`create schema written_to_the_old_primary`.then(
    () => true,
    () => false,
  );
  return Promise.race([write, sleep(5_000, false)]);
}

const switchover: Fault = async (scene) => {
  const old = await scene.database.requirePrimary();
  const since = performance.now();
  await scene.database.patronictl('switchover');
  scene.findings.try('switchover');
  await takesOver(scene, old, since);
  await rejoins(scene, old);
};

function withoutEtcd(members: 'leader' | 'all'): Fault {
  return async ({ findings, database, bench }) => {
    const since = performance.now();
    await database.killEtcd(members);
    findings.try(members === 'all' ? 'all members of etcd killed' : 'leader of etcd killed');
    await sleep(30_000);
    await database.startEtcd();
    await sleep(10_000);
    const sent = bench.between(since, performance.now());
    const isServed = sent.length > 0 && sent.every(succeeded);
    findings.check('nothing is refused while members of etcd are away', isServed, tally(sent));
  };
}

const withoutStandbys: Fault = async ({ findings, database, bench }) => {
  const primary = await database.requirePrimary();
  const standbys = database.nodes.filter((node) => node !== primary);
  await Promise.all(standbys.map((node) => node.kill()));
  findings.try('both standbys killed');
  const killedAt = performance.now();
  await sleep(20_000);
  const answered = bench.between(killedAt, performance.now()).filter(succeeded);
  findings.check('nothing succeeds without a standby', answered.length === 0, tally(answered));
  const since = performance.now();
  for (const node of standbys) await node.start();
  const waited = await bench.backAfter(since, patience);
  findings.figure('service back after the start of the standbys', seconds(waited));
  findings.check('servers recover by themselves', waited < patience, `not within ${patience} ms`);
};

function patroniTrial(name: string, about: string, fault: Fault, pooled = false): Trial {
  return {
    name,
    about,
    limit: 360,
    unavailable: async () => (pooled ? withoutPgbouncer() : undefined),
    async run(findings) {
      const database = await HighAvailability.start(findings);
      const pool = pooled && { DATABASE_URL: await database.startPgbouncer() };
      const bench = await UnderLoad.start(findings, database, { ...pool });
      const since = performance.now();
      await fault({ findings, database, bench });
      await sleep(4_000);
      const now = performance.now();
      findings.figure('longest time without a success', seconds(bench.longestOutage(since, now)));
      const calm = bench.between(now - 2_000, now);
      const isCalm = calm.length > 0 && calm.every(succeeded);
      findings.check('nothing is refused once the database has been back for a while', isCalm, tally(calm));
      findings.figure('slowest response', seconds(bench.slowest()));
      await bench.judge(10);
      for (const replica of bench.replicas) {
        const wentBack = await metric(replica, 'eaas_audit_head_went_back_total');
        findings.check('no loss is reported where none was', wentBack === 0, `${wentBack}`);
      }
    },
  };
}

export const patroni: Part = {
  name: 'patroni',
  about: 'three nodes of PostgreSQL under Patroni with etcd, behind HAProxy, with the files of the example',
  unavailable: withoutPatroni,
  trials: [
    patroniTrial('kill', 'PostgreSQL and Patroni of the primary are killed under load', kill),
    patroniTrial('kill-pooled', 'the same kill, with pgbouncer between the servers and HAProxy', kill, true),
    patroniTrial('silence', 'the primary and its Patroni stop without a word, and continue later', silence),
    patroniTrial('switchover', 'an operator makes another node the primary', switchover),
    patroniTrial('etcd-leader', 'the leading member of etcd is away for 30 s', withoutEtcd('leader')),
    patroniTrial('etcd-all', 'every member of etcd is away for 30 s', withoutEtcd('all')),
    patroniTrial('standbys', 'both standbys are killed, and started later', withoutStandbys),
  ],
};
