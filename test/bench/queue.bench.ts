import { connectTo, newKey, operate, type Replica, startReplica } from '../faults/place.ts';
import { OwnPostgres } from '../setup/own-postgres.ts';
import { Burst, wrapRequest } from './burst.ts';
import { type Measurement, median } from './compare.ts';
import { differences, repeated, type Watched } from './costs.ts';
import type { Figures } from './figures.ts';
import { openLoop } from './open-loop.ts';
import { type Model, quantile, simulate, type Simulated } from './queue-simulation.ts';

const tenants = 16;
const connections = 4;
const rounds = 7;
const share = 0.7;
const simulatedCalls = 200_000;

export const benchmark: Measurement = {
  name: 'queue',
  about: `wraps of ${tenants} tenants at 70 % of the capacity of one server: the simulation of the queues compared with a measurement on the same cores, and larger fleets simulated`,
  async measure(defer, print) {
    const place = await setUp(defer);
    const model = await calibrate(place);
    print(`model: ${JSON.stringify(model)}`);
    const measured = await measureRounds(place, print);
    const full = simulate(model, { clients: tenants * connections }, simulatedCalls);
    const simulated = simulate(model, { perSecond: share * full.perSecond }, simulatedCalls);
    return [modelFigures(model), compared(measured, full, simulated), fleets(model)];
  },
};

type Defer = Parameters<Measurement['measure']>[0];

interface Place {
  readonly watched: Watched;
  readonly server: Replica;
  readonly texts: readonly string[];
}

async function setUp(defer: Defer): Promise<Place> {
  const postgres = await OwnPostgres.start('installed');
  defer(postgres.drop);
  const operator = await operate(postgres.url);
  defer(operator.close);
  const sql = connectTo(postgres);
  defer(() => sql.end());
  const server = await startReplica(operator.env);
  defer(server.kill);
  const texts: string[] = [];
  while (texts.length < tenants) {
    const { token } = await operator.newTenant();
    texts.push(wrapRequest(await newKey(server, token), token));
  }
  const watched: Watched = { sql, server, postgresPid: postgres.pid };
  return { watched, server, texts };
}

interface Loaded {
  readonly perSecond: number;
  readonly server: number;
  readonly database: number;
  readonly client: number;
  readonly entriesPerAppend: number;
  readonly milliseconds: readonly number[];
}

/** Sends calls without a pause, and returns the microseconds of CPU per call. */
async function load({ watched, server, texts }: Place, each: number, calls: number): Promise<Loaded> {
  const milliseconds: number[] = [];
  const bursts = await Promise.all(texts.map((text) => Burst.open(server.port, text, each, milliseconds)));
  try {
    const run = (count: number) => Promise.all(bursts.map((burst) => burst.run(count / bursts.length)));
    for (const burst of bursts) burst.isPatient = true;
    await run(calls / 4);
    for (const burst of bursts) burst.isPatient = false;
    milliseconds.length = 0;
    const appendsBefore = await appendsOf(server.baseUrl);
    const startedAt = performance.now();
    const client = process.cpuUsage();
    const [ofServer = 0, ofDatabase = 0] = await differences(watched, () => run(calls));
    const { user, system } = process.cpuUsage(client);
    const seconds = (performance.now() - startedAt) / 1_000;
    const appends = (await appendsOf(server.baseUrl)) - appendsBefore;
    return {
      perSecond: calls / seconds,
      server: ofServer / calls,
      database: ofDatabase / calls,
      client: (user + system) / calls,
      entriesPerAppend: calls / appends,
      milliseconds,
    };
  } finally {
    for (const burst of bursts) burst.close();
  }
}

async function appendsOf(baseUrl: string): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(/^eaas_audit_appends_total (\d+)$/m.exec(text)?.[1]);
}

