import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { Cluster, withoutStandby } from '../machine/cluster.ts';
import type { Findings, Part, Trial } from '../trial.ts';
import { frozen } from './frozen.ts';
import { recovers } from './recovers.ts';
import { UnderLoad } from './under-load.ts';

/** All requests of the server to the database time out within 5.2 s. */
const long = 5_200;

interface Fault {
  readonly what: string;
  readonly times: number;
  inflict(bench: UnderLoad, sql: postgres.Sql): Promise<unknown>;
}

const server = 'eaas_server';

const terminate = (sql: postgres.Sql): Promise<unknown> =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${server}`;

async function withRole(sql: postgres.Sql, bad: string, good: string): Promise<void> {
  await sql.unsafe(`alter role ${server} ${bad}`);
  await terminate(sql);
  await sleep(3_000);
  await sql.unsafe(`alter role ${server} ${good}`);
  await terminate(sql);
}

async function crash({ cluster }: UnderLoad, away: number): Promise<void> {
  await cluster.kill();
  await sleep(away);
  await cluster.start();
}

const serverFaults: readonly Fault[] = [
  { what: 'first server killed', times: 2, inflict: (bench) => bench.restart(0) },
  { what: 'second server killed', times: 2, inflict: (bench) => bench.restart(1) },
];

const databaseFaults: readonly Fault[] = [
  { what: 'database killed and started', times: 3, inflict: (bench) => crash(bench, 0) },
  { what: 'database away for half a second', times: 2, inflict: (bench) => crash(bench, 500) },
  { what: 'database away for 5 s', times: 1, inflict: (bench) => crash(bench, long) },
  {
    what: 'database stopped for 5 s',
    times: 1,
    async inflict({ cluster }) {
      await cluster.freeze();
      await sleep(long);
      cluster.thaw();
    },
  },
];

const connectionFaults: readonly Fault[] = [
  {
    what: 'backends stopped for 5 s',
    times: 1,
    async inflict({ cluster }) {
      await cluster.freeze(server);
      await sleep(long);
      cluster.thaw();
    },
  },
  {
    what: 'every backend terminated, 40 times in 5 s',
    times: 1,
    async inflict(_, sql) {
      for (let nth = 0; nth < 40; nth++) {
        await terminate(sql);
        await sleep(125);
      }
    },
  },
  {
    what: 'heads of the log held for 5 s',
    times: 1,
    inflict: (_, sql) =>
      sql.begin(async (tx) => {
        await tx`select from eaas.audit_heads for update`;
        await sleep(long);
      }),
  },
  {
    what: 'statement_timeout of 1 ms',
    times: 1,
    inflict: (_, sql) => withRole(sql, 'set statement_timeout = 1', 'reset statement_timeout'),
  },
  {
    what: 'one connection allowed',
    times: 1,
    inflict: (_, sql) => withRole(sql, 'connection limit 1', 'connection limit -1'),
  },
  { what: 'role may not log in', times: 1, inflict: (_, sql) => withRole(sql, 'nologin', 'login') },
];

function faultTrial(name: string, about: string, faults: readonly Fault[]): Trial {
  return {
    name,
    about,
    limit: 180,
    async run(findings) {
      const cluster = await Cluster.create(findings);
      const bench = await UnderLoad.start(findings, cluster);
      for (const fault of faults) {
        for (let nth = 0; nth < fault.times; nth++) await inflict(findings, bench, fault);
      }
      await bench.judge();
    },
  };
}

async function inflict(findings: Findings, bench: UnderLoad, fault: Fault): Promise<void> {
  const sql = bench.cluster.connect(findings, 'superuser');
  findings.try(fault.what);
  await fault.inflict(bench, sql);
  await recovers(findings, bench, fault.what);
}

export const faults: Part = {
  name: 'faults',
  about: 'servers, the database and its connections break under load',
  unavailable: withoutStandby,
  trials: [
    faultTrial('servers', 'servers are killed under load', serverFaults),
    faultTrial('database', 'the database crashes or stops under load', databaseFaults),
    faultTrial('connections', 'the connections to the database break or hang under load', connectionFaults),
    frozen,
  ],
};
