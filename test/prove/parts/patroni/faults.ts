import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { send } from '@eaas/test-kit/faults/client';
import { succeeded, tally } from '@eaas/test-kit/faults/load';
import type { HighAvailability } from '../../machine/patroni/high-availability.ts';
import { passwords } from '../../machine/patroni/files.ts';
import type { Node } from '../../machine/patroni/node.ts';
import { isRunning } from '../../machine/patroni/printed.ts';
import { holdsWithin } from '../../machine/until.ts';
import type { Findings } from '../../trial.ts';
import type { UnderLoad } from '../under-load.ts';
import { useSdk } from './sdk-calls.ts';

/** A failover takes at most Patroni's `ttl` plus the time of the election, the promotion and HAProxy's check. */
const patience = 60;
/** Patroni's `ttl` and a promotion together take less than 45 s. */
const longerThanFailover = 45_000;
/** If a standby can start, it receives WAL within 20 s. */
const longerThanStart = 20_000;

interface Scene {
  readonly findings: Findings;
  readonly database: HighAvailability;
  readonly bench: UnderLoad<HighAvailability>;
}

export type Fault = (scene: Scene) => Promise<void>;

export const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;

async function takesOver(scene: Scene, old: Node, since: number): Promise<void> {
  const { findings, database } = scene;
  const changed = await holdsWithin(
    patience,
    async () => ![undefined, old].includes(await database.primary()),
  );
  const promotedAt = performance.now();
  findings.figure('another primary after', seconds(promotedAt - since));
  findings.check('another node becomes the primary', changed, `not within ${patience} s`);
  const waited = await isBack(scene, promotedAt);
  findings.figure('service back after', seconds(promotedAt + waited - since));
}

async function isBack({ findings, bench }: Scene, since: number): Promise<number> {
  const waited = await bench.backAfter(since, patience * 1_000);
  findings.check('servers recover by themselves', waited < patience * 1_000, `not within ${patience} s`);
  return waited;
}

async function rejoins({ findings, database }: Scene, node: Node, what = 'old primary'): Promise<void> {
  const startedAt = performance.now();
  const joined = await holdsWithin(patience, async () =>
    (await database.standbys()).some(({ name }) => name === node.name),
  );
  findings.figure(`the ${what} is a standby after`, seconds(performance.now() - startedAt));
  findings.check(`the ${what} becomes a standby`, joined, `not within ${patience} s`);
}

export const kill: Fault = async (scene) => {
  const old = await scene.database.requirePrimary();
  const judgeSdk = await useSdk(scene.findings, scene.bench);
  const since = performance.now();
  await old.kill();
  scene.findings.try('PostgreSQL and Patroni of the primary killed');
  await takesOver(scene, old, since);
  await judgeSdk();
  await old.start();
  await rejoins(scene, old);
};

export const silence: Fault = async (scene) => {
  const { findings, database } = scene;
  const old = await database.requirePrimary();
  const session = old.connect('eaas_owner', passwords.owner, 'eaas');
  findings.defer(() => session.end({ timeout: 1 }));
  await session`select`;
  const since = performance.now();
  await old.freeze();
  findings.try('PostgreSQL and Patroni of the primary stopped, then continued');
  await takesOver(scene, old, since);
  // PostgreSQL of the old primary continues before Patroni, so Patroni cannot demote it. Only synchronous replication
  // can now prevent writes to the old primary.
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

export const switchover: Fault = async (scene) => {
  const old = await scene.database.requirePrimary();
  const since = performance.now();
  await scene.database.patronictl('switchover');
  scene.findings.try('switchover');
  await takesOver(scene, old, since);
  await rejoins(scene, old);
};

/**
 * Runs the manual's `reinit` command, which replaces the database of `db1` by a copy of the primary's. If `db1` is the
 * primary, a switchover comes first.
 */
export const reinit: Fault = async (scene) => {
  const { findings, database } = scene;
  const node = database.requireNode('db1');
  if ((await database.requirePrimary()) === node) {
    await switchover(scene);
    await database.complete();
  }
  await node.kill();
  await node.loseControlFile();
  await node.start();
  findings.try('control file of a standby deleted');
  const isShown = async (): Promise<boolean> =>
    (await database.list()).some((member) => member.name === node.name && !isRunning(member));
  const wasShown = await holdsWithin(patience, isShown);
  // Waits longer than a standby needs to start. A standby that is not running then cannot start at all.
  await sleep(longerThanStart);
  const listed = await database.list();
  findings.check(
    '`patronictl list` shows that the standby does not run',
    wasShown && (await isShown()),
    listed,
  );
  await database.patronictl('reinit');
  await rejoins(scene, node, 'copied standby');
  await database.complete();
};

export function withoutEtcd(members: 'leader' | 'all'): Fault {
  return async ({ findings, database, bench }) => {
    const since = performance.now();
    await database.etcd.kill(members);
    findings.try(members === 'all' ? 'all members of etcd killed' : 'leader of etcd killed');
    await sleep(30_000);
    await database.etcd.start();
    await sleep(10_000);
    bench.checkNoRefusal('every request succeeds while members of etcd are down', since);
  };
}

export const withoutStandbys: Fault = async (scene) => {
  const { findings, database, bench } = scene;
  const primary = await database.requirePrimary();
  const standbys = database.nodes.filter((node) => node !== primary);
  await Promise.all(standbys.map((node) => node.kill()));
  findings.try('both standbys killed');
  const killedAt = performance.now();
  await sleep(20_000);
  const answered = bench.between(killedAt, performance.now()).filter(succeeded);
  findings.check('no request succeeds while both standbys are down', answered.length === 0, tally(answered));
  const { status, body } = await send(bench.place(0), '', 'GET', '/readyz');
  const reasons = JSON.stringify(body['reasons']);
  const isReported = status === 503 && reasons.includes('audit entries cannot be written');
  findings.check('/readyz says that audit entries cannot be written', isReported, `${status} ${reasons}`);
  const since = performance.now();
  for (const node of standbys) await node.start();
  findings.figure('service back after the start of the standbys', seconds(await isBack(scene, since)));
};

export const twoMachines: Fault = async (scene) => {
  const { findings, database } = scene;
  const primary = await database.requirePrimary();
  const synchronous = (await database.standbys()).find(({ isSynchronous }) => isSynchronous);
  const lost = [primary, database.requireNode(synchronous?.name ?? '')];
  await Promise.all(lost.map((node) => node.kill()));
  findings.try('the primary and the synchronous standby killed');
  const promoted = await holdsWithin(
    longerThanFailover / 1_000,
    async () => (await database.primary()) !== undefined,
  );
  findings.check('Patroni promotes no other node', !promoted);
  const since = performance.now();
  for (const node of lost) await node.start();
  findings.figure('service back after the start of both nodes', seconds(await isBack(scene, since)));
};