/** Measures the cost of a call and of an append, from calls with one append each and from calls that share appends. */
async function calibrate(place: Place): Promise<Model> {
  const [first = ''] = place.texts;
  const taken = (texts: readonly string[], each: number, calls: number) =>
    repeated(() => load({ ...place, texts }, each, calls));
  await taken(place.texts, connections, 3_200);
  const single = await taken([first], 1, 300);
  const alone = await taken(place.texts, 1, 4_800);
  const shared = await taken([first], 64, 6_400);
  const perAppend = (a: number, b: number): number =>
    Math.max(0, (a - b) / (1 / alone.entriesPerAppend - 1 / shared.entriesPerAppend));
  const serverPerAppend = perAppend(alone.server, shared.server);
  const databasePerAppend = perAppend(alone.database, shared.database);
  const serverPerCall = Math.max(0, alone.server - serverPerAppend / alone.entriesPerAppend);
  const databasePerEntry = Math.max(0, alone.database - databasePerAppend / alone.entriesPerAppend);
  const computed = shared.client + serverPerCall + serverPerAppend + databasePerAppend + databasePerEntry;
  return {
    servers: 1,
    tenants,
    cores: 2,
    databaseCores: 2,
    clientPerCall: shared.client,
    serverPerCall,
    serverPerAppend,
    databasePerAppend,
    databasePerEntry,
    flush: Math.max(0, 1_000 * median(single.milliseconds) - computed),
  };
}

/** Measures in rounds. Each round measures the capacity again, because the load of other processes changes. */
async function measureRounds(place: Place, print: (text: string) => void): Promise<Simulated> {
  const taken: Simulated[] = [];
  for (let round = 0; round < rounds; round++) {
    const one = await repeated(() => measureRound(place));
    taken.push(one);
    const shown = [one.perSecond, one.p50 / 1_000, one.p99 / 1_000];
    print(`capacity, p50, p99: ${shown.map((value) => value.toFixed(1)).join(', ')}`);
  }
  const of = (name: keyof Simulated): number => median(taken.map((one) => one[name]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    entriesPerAppend: of('entriesPerAppend'),
  };
}

async function measureRound(place: Place): Promise<Simulated> {
  const { perSecond, entriesPerAppend } = await load(place, connections, 4_800);
  const loop = await openLoop(place.server.port, place.texts, 16);
  try {
    const times = await loop.run(share * perSecond, Math.round(3 * share * perSecond));
    return { perSecond, p50: quantile(times, 0.5), p99: quantile(times, 0.99), entriesPerAppend };
  } finally {
    loop.close();
  }
}

function modelFigures(model: Model): Figures {
  const rows = [
    { name: 'client, for a call', values: [model.clientPerCall] },
    { name: 'server, for a call', values: [model.serverPerCall] },
    { name: 'server, for an append', values: [model.serverPerAppend] },
    { name: 'PostgreSQL, for an append', values: [model.databasePerAppend] },
    { name: 'PostgreSQL, for an entry', values: [model.databasePerEntry] },
    { name: 'wait without CPU, for an append', values: [model.flush] },
  ];
  return { name: 'service times', columns: ['µs'], rows };
}

function compared(measured: Simulated, full: Simulated, simulated: Simulated): Figures {
  const row = (name: string, one: number, other: number) => ({ name, values: [one, other, other / one] });
  return {
    name: 'one server, client and PostgreSQL on two cores',
    columns: ['measured', 'simulated', 'ratio'],
    rows: [
      row('wraps per second without a pause', measured.perSecond, full.perSecond),
      row('p50 at 70 % of it, ms', measured.p50 / 1_000, simulated.p50 / 1_000),
      row('p99 at 70 % of it, ms', measured.p99 / 1_000, simulated.p99 / 1_000),
    ],
  };
}

/**
 * Simulates large fleets. Each server has a core, PostgreSQL has enough cores, and the clients are on other machines.
 */
function fleets(model: Model): Figures {
  const rows = [
    [8, 1_000],
    [8, 100_000],
    [64, 100_000],
  ].flatMap(([servers = 0, count = 0]) => {
    const work = model.databasePerAppend + model.databasePerEntry;
    const ratio = work / (model.serverPerCall + model.serverPerAppend);
    const databaseCores = Math.ceil(1.5 * servers * ratio);
    const fleet: Model = {
      ...model,
      servers,
      databaseCores,
      tenants: count,
      cores: Infinity,
      clientPerCall: 0,
    };
    const full = (1e6 * servers) / (model.serverPerCall + model.serverPerAppend);
    return [0.5, 0.7, 0.9].map((part) => {
      const perSecond = part * full;
      const { p50, p99, entriesPerAppend } = simulate(fleet, { perSecond }, 2 * simulatedCalls);
      return {
        name: `${servers} servers, ${count.toLocaleString('en')} tenants, ${100 * part} %`,
        values: [perSecond, p50 / 1_000, p99 / 1_000, entriesPerAppend],
      };
    });
  });
  const columns = ['wraps per second', 'p50, ms', 'p99, ms', 'entries per append'];
  return { name: 'simulated fleet and its load', columns, rows };
}
