import { execFile } from 'node:child_process';
import { mkdir, open, truncate } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type postgres from 'postgres';
import { succeeded, tally } from '@eaas/test-kit/faults/load';
import { newKey, operate } from '@eaas/test-kit/faults/place';
import { median } from '@eaas/test-kit/statistics';
import { giveTo, postgresAccount, runs } from '../../../../packages/dev/src/account.ts';
import { judgeNoLoss } from '../../judge-log.ts';
import { Cluster, withoutStandby } from '../../machine/cluster.ts';
import { repeat } from '../../machine/repeat.ts';
import { startServer } from '../../machine/server.ts';
import { Switch } from '../../machine/switch.ts';
import { holdsWithin, until } from '../../machine/until.ts';
import { type Findings, type Part, scaled, type Trial } from '../../trial.ts';
import { SecondTenant } from '../fairness/second-tenant.ts';
import { failOver } from '../failover-synchronous.ts';
import { UnderLoad } from '../under-load.ts';
import { openLog } from './witnessed-log.ts';

const run = promisify(execFile);

async function loaded(findings: Findings, cluster: Cluster) {
  const road = await Switch.open(findings, cluster);
  const log = await openLog(findings);
  const bench = await UnderLoad.start(findings, road, (operator) => log.begin(operator));
  const tenants = bench.loaded.map(({ tenant }) => tenant);
  return { road, log, bench, tenants };
}

/** Waits for the next moment, and then for so many milliseconds that it can be anywhere in it, or over. */
async function inMoment(sql: postgres.Sql): Promise<void> {
  const isHeld = async () =>
    (await sql`select from eaas.leases where job = 'log_moment' and expires_at > eaas.now_ms()`).length > 0;
  for (const deadline = performance.now() + 90_000; !(await isHeld()); await sleep(1))
    if (performance.now() > deadline) throw new Error('expected within 90 s: a moment begins');
  await sleep(300 * Math.random());
}

const killed: Trial = {
  name: 'killed',
  about: 'both servers are killed again and again in the middle of moments, under load',
  limit: 600,
  async run(findings) {
    const cluster = await Cluster.create(findings);
    const { log, bench, tenants } = await loaded(findings, cluster);
    const sql = cluster.connect(findings, 'superuser');
    const newest = async () => (await sql`select * from eaas.log_moments order by index desc limit 1`)[0];
    for (let nth = 0; nth < scaled(12); nth++) {
      const before = await newest();
      await inMoment(sql);
      const restarted = Promise.all([bench.restart(0), bench.restart(1)]);
      await sleep(100);
      const after = await newest();
      const isNew = after?.['index'] !== before?.['index'];
      const step = isNew ? (after?.['witnessed'] ? 'it was witnessed' : 'its commit') : 'before its commit';
      findings.try(`both servers killed in a moment, ${isNew ? 'after ' : ''}${step}`);
      // As if the minute were over for which a killed server has the lease.
      await sql`update eaas.leases set expires_at = 0 where job = 'log_moment'`;
      await restarted;
    }
    await log.judge(bench.place(0), tenants);
    await bench.judge();
    await judgeNoLoss(findings, bench.replicas);
  },
};

