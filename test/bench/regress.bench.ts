import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { programOf } from '@eaas/test-kit/built-program';
import { jsonLines } from '@eaas/test-kit/command-line';
import { environmentOf } from '@eaas/test-kit/database';
import type { Replica } from '@eaas/test-kit/faults/place';
import { root } from '@eaas/test-kit/markdown';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { run } from '@eaas/test-kit/program';
import { median } from '@eaas/test-kit/statistics';
import { type Burst, getRequest, postRequest } from './burst.ts';
import { startOf, starts } from './client-start.ts';
import { startClient, type Work, works } from './client-work.ts';
import type { Defer, Report, Round } from './compare.ts';
import { cpuMicrosecondsOfEach } from './cpu-time.ts';
import { built, checkOut, chooseEarlier, git } from './earlier.ts';
import { inTurns } from './in-turns.ts';
import { startDeferred } from './open-operator.ts';
import {
  batchRequest,
  type Customer,
  encryptOf,
  hashOf,
  newCustomers,
  unwrapOf,
  wrapOf,
} from './operations.ts';
import { repeated, type Sender, withSenders } from './senders.ts';
import { summaryOf, tableOfVerdicts, verdictOf } from './verdicts.ts';

const seconds = { servers: 120, clients: 180 };
const warmUps = 3;
const clientsOfBuild = 4;
const mostTenants = 64;

export const benchmark: Report = {
  name: 'regress',
  about: `this checkout compared with an earlier commit, in short turns, ${seconds.servers} s for servers and ${seconds.clients} s for clients, each on its own PostgreSQL that does not wait for the disk. Less is better in every row; the ratio is the median of all rounds`,
  async *report(defer) {
    const earlier = chooseEarlier(process.env['BENCH_EARLIER'] ?? '', git, existsSync);
    const what = 'commit' in earlier ? git('log', '-1', '--format=%h %s', earlier.commit) : earlier.directory;
    yield `earlier: ${what} (${earlier.reason})\nbuilding and starting both …`;
    const begin = performance.now();
    const now = await start(await built(root, defer), defer);
    const before = await start(await checkOut(earlier, defer), defer);
    yield `  took ${since(begin)} s\nmeasuring …`;
    const taken = new Map<string, Round[]>();
    yield* measure(ofServers, seconds.servers, [now, before], taken);
    yield* measure(ofClients, seconds.clients, [now, before], taken);
    const verdicts = Array.from(taken, ([name, rounds]) => verdictOf(name, rounds.slice(warmUps)));
    yield* ['', ...tableOfVerdicts(verdicts), '', summaryOf(verdicts)];
  },
};

const since = (begin: number): number => Math.round((performance.now() - begin) / 1_000);

/** Measures each part in both orders, because what is first after a pause is slower. */
async function* measure(
  parts: readonly Part[],
  length: number,
  [now, before]: Builds,
  taken: Map<string, Round[]>,
): AsyncGenerator<string> {
  const begin = performance.now();
  for (let round = 1; since(begin) < length; round++) {
    for (const { measure, rows } of parts) {
      const [ours, reference] = await measure([now, before], round);
      const [referenceToo, oursToo] = await measure([before, now], round);
      for (const [name, of] of Object.entries(rows)) {
        const mean = (one: Figures, other: Figures): number => ((one[of] ?? 0) + (other[of] ?? 0)) / 2;
        const row = { ours: mean(ours, oursToo), reference: mean(reference, referenceToo) };
        taken.set(name, [...(taken.get(name) ?? []), row]);
      }
    }
    if (round % 5 === 0) yield `  ${since(begin)} of ${length} s, ${round} rounds`;
  }
}

interface Build {
  readonly checkout: string;
  readonly postgres: OwnPostgres;
  readonly server: Replica;
  readonly customers: readonly Customer[];
  readonly client: (work: Work, round: number) => Promise<number>;
}

type Builds = readonly [first: Build, second: Build];

/** Each build makes its own tables and tenant, because those of another version can differ. */
async function start(checkout: string, defer: Defer): Promise<Build> {
  const postgres = await OwnPostgres.start('installed', false);
  defer(postgres.drop);
  const known = environmentOf(postgres.url);
  // Earlier builds read DATABASE_URL.
  const env = { ...known, DATABASE_URL: known.EAAS_DATABASE_URL };
  const program = [process.execPath, '--enable-source-maps', programOf(checkout)];
  const command = async (...args: readonly string[]): Promise<Record<string, string>> => {
    const { code, stdout, stderr } = await run([...program, ...args, '--json'], env);
    if (code !== 0) throw new Error(`eaas ${args.join(' ')} failed (${code}):\n${stdout}${stderr}`);
    return jsonLines<Record<string, string>>(stdout)[0] ?? {};
  };
  await command('migrate');
  let count = 0;
  const newTenant = async () => {
    const name = `bench ${++count}`;
    await command('tenant', 'create', '--name', name, '--envelope-only', 'false');
    const all = ['--name', 'all', '--permissions', 'all'];
    const { api_key = '' } = await command('api-key', 'create', '--tenant', name, ...all);
    return { token: api_key };
  };
  const server = await startDeferred(defer, env, program);
  const customers = await newCustomers({ newTenant }, server, mostTenants);
  // V8 compiles the same code differently from process to process, by up to 40 %.
  const clients: Awaited<ReturnType<typeof startClient>>[] = [];
  for (let nth = 0; nth < clientsOfBuild; nth++) {
    clients.push(await startClient(checkout, postgres.connection('owner'), defer));
  }
  const client = async (work: Work, round: number) => (await clients[round % clientsOfBuild]?.(work)) ?? 0;
  return { checkout, postgres, server, customers, client };
}

