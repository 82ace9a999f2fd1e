import { eaasImporting, moduleOf } from '@eaas/test-kit/program';
import { differences, opened, repeated, type Watched } from './costs.ts';
import type { Model } from './queue-stations.ts';
import { fitted, mean, quantile } from '@eaas/test-kit/statistics';

export interface Place extends Watched {
  readonly texts: readonly string[];
}

const observer = `import { PerformanceObserver } from 'node:perf_hooks';
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) console.error('pause of ' + duration + ' ms');
  }).observe({ entryTypes: ['gc'] });`;

export const observed = eaasImporting(moduleOf(observer));

const pausesOf = (log: string): number[] =>
  Array.from(log.matchAll(/^pause of (\S+) ms$/gm), ([, length]) => 1_000 * Number(length));

interface Loaded {
  readonly perSecond: number;
  /** `server`, `database` and `client` are CPU times per call, in microseconds. */
  readonly server: number;
  readonly database: number;
  readonly client: number;
  readonly entriesPerAppend: number;
  readonly milliseconds: readonly number[];
}

export function load(place: Place, connections: number, calls: number): Promise<Loaded> {
  const { server, texts } = place;
  return opened(server, { texts, connections }, calls / 4, async (run, bursts) => {
    for (const { milliseconds } of bursts) milliseconds.length = 0;
    const appendsBefore = await appendsOf(server.baseUrl);
    const startedAt = performance.now();
    const client = process.cpuUsage();
    const [ofServer = 0, ofDatabase = 0] = await differences(place, () => run(calls));
    const { user, system } = process.cpuUsage(client);
    const seconds = (performance.now() - startedAt) / 1_000;
    const appends = (await appendsOf(server.baseUrl)) - appendsBefore;
    return {
      perSecond: calls / seconds,
      server: ofServer / calls,
      database: ofDatabase / calls,
      client: (user + system) / calls,
      entriesPerAppend: calls / appends,
      milliseconds: bursts.flatMap(({ milliseconds }) => milliseconds),
    };
  });
}

async function appendsOf(baseUrl: string): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(/^eaas_audit_appends_total (\d+)$/m.exec(text)?.[1]);
}

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
  // Adds a quarter for the calls of the warm-ups, because `pauses` includes the pauses during the warm-ups.
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