const fullDisk: Trial = {
  name: 'full-disk',
  about: 'the disk of the tables of the public log is full during moments, under load',
  limit: 600,
  async unavailable() {
    const canMount = await runs(['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
    return canMount ? undefined : 'the account must not mount a file system';
  },
  async run(findings) {
    const cluster = await Cluster.create(findings);
    const { log, bench, tenants } = await loaded(findings, cluster);
    const sql = cluster.connect(findings, 'superuser');
    const filler = await moveLog(findings, sql);
    const noSpace = () =>
      bench.replicas.reduce((sum, { log: lines }) => sum + lines().split('"53100"').length - 1, 0);
    for (let pages = 0; pages < scaled(4); pages++) {
      const before = noSpace();
      await fill(filler, pages);
      await until('a moment finds no space', 60, async () => noSpace() > before);
      await truncate(filler, 0);
      await log.judge(bench.place(0), tenants);
    }
    findings.try('moment without space on the disk', noSpace());
    await bench.judge();
  },
};

/** Moves the tables of the log to a disk of their own, and returns the path of a file there. Each new row needs space. */
async function moveLog(findings: Findings, sql: postgres.Sql): Promise<string> {
  const disk = await findings.newDirectory();
  await run('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk]);
  findings.defer(() => run('umount', ['--lazy', disk]));
  const tables = join(disk, 'tables');
  await mkdir(tables);
  await giveTo(await postgresAccount(), tables);
  await sql.unsafe(`create tablespace small location '${tables}'`);
  for (const table of ['log_tiles', 'log_moments', 'log_proofs'])
    await sql.unsafe(`alter table eaas.${table} set (fillfactor = 10), set tablespace small`);
  return join(disk, 'filler');
}

/** Fills a disk with a file, but for some pages of 8 KiB. */
async function fill(path: string, pages: number): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (;;) await file.write(Buffer.alloc(4_096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    await file.truncate((await file.stat()).size - pages * 8_192);
  } finally {
    await file.close();
  }
}

const synchronous: Trial = {
  name: 'synchronous',
  about: 'the primary is killed in the middle of a moment, the synchronous standby promoted, under load',
  limit: 600,
  async run(findings) {
    let primary = await Cluster.create(findings);
    const { log, bench, tenants } = await loaded(findings, primary);
    for (let round = 0; round < scaled(2); round++) {
      await log.grows();
      primary = await failOver(findings, {
        bench,
        primary,
        manner: 'closed',
        backWithin: 5_000,
        due: (cluster) => inMoment(cluster.connect(findings, 'superuser')),
      });
      await log.judge(bench.place(round % 2), tenants);
    }
    await bench.judge();
    await judgeNoLoss(findings, bench.replicas);
  },
};

const asynchronous: Trial = {
  name: 'asynchronous',
  about: 'the standby that takes over does not have the last moment, which a witness has signed',
  limit: 600,
  async run(findings) {
    const primary = await Cluster.create(findings);
    const { road, log, bench, tenants } = await loaded(findings, primary);
    await log.grows();
    const standby = await primary.standby(findings);
    await primary.cutOff(standby);
    await log.grows();
    road.cut('closed');
    await primary.kill();
    await standby.promote();
    road.lead(standby);
    const switchedAt = performance.now();
    findings.try('primary killed a moment ahead of its standby');
    const sql = standby.connect(findings, 'superuser');
    const logs = () => sql`select from eaas.log_keys where halted is not null`;
    await holdsWithin(90, async () => (await logs()).length > 0);
    const halted = await log.halted();
    if (halted) findings.figure('halted', halted.reason.split('\n', 1)[0] ?? '');
    findings.check(
      'the public log that lost a moment halts, with its own signature as the evidence',
      halted !== undefined && halted.signed > 0,
      halted?.reason ?? 'it goes on',
    );
    await log.judge(bench.place(0), tenants, 'lost');
    const later = bench.between(switchedAt, performance.now());
    findings.answer(tally(later));
    findings.check(
      'the servers serve requests after the promotion of the standby',
      later.filter(succeeded).length > 50,
      tally(later),
    );

    await log.restart();
    await Promise.all([bench.restart(0), bench.restart(1)]);
    await log.judge(bench.place(1), tenants);
  },
};

const lies: readonly RequestListener[] = [
  (_, response) => void response.writeHead(409).end('1000000\n'),
  (_, response) => void response.writeHead(422).end('another tree\n'),
  (_, response) => void response.end(`— lies ${Buffer.alloc(76).toString('base64')}\n`),
  (_, response) => void response.end('x'.repeat(1_000_000)),
];

const witnesses: Trial = {
  name: 'witnesses',
  about: 'three of four witnesses lie, are slow and are down, while a tenant measures its requests',
  limit: 600,
  async run(findings) {
    const cluster = await Cluster.create(findings);
    const operator = await operate(cluster.url);
    const log = await openLog(findings, 'lies', 'slow', 'down');
    const server = await startServer(findings, { ...operator.env, ...(await log.begin(operator)) });
    const tenant = await operator.newTenant();
    const second = await SecondTenant.settle(operator, server);
    await operator.close();
    const [, lying, slow, down] = log.witnesses;
    if (!lying || !slow || !down) return;
    let asked = 0;
    const bad: RequestListener = (...all) => lies[asked++ % lies.length]?.(...all);
    const p99 = { good: [] as number[], bad: [] as number[] };
    for (let round = 0; round < 2 * scaled(3); round++) {
      const kind = round % 2 === 0 ? 'good' : 'bad';
      lying.instead = kind === 'bad' ? bad : undefined;
      slow.instead = kind === 'bad' ? () => {} : undefined;
      down.instead = kind === 'bad' ? ({ socket }) => void socket.destroy() : undefined;
      // 12 s, so that there is a moment.
      const measured = await second.measure(server, 2_400);
      findings.try(`measurement beside ${kind} witnesses`);
      findings.check(
        'the second tenant is never refused',
        measured.refused.length === 0,
        tally(measured.refused),
      );
      p99[kind].push(measured.p99);
    }
    const [beside, under] = [median(p99.good), median(p99.bad)];
    findings.figure('lies, of which none was believed', asked);
    findings.figure('p99 beside good witnesses', `${beside.toFixed(1)} ms`);
    findings.figure('p99 beside bad witnesses', `${under.toFixed(1)} ms`);
    findings.check(
      "a tenant's p99 latency beside bad witnesses is at most 50 ms, or 2 times that beside good ones",
      under <= Math.max(50, 2 * beside),
      `${under.toFixed(1)} ms`,
    );
    const stop = repeat(1_000, () => newKey(server, tenant.token));
    await log.judge(server, [tenant]);
    await stop();
  },
};

export const publicLog: Part = {
  name: 'public-log',
  about:
    'servers, disks, databases and witnesses fail, and no signed checkpoint of the public log is contradicted',
  unavailable: withoutStandby,
  trials: [killed, fullDisk, synchronous, asynchronous, witnesses],
};
