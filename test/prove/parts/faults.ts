import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatApiKey } from '@eaas/protocol/wire';
import type postgres from 'postgres';
import { type Answer, send } from '@eaas/test-kit/faults/client';
import { longest, newDek, tally } from '@eaas/test-kit/faults/load';
import { connectTo } from '@eaas/test-kit/faults/place';
import type { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { startPostgres } from '../machine/postgres.ts';
import type { Part, Trial } from '../trial.ts';
import { brokenConnections } from './broken-connections.ts';
import { starved } from './starved.ts';
import { UnderLoad } from './under-load.ts';

/** All requests of the server to the database time out within 5.2 s. */
const long = 5_200;

interface Bench {
  readonly load: UnderLoad;
  readonly database: OwnPostgres;
  readonly sql: postgres.Sql;
}

type Faults = Readonly<Record<string, (bench: Bench) => Promise<unknown>>>;

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

async function crash({ database }: Bench, away: number): Promise<void> {
  await database.crash();
  await sleep(away);
  await database.start();
}

async function freeze({ database }: Bench, which: 'all' | 'backends'): Promise<void> {
  await database.freeze(which);
  await sleep(long);
  database.thaw();
}

const serverFaults: Faults = {
  'first server killed': ({ load }) => load.restart(0),
  'second server killed': ({ load }) => load.restart(1),
};

const databaseFaults: Faults = {
  'database killed and started': (bench) => crash(bench, 0),
  'database away for half a second': (bench) => crash(bench, 500),
  'database away for 5 s': (bench) => crash(bench, long),
  'database stopped for 5 s': (bench) => freeze(bench, 'all'),
};

const connectionFaults: Faults = {
  'backends stopped for 5 s': (bench) => freeze(bench, 'backends'),
  async 'every backend terminated, 40 times in 5 s'({ sql }) {
    for (let nth = 0; nth < 40; nth++) {
      await terminate(sql);
      await sleep(125);
    }
  },
  'heads of the log held for 5 s': ({ sql }) =>
    sql.begin(async (tx) => {
      await tx`select from eaas.audit_heads for update`;
      await sleep(long);
    }),
  'statement_timeout of 1 ms': ({ sql }) =>
    withRole(sql, 'set statement_timeout = 1', 'reset statement_timeout'),
  'one connection allowed': ({ sql }) => withRole(sql, 'connection limit 1', 'connection limit -1'),
  'role may not log in': ({ sql }) => withRole(sql, 'nologin', 'login'),
};

function faultTrial(name: string, about: string, times: number, faults: Faults): Trial {
  return {
    name,
    about: `${about} under load`,
    limit: 180,
    async run(findings) {
      const database = await startPostgres(findings);
      const load = await UnderLoad.start(findings, database.url);
      const sql = connectTo(database);
      findings.defer(() => sql.end({ timeout: 1 }));
      for (const [what, inflict] of Object.entries(faults)) {
        for (let nth = 0; nth < times; nth++) {
          await inflict({ load, database, sql });
          await load.recovers(what);
        }
      }
      await load.judge();
    },
  };
}

const readsOf = (keyId: string): readonly string[] => [
  '/v1/keys',
  `/v1/keys/${keyId}`,
  `/v1/keys/${keyId}/public-key`,
  '/v1/audit',
  '/v1/audit/checkpoint',
  '/v1/usage',
  '/v1/api-keys',
];

const changesOf = (keyId: string): readonly (readonly [path: string, body: object])[] => [
  [`/v1/keys/${keyId}/wrap`, { dek: newDek() }],
  [`/v1/keys/${keyId}/rotate`, {}],
  ['/v1/keys', { name: `another ${newDek()}` }],
  ['/v1/api-keys', { name: 'another', permissions: ['encrypt'] }],
];

const frozen: Trial = {
  name: 'frozen',
  about: 'calls of every kind are sent while the database does not respond',
  limit: 120,
  async run(findings) {
    const database = await startPostgres(findings);
    const bench = await UnderLoad.start(findings, database.url);
    await database.freeze('all');
    const [reads, changes]: [Promise<Answer>[], Promise<Answer>[]] = [[], []];
    for (const { tenant, keyId } of bench.loaded) {
      for (const place of bench.replicas) {
        const post = (path: string, body: object) => send(place, tenant.token, 'POST', path, body);
        const paths = [...readsOf(keyId), ...readsOf(keyId)];
        reads.push(...paths.map((path) => send(place, tenant.token, 'GET', path)));
        reads.push(post('/v1/hash', { key_id: keyId, value: 'x' }));
        changes.push(...changesOf(keyId).map(([path, body]) => post(path, body)));
      }
    }
    const unknown = formatApiKey(randomBytes(32));
    const strangers = bench.replicas.map((place) => send(place, unknown, 'GET', '/v1/keys'));
    const unwritten = new Set(await Promise.all(changes));
    const answers = [...(await Promise.all([...reads, ...strangers])), ...unwritten];
    const waited = Math.round(longest(await Promise.all(strangers)));
    database.thaw();
    findings.answer(tally(answers));
    const slowest = Math.round(longest(answers));
    findings.check('no call waits longer than 5 s for a frozen database', slowest < 5_000, `${slowest} ms`);
    findings.check('no call with an unknown API key waits longer than 3 s', waited < 3_200, `${waited} ms`);
    const wrong = answers.filter(
      (answer) =>
        answer.code !== 'unavailable' && !(unwritten.has(answer) && answer.code === 'audit_unwritten'),
    );
    findings.check('a call that cannot reach the database is refused', wrong.length === 0, tally(wrong));
    await bench.recovers('database frozen');
    await bench.judge();
    for (const replica of bench.replicas) replica.signal('SIGTERM');
    const ends = await Promise.all(bench.replicas.map(({ ended }) => ended));
    const stopped = ends.every(({ code }) => code === 0);
    findings.check('a server that survived stops on SIGTERM', stopped, ends);
  },
};

export const faults: Part = {
  name: 'faults',
  about: 'servers, the database and its connections break under load',
  trials: [
    faultTrial('servers', 'servers are killed', 2, serverFaults),
    faultTrial('database', 'the database crashes or stops', 2, databaseFaults),
    faultTrial('connections', 'the connections to the database break or hang', 1, connectionFaults),
    brokenConnections({}),
    brokenConnections({ isTls: true }),
    brokenConnections({ tenants: 8 }),
    frozen,
    starved,
  ],
};
