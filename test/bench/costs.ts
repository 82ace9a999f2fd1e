import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Replica } from '@eaas/test-kit/faults/place';
import { Burst } from './burst.ts';
import { cpuMicroseconds } from './cpu-time.ts';
import type { Operation } from './operations.ts';
import { median } from '@eaas/test-kit/statistics';
import type { Wire } from './wire.ts';

const rounds = 5;
const mostAttempts = 10;

export const costColumns = [
  'µs of CPU, server',
  'µs of CPU, PostgreSQL',
  'bytes of WAL',
  'bytes, client to server and back',
  'bytes, server to database and back',
  'round trips to the database',
] as const;

export type Cost = readonly number[];

export interface Watched {
  readonly sql: postgres.Sql;
  readonly postgresPid: number;
  readonly server: Replica;
}

interface Measured extends Watched {
  readonly relayed: Replica;
  readonly wire: Wire;
}

/** CPU time depends much less on other processes of the machine than wall time does. */
export async function costOf(place: Measured, operation: Operation): Promise<Cost> {
  const { size, requests, texts, connections } = operation;
  const unmeasured = texts.length * connections;
  const taken: number[][] = [];
  while (taken.length < rounds) {
    const round = (run: Run) => differences(place, () => run(requests));
    taken.push(await repeated(() => opened(place.server, operation, unmeasured, round)));
  }
  const cpu = [0, 1, 2].map((column) => median(taken.map((one) => one[column] ?? 0)) / (requests * size));
  const count = async (run: Run, bursts: readonly Burst[]): Promise<number[]> => {
    const { wire } = place;
    const before = { ...wire, client: receivedBy(bursts) };
    await run(requests);
    const client = requestBytes(operation) + (receivedBy(bursts) - before.client) / requests;
    return [client, (wire.bytes - before.bytes) / requests, (wire.roundTrips - before.roundTrips) / requests];
  };
  const network = await repeated(() => opened(place.relayed, operation, unmeasured, count));
  return [...cpu, ...network.map((value) => value / size)];
}

/** Sends calls before a measurement, because a new process is slow until Node has compiled its code. */
export async function warmUp({ server }: Measured, operation: Operation): Promise<void> {
  await repeated(() => opened(server, operation, 1_920, async () => []));
}

/** Repeats a failed measurement, because a request can fail on a busy machine. */
export async function repeated<T>(measure: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await measure();
    } catch (error) {
      if (attempt === mostAttempts) throw error;
      await sleep(1_000);
    }
  }
}

export type Run = (requests: number) => Promise<unknown>;

export function itemsPerSecond(server: Replica, operation: Operation): Promise<number> {
  return itemsPer(server, operation, async () => performance.now() / 1_000);
}

export function itemsPer(
  server: Replica,
  operation: Operation,
  read: () => Promise<number>,
): Promise<number> {
  const { texts, connections, requests, size } = operation;
  return repeated(() =>
    opened(server, operation, texts.length * connections, async (run) => {
      const before = await read();
      await run(requests);
      return (requests * size) / ((await read()) - before);
    }),
  );
}

export function opened<T>(
  replica: Replica,
  { texts, connections }: Pick<Operation, 'texts' | 'connections'>,
  warmUp: number,
  measure: (run: Run, bursts: readonly Burst[]) => Promise<T>,
): Promise<T> {
  const senders = texts.map((text) => ({ text, replica, connections }));
  return withSenders(senders, warmUp, measure);
}

export interface Sender {
  readonly text: Operation['texts'][number];
  readonly replica: Pick<Replica, 'port' | 'pid'>;
  readonly connections: number;
}

/** Opens new connections for each measurement, because the server closes connections that are idle for a minute. */
export async function withSenders<T>(
  senders: readonly Sender[],
  warmUp: number,
  measure: (run: Run, bursts: readonly Burst[]) => Promise<T>,
): Promise<T> {
  const bursts = await Promise.all(
    senders.map(({ text, replica, connections }) => Burst.open(replica.port, text, connections)),
  );
  const run: Run = (requests) => Promise.all(bursts.map((one) => one.run(requests / bursts.length)));
  try {
    for (const burst of bursts) burst.isPatient = true;
    await run(warmUp);
    const before = refusedBy(bursts);
    const measured = await measure(run, bursts);
    if (refusedBy(bursts) > before)
      throw new Error(
        'the server refused requests, because the machine is too busy: stop other programs and run the benchmark again',
      );
    return measured;
  } finally {
    for (const burst of bursts) burst.close();
  }
}

export async function differences(place: Watched, work: () => Promise<unknown>): Promise<number[]> {
  const before = await readCounters(place);
  await work();
  const after = await readCounters(place);
  return after.map((value, column) => value - (before[column] ?? 0));
}

async function readCounters({ sql, postgresPid, server }: Watched): Promise<number[]> {
  const [row] = await sql<{ wal: string }[]>`select pg_current_wal_insert_lsn() - '0/0' as wal`;
  return [await cpuMicroseconds(server.pid), await cpuMicroseconds(postgresPid), Number(row?.wal)];
}

const requestBytes = ({ texts }: Operation): number =>
  texts.reduce((sum, text) => sum + (typeof text === 'string' ? text : text()).length, 0) / texts.length;

const receivedBy = (bursts: readonly Burst[]): number =>
  bursts.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);

const refusedBy = (bursts: readonly Burst[]): number => bursts.reduce((sum, { refused }) => sum + refused, 0);
