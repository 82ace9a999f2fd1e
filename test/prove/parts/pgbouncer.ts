import { setTimeout as sleep } from 'node:timers/promises';
import { eaas, run } from '@eaas/test-kit/program';
import { operate } from '@eaas/test-kit/faults/place';
import type { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { startPgbouncer, withoutPgbouncer } from '../machine/pgbouncer.ts';
import { startPostgres } from '../machine/postgres.ts';
import { type Findings, type Part, scaled, type Trial } from '../trial.ts';
import { brokenConnections } from './broken-connections.ts';
import { UnderLoad } from './under-load.ts';

const outage = 2_500;

function outages(loginRetry: number, rounds: number, kills: boolean): Trial {
  return {
    name: kills ? 'kills' : 'outages',
    about: `the database behind pgbouncer is away for 2.5 s; server_login_retry is ${loginRetry} s${
      kills ? '; servers are killed too' : ''
    }`,
    limit: 60 + rounds * (30 + 2 * loginRetry),
    async run(findings) {
      const database = await startPostgres(findings);
      const url = await startPgbouncer(findings, database, loginRetry);
      const bench = await UnderLoad.start(findings, database.url, { EAAS_DATABASE_URL: url });
      for (let round = 0; round < rounds; round++) {
        if (kills) await killServer(findings, bench, round % 2);
        await takeAway(findings, { bench, database, loginRetry });
      }
      await bench.judge();
    },
  };
}

async function killServer(findings: Findings, bench: UnderLoad, nth: number): Promise<void> {
  await bench.restart(nth);
  findings.try('server killed and started again');
  await sleep(500);
}

interface Outage {
  readonly bench: UnderLoad;
  readonly database: OwnPostgres;
  readonly loginRetry: number;
}

async function takeAway(findings: Findings, { bench, database, loginRetry }: Outage): Promise<void> {
  await database.crash();
  await sleep(outage);
  await database.start();
  findings.try('database killed, started 2.5 s later');
  const startedAt = performance.now();
  const patience = loginRetry * 1_000 + 8_000;
  const waited = await bench.backAfter(startedAt, patience);
  findings.longest('back after', waited);
  findings.check('servers recover by themselves', waited < patience, `not within ${patience} ms`);
  // Waits, because pgbouncer keeps reporting its last login error for some seconds after the database is back.
  await sleep(startedAt + patience - performance.now() - 2_000);
  await sleep(2_000);
  bench.checkNoRefusal('some seconds after the fault, every request succeeds', performance.now() - 2_000);
}

const start: Trial = {
  name: 'start',
  about: 'a server is started while the database behind pgbouncer is away',
  limit: 60,
  async run(findings) {
    const database = await startPostgres(findings);
    const url = await startPgbouncer(findings, database, 15);
    const operator = await operate(database.url);
    await operator.close();
    await database.crash();
    findings.try('start without a database');
    const { code, stderr } = await run([...eaas, 'serve'], {
      ...operator.env,
      EAAS_DATABASE_URL: url,
      EAAS_PORT: '0',
    });
    findings.check('a server that cannot start exits with code 3', code === 3, `${code}`);
    findings.check(
      'a server that cannot start prints no stack trace',
      !/^ +at /m.test(stderr),
      stderr.slice(0, 300),
    );
  },
};

export const pgbouncer: Part = {
  name: 'pgbouncer',
  about: 'the database goes away behind pgbouncer in transaction mode',
  unavailable: withoutPgbouncer,
  trials: [
    outages(15, scaled(2), false),
    outages(1, scaled(4), true),
    ...[false, true].map((isTls) => brokenConnections({ isTls, isPooled: true })),
    start,
  ],
};
