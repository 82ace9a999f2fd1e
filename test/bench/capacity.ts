import { type Figures, tableOfFigures } from './figures.ts';
import { type Report, resultsOf } from './results.ts';

/** Above this CPU utilization, queues grow fast. */
const plannedUtilization = 0.7;
const workersPerServer = 4;
const appendConnectionsPerServer = 2 * workersPerServer;
const coresPerShard = 16;
/** The size of an audit entry with its indexes, measured by the benchmark `storage` with one entry per append. */
export const bytesPerEntry = 511;

const fleets = [1e3, 1e4, 1e5, 1e6] as const;

interface Item {
  readonly serverCpu: number;
  readonly databaseCpu: number;
  readonly wal: number;
  readonly toClient: number;
}

type Reports = readonly Report[];

export function capacityTables(reports: Reports): ReadonlyMap<string, readonly string[]> {
  const measured = (benchmark: string, name: string): [string, readonly string[]] => [
    name,
    tableOfFigures(figuresOf(reports, benchmark, name)),
  ];
  return new Map([
    measured('costs', 'cost of an item'),
    measured('citus', 'µs of CPU for a wrap on Citus'),
    ['compute', tableOfFigures(computeOf(reports))],
    ['compute of batches', tableOfFigures(computeOf(reports, 'wrap, an item of a batch of 100'))],
    ['traffic', tableOfFigures(trafficOf(reports))],
  ]);
}

/** The table of all results, for the page with the benchmarks. */
export const resultsTable = (reports: Reports): ReadonlyMap<string, readonly string[]> =>
  new Map([['results', resultsOf(reports)]]);

const begin = (name: string): string => `<!-- table: ${name} -->`;
const end = '<!-- /table -->';

export function withTables(page: string, tables: ReadonlyMap<string, readonly string[]>): string {
  return Array.from(tables).reduce((text, [name, lines]) => {
    const [before = '', rest, ...others] = text.split(`${begin(name)}\n`);
    const after = rest?.slice(rest.indexOf(end));
    if (after === undefined || others.length > 0)
      throw new Error(`the page must contain the marker ${begin(name)} exactly once`);
    return `${before}${begin(name)}\n\n${lines.join('\n')}\n\n${after}`;
  }, page);
}

function figuresOf(reports: Reports, benchmark: string, name: string): Figures {
  const found = reports
    .find((report) => report.name === benchmark)
    ?.figures?.find((figures) => figures.name === name);
  if (!found)
    throw new Error(`the results have no table "${name}": run \`npm run bench -- ${benchmark}\` first`);
  return found;
}

function valuesOf({ name, rows }: Figures, row: string): readonly number[] {
  const found = rows.find((one) => one.name === row);
  if (!found) throw new Error(`the table "${name}" must have the row "${row}" (got none)`);
  return found.values;
}

const alone = 'wrap, appended alone';

function itemOf(reports: Reports, name: string): Item {
  const values = valuesOf(figuresOf(reports, 'costs', 'cost of an item'), name);
  const [serverCpu = 0, databaseCpu = 0, wal = 0, toClient = 0] = values;
  return { serverCpu, databaseCpu, wal, toClient };
}

const coresFor = (perSecond: number, microseconds: number): number =>
  (perSecond * microseconds) / 1e6 / plannedUtilization;

const serversFor = (wraps: number, { serverCpu }: Item): number =>
  Math.ceil(coresFor(wraps, serverCpu) / workersPerServer);

const shardsFor = (wraps: number, { databaseCpu }: Item): number =>
  Math.ceil(coresFor(wraps, databaseCpu) / coresPerShard);

const rate = (wraps: number): string => `${wraps.toLocaleString('en')} wraps per second`;

function computeOf(reports: Reports, name = alone): Figures {
  const item = itemOf(reports, name);
  const rows = fleets.map((wraps) => ({
    name: rate(wraps),
    values: [
      coresFor(wraps, item.serverCpu),
      serversFor(wraps, item),
      coresFor(wraps, item.databaseCpu),
      shardsFor(wraps, item),
    ],
  }));
  const columns = [
    'cores of servers',
    `N, servers of ${workersPerServer} workers`,
    'cores of PostgreSQL',
    `M, shards of ${coresPerShard} cores`,
  ];
  return { name: name === alone ? 'each call appended alone' : 'in batches of 100', columns, rows };
}

function trafficOf(reports: Reports): Figures {
  const item = itemOf(reports, alone);
  const rows = fleets.map((wraps) => ({
    name: rate(wraps),
    values: [
      (8 * wraps * item.toClient) / 1e9,
      (wraps * item.wal) / 1e6 / shardsFor(wraps, item),
      (wraps * 86_400 * 30 * bytesPerEntry) / 1e12,
      appendConnectionsPerServer * serversFor(wraps, item),
    ],
  }));
  const columns = [
    'clients and servers, Gbit/s',
    'WAL of a shard, MB/s',
    'TB of entries in 30 days',
    'connections for appends',
  ];
  return { name: 'each call appended alone', columns, rows };
}
