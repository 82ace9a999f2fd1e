import { eaas } from '../conformance/program.ts';
import type { Replica } from '../faults/place.ts';
import { Burst } from './burst.ts';
import { differences, repeated, type Watched } from './costs.ts';
import { quantile } from './queue-simulation.ts';
import type { Model } from './queue-stations.ts';

export interface Place {
  readonly watched: Watched;
  readonly server: Replica;
  readonly texts: readonly string[];
}

const observer = `import { PerformanceObserver } from 'node:perf_hooks';
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) console.error('pause of ' + duration + ' ms');
  }).observe({ entryTypes: ['gc'] });`;
const [node = '', ...rest] = eaas;

/** The program of a server that prints each pause for garbage collection. */
export const observed = [node, '--import', `data:text/javascript,${encodeURIComponent(observer)}`, ...rest];

const pausesOf = (log: string): number[] =>
  Array.from(log.matchAll(/^pause of (\S+) ms$/gm), ([, length]) => 1_000 * Number(length));

interface Loaded {
  readonly perSecond: number;
  /** Microseconds of CPU per call. */
  readonly server: number;
  readonly database: number;
  readonly client: number;
  readonly entriesPerAppend: number;
  readonly milliseconds: readonly number[];
}

/** Sends calls without a pause. */
export async function load({ watched, server, texts }: Place, each: number, calls: number): Promise<Loaded> {
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

/**
 * Measures the service times under loads that differ in the entries per append. The load that the simulation predicts
 * is not one of them.
 */
export async function calibrate(place: Place): Promise<Model> {
  const [first = ''] = place.texts;
  const taken = (texts: readonly string[], each: number, calls: number) =>
    repeated(() => load({ ...place, texts }, each, calls));
  await taken(place.texts, 4, 6_400);
  const single = await taken([first], 1, 1_000);
  const before = place.server.log().length;
  const all = [
    await taken(place.texts, 2, 6_400),
    await taken(place.texts, 8, 6_400),
    await taken([first], 64, 6_400),
  ];
  const pauses = pausesOf(place.server.log().slice(before));
  // Each load has sent a quarter of its calls before its measurement.
  const computed = all.reduce((sum, { server }) => sum + 1.25 * 6_400 * server, 0);
  const betweenPauses = computed / Math.max(1, pauses.length) - mean(pauses);
  const unpaused = betweenPauses / (betweenPauses + mean(pauses));
  const server = fitted(all.map((one) => [1 / one.entriesPerAppend, one.server]));
  const database = fitted(all.map((one) => [1 / one.entriesPerAppend, one.database]));
  const clientPerCall = mean(all.map(({ client }) => client));
  const cpu = clientPerCall + server.base + server.slope + database.base + database.slope;
  return {
    servers: 1,
    tenants: place.texts.length,
    cores: 2,
    databaseCores: 2,
    connections: 10,
    clientPerCall,
    serverPerCall: unpaused * server.base,
    serverPerAppend: unpaused * server.slope,
    databasePerAppend: database.slope,
    databasePerEntry: database.base,
    flushes: single.milliseconds.map((time) => Math.max(0, 1_000 * time - cpu)),
    pauses,
    betweenPauses,
  };
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** The straight line with the least squared distance from the points. */
export function fitted(points: readonly (readonly [number, number])[]): { base: number; slope: number } {
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const above = mean(points.map(([at, value]) => (at - x) * (value - y)));
  const slope = above / mean(points.map(([at]) => (at - x) ** 2));
  return { base: Math.max(0, y - slope * x), slope };
}

/** The service times as a table shows them. */
export function timesOf(model: Model) {
  const rows: readonly (readonly [string, number])[] = [
    ['client, for a call', model.clientPerCall],
    ['server, for a call', model.serverPerCall],
    ['server, for an append', model.serverPerAppend],
    ['PostgreSQL, for an append', model.databasePerAppend],
    ['PostgreSQL, for an entry', model.databasePerEntry],
    ['wait without CPU, for an append', mean(model.flushes)],
    ['wait without CPU, 99th percentile', quantile(model.flushes, 0.99)],
    ['pause of a server', mean(model.pauses)],
    ['pause of a server, 99th percentile', quantile(model.pauses, 0.99)],
    ['CPU of a server from one pause to the next', model.betweenPauses],
  ];
  return {
    name: 'service times',
    columns: ['µs'],
    rows: rows.map(([name, value]) => ({ name, values: [value] })),
  };
}