/** Microseconds of an item; `server`, `postgres` and `both` are CPU time. */
type Figures = Partial<Record<'p50' | 'time' | 'server' | 'postgres' | 'both', number>>;

interface Part {
  readonly measure: (builds: Builds, round: number) => Promise<readonly [first: Figures, second: Figures]>;
  readonly rows: Readonly<Record<string, keyof Figures>>;
}

function calls(
  turns: number,
  textOf: (one: Customer) => Sender['text'],
  rows: Part['rows'],
  { size = 1, connections = 1, tenants = 1 } = {},
): Part {
  const callsOfTurn = 8 * connections;
  const items = turns * callsOfTurn * size;
  const measure = async (builds: Builds, [first, second]: readonly Burst[]): ReturnType<Part['measure']> => {
    const timeOf = (burst: Burst | undefined) => async () => {
      const begin = performance.now();
      await burst?.run(callsOfTurn);
      return (1_000 * (performance.now() - begin)) / (callsOfTurn * size);
    };
    const cpuBefore = await cpuOf(builds);
    const time = await inTurns(timeOf(first), timeOf(second), { rounds: turns, warmUps: 0 });
    const cpu = (await cpuOf(builds)).map((value, at) => (value - (cpuBefore[at] ?? 0)) / items);
    const figures = (time: number, server = 0, postgres = 0, burst?: Burst): Figures => ({
      p50: 1_000 * median(burst?.milliseconds.slice(connections) ?? []),
      time,
      server,
      postgres,
      both: server + postgres,
    });
    return [figures(time.ours, cpu[0], cpu[1], first), figures(time.reference, cpu[2], cpu[3], second)];
  };
  return {
    rows,
    measure(builds) {
      const senders = builds.map(({ server: replica, customers }) => ({
        text: inTurn(customers.slice(0, tenants).map(textOf)),
        replica,
        connections,
      }));
      return repeated(() => withSenders(senders, 2 * connections, (bursts) => measure(builds, bursts)));
    },
  };
}

/** The requests of many tenants, one after the other. */
function inTurn(texts: readonly Sender['text'][]): Sender['text'] {
  const [only = '', ...others] = texts;
  if (others.length === 0) return only;
  let nth = 0;
  return () => {
    const text = texts[nth++ % texts.length] ?? '';
    return typeof text === 'string' ? text : text();
  };
}

const cpuOf = (builds: Builds): Promise<number[]> =>
  cpuMicrosecondsOfEach(builds.flatMap(({ server, postgres }) => [server.pid, postgres.pid]));

const verifyOf = ({ headers }: Customer): string =>
  getRequest('/v1/audit/verify?from_id=1&to_id=1000', headers);
const auditOf = ({ headers }: Customer): string => getRequest('/v1/audit?limit=100', headers);
const newKeyOf =
  ({ headers }: Customer) =>
  () =>
    postRequest('/v1/keys', headers, { name: randomBytes(16).toString('hex') });

const batchOf = (verb: 'wrap' | 'unwrap') => (one: Customer) => batchRequest(verb, one, 100);

function ofClient(name: string, measure: (build: Build, round: number) => Promise<number>): Part {
  const measureEach = async ([first, second]: Builds, round: number) =>
    [{ time: await measure(first, round) }, { time: await measure(second, round) }] as const;
  return { rows: { [`${name}, CPU of the client`]: 'time' }, measure: measureEach };
}

/** The cheapest calls come first, because a server still works for a while after a burst. */
const ofServers: readonly Part[] = [
  calls(10, wrapOf, {
    'wrap alone, median latency': 'p50',
    'wrap alone, CPU of the server': 'server',
    'wrap alone, CPU of PostgreSQL': 'postgres',
  }),
  calls(10, unwrapOf, { 'unwrap alone, CPU of the server': 'server' }),
  calls(10, hashOf, { 'hash alone, CPU of the server': 'server' }),
  calls(10, encryptOf, { 'encrypt 1 KiB alone, CPU of the server': 'server' }),
  ...[32, 64].map((connections) =>
    calls(
      2,
      wrapOf,
      {
        [`wrap, ${connections} at once, time per call`]: 'time',
        [`wrap, ${connections} at once, CPU of the server`]: 'server',
      },
      { connections },
    ),
  ),
  ...[4, 16, mostTenants].map((tenants) =>
    calls(
      2,
      wrapOf,
      {
        [`wrap, 64 at once of ${tenants} tenants, time per call`]: 'time',
        [`wrap, 64 at once of ${tenants} tenants, CPU of the server`]: 'server',
        [`wrap, 64 at once of ${tenants} tenants, CPU of PostgreSQL`]: 'postgres',
      },
      { connections: 64, tenants },
    ),
  ),
  calls(2, batchOf('wrap'), { 'wrap in a batch of 100, CPU of the server': 'server' }, { size: 100 }),
  calls(2, batchOf('unwrap'), { 'unwrap in a batch of 100, CPU of the server': 'server' }, { size: 100 }),
  calls(4, auditOf, { 'audit page of 100, CPU': 'both' }),
  calls(2, verifyOf, { 'verification of 1,000 entries, CPU': 'both' }),
  calls(4, newKeyOf, { 'key creation, CPU': 'both' }),
];

/** Apart from the servers, whose work would empty the processor's caches between two turns of a client. */
const ofClients: readonly Part[] = [
  ...Object.entries(starts).map(([name, then]) => ofClient(name, ({ checkout }) => startOf(checkout, then))),
  ...Object.keys(works).map((name) => ofClient(name, ({ client }, round) => client(name as Work, round))),
];
