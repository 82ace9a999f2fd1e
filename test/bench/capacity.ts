import { type Figures, tableOfFigures } from './figures.ts';
import { type Report, runsOf } from './results.ts';

/** Above this CPU utilization, queues grow fast. */
const plannedUtilization = 0.7;
const [workersPerServer, connectionsPerServer] = [4, 20];
const appendConnectionsPerServer = 2 * workersPerServer;
const coresPerShard = 16;
/** The size of an audit entry with its indexes, measured by the benchmark `storage` with one entry per append. */
export const bytesPerEntry = 511;
const pageBytes = 8_192;
/** Appends of a tenant change four pages of PostgreSQL: the last pages of three indexes, and the log head's page. */
const pagesPerTenant = 4;

const fleets = [
  { wraps: 1e3, tenants: 1e4, entries: 1e9 },
  { wraps: 1e4, tenants: 1e5, entries: 1e10 },
  { wraps: 1e5, tenants: 1e6, entries: 1e11 },
  { wraps: 1e6, tenants: 1e6, entries: 1e11 },
] as const;

interface Item {
  readonly serverCpu: number;
  readonly databaseCpu: number;
  readonly wal: number;
  readonly toClient: number;
  readonly toDatabase: number;
}

type Reports = readonly Report[];

export function capacityTables(reports: Reports): ReadonlyMap<string, readonly string[]> {
  const measured = (benchmark: string, name: string): [string, readonly string[]] => [
    name,
    tableOfFigures(figuresOf(reports, benchmark, name)),
  ];
  return new Map([
    ['runs', runsOf(reports.filter(({ name }) => used.has(name)))],
    measured('costs', 'cost of an item'),
    measured('citus', 'µs of CPU for a wrap on Citus'),
    ['nodes of Citus', tableOfFigures(citusNodesOf(reports))],
    measured('replicas', 'memory'),
    measured('queue', 'service times'),
    measured('queue', 'one server, client and PostgreSQL on two cores'),
    measured('queue', 'simulated fleet and its load'),
    ['compute', tableOfFigures(computeOf(reports))],
    ['compute of batches', tableOfFigures(computeOf(reports, 'wrap, an item of a batch of 100'))],
    ['network', tableOfFigures(networkOf(reports))],
    ['disks', tableOfFigures(disksOf(reports))],
    ['connections', tableOfFigures(connectionsOf(reports))],
  ]);
}

const used = new Set(['citus', 'costs', 'queue', 'replicas']);

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
  const [serverCpu = 0, databaseCpu = 0, wal = 0, toClient = 0, toDatabase = 0] = values;
  return { serverCpu, databaseCpu, wal, toClient, toDatabase };
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
  const rows = fleets.map(({ wraps }) => ({
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

function citusNodesOf(reports: Reports): Figures {
  const figures = figuresOf(reports, 'citus', 'µs of CPU for a wrap on Citus');
  const perSecond = (microseconds: number): number =>
    (coresPerShard * plannedUtilization * 1e6) / microseconds;
  const rows = ['appended alone', 'in batches of 100'].map((name) => {
    const [, coordinator = 0, workers = 0, , one = 0] = valuesOf(figures, `${name}, 100 tenants`);
    return { name, values: [one, coordinator, workers].map(perSecond) };
  });
  const columns = ['one PostgreSQL', 'the coordinator', 'each worker'];
  return { name: `wraps per second, nodes of ${coresPerShard} cores`, columns, rows };
}

function networkOf(reports: Reports): Figures {
  const item = itemOf(reports, alone);
  const gigabits = (bytes: number): number => (8 * bytes) / 1e9;
  const rows = fleets.map(({ wraps }) => ({
    name: rate(wraps),
    values: [
      gigabits(wraps * item.toClient),
      gigabits(wraps * item.toDatabase),
      (wraps * item.wal) / 1e6,
      (wraps * item.wal) / 1e6 / shardsFor(wraps, item),
    ],
  }));
  const columns = [
    'clients and servers, Gbit/s',
    'servers and databases, Gbit/s',
    'WAL, MB/s',
    'WAL of a shard, MB/s',
  ];
  return { name: 'each call appended alone', columns, rows };
}

function disksOf(reports: Reports): Figures {
  const item = itemOf(reports, alone);
  const rows = fleets.map(({ wraps, tenants, entries }) => {
    const shards = shardsFor(wraps, item);
    return {
      name: rate(wraps),
      values: [
        tenants,
        entries,
        entries / wraps / 86_400,
        (entries * bytesPerEntry) / 1e12,
        (entries * bytesPerEntry) / 1e12 / shards,
        (tenants * pagesPerTenant * pageBytes) / 1e9 / shards,
      ],
    };
  });
  const columns = [
    'tenants',
    'entries',
    'days of this rate',
    'TB of entries',
    'TB of a shard',
    'GB of busy pages of a shard',
  ];
  return { name: 'each call appended alone', columns, rows };
}

function connectionsOf(reports: Reports): Figures {
  const item = itemOf(reports, alone);
  const times = figuresOf(reports, 'queue', 'service times');
  const sum = ['PostgreSQL, for an append', 'PostgreSQL, for an entry', 'wait without CPU, for an append']
    .map((name) => valuesOf(times, name)[0] ?? 0)
    .reduce((total, value) => total + value, 0);
  const rows = fleets.map(({ wraps }) => {
    const [servers, shards] = [serversFor(wraps, item), shardsFor(wraps, item)];
    const busy = (wraps * sum) / 1e6;
    const open = [connectionsPerServer * servers, appendConnectionsPerServer * servers];
    return { name: rate(wraps), values: [...open, busy, busy / shards] };
  });
  const columns = [
    'connections of N servers',
    'of these for appends',
    'busy at the same time',
    'busy of a shard',
  ];
  return { name: 'each call appended alone', columns, rows };
}
