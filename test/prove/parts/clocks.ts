import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operate } from '@eaas/test-kit/faults/place';
import { Cluster, withoutStandby } from '../machine/cluster.ts';
import { startProbed } from '../machine/server.ts';
import type { Findings, Part, Trial } from '../trial.ts';
import { ClockWitness } from './clock-witness.ts';

const year = 366 * 86_400_000;
/** Within these milliseconds, the job that rotates and erases keys runs at least once. */
const longEnough = 13_000;

function replicaClock(name: string, milliseconds: number): Trial {
  return {
    name,
    about: `the clock of one of two servers steps a year ${milliseconds > 0 ? 'ahead' : 'back'}, under load`,
    limit: 120,
    async run(findings) {
      const { first: wrong, second: right, witness } = await watchedPair(findings);
      for (let blip = 0; blip < 20; blip++) {
        await wrong.stepClock(milliseconds);
        await Promise.all([witness.ask(wrong), sleep(10).then(() => wrong.stepClock(0))]);
        findings.try('step of some milliseconds');
        await sleep(100);
      }
      await wrong.stepClock(milliseconds);
      findings.try('step of 13 s');
      for (const until = performance.now() + longEnough; performance.now() < until; await sleep(500)) {
        await witness.ask(wrong);
        await witness.ask(right);
      }
      await wrong.stepClock(0);
      await sleep(7_000);
      await witness.judge();
    },
  };
}

const started: Trial = {
  name: 'replica-start',
  about: 'a server is started whose clock is a year ahead, with a retention of one month',
  limit: 90,
  async run(findings) {
    const cluster = await Cluster.create(findings, { fsync: 'off' });
    const operator = await operate(cluster.url);
    const env = { ...operator.env, EAAS_AUDIT_RETENTION_MONTHS: '1' };
    const right = await startProbed(findings, env);
    const witness = await ClockWitness.prepare(findings, operator, [right]);
    await operator.close();
    const wrong = await startProbed(findings, { ...env, PROVE_CLOCK: String(year) });
    findings.try('start with a clock a year ahead');
    for (const until = performance.now() + longEnough; performance.now() < until; await sleep(500)) {
      await witness.ask(wrong);
    }
    await witness.judge();
  },
};

const preload = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

async function withoutFaketime(): Promise<string | undefined> {
  return access(preload).then(
    () => undefined,
    () => 'libfaketime is not installed',
  );
}

function databaseClock(name: string, days: number): Trial {
  return {
    name,
    about: `the clock of the database steps a year ${days > 0 ? 'ahead' : 'back'} for 13 s, under load`,
    limit: 120,
    unavailable: withoutFaketime,
    async run(findings) {
      const setClock = await steppedClock(findings);
      const { witness } = await watchedPair(findings, setClock.env);
      await setClock.to(days);
      findings.try('step of 13 s');
      await sleep(longEnough);
      await setClock.to(0);
      await sleep(7_000);
      await witness.judge('database');
    },
  };
}

async function watchedPair(findings: Findings, clock: Record<string, string> = {}) {
  const cluster = await Cluster.create(findings, { fsync: 'off' }, clock);
  const operator = await operate(cluster.url);
  const env = { ...operator.env, EAAS_AUDIT_RETENTION_MONTHS: '1' };
  const [first, second] = [await startProbed(findings, env), await startProbed(findings, env)];
  const witness = await ClockWitness.prepare(findings, operator, [first, second]);
  await operator.close();
  return { first, second, witness };
}

async function steppedClock(
  findings: Findings,
): Promise<{ env: Record<string, string>; to(days: number): Promise<void> }> {
  const directory = await findings.newDirectory();
  const file = join(directory, 'clock');
  const to = (days: number): Promise<void> => writeFile(file, days < 0 ? `${days}d` : `+${days}d`);
  await to(0);
  const env = {
    LD_PRELOAD: preload,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { env, to };
}

export const clocks: Part = {
  name: 'clocks',
  about: 'clocks that are a year off expire, revive, rotate, erase and purge nothing',
  unavailable: withoutStandby,
  trials: [
    replicaClock('replica-ahead', year),
    replicaClock('replica-behind', -year),
    started,
    databaseClock('database-ahead', 366),
    databaseClock('database-behind', -366),
  ],
};
