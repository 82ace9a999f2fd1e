import { operate, type Operator, type Replica, startReplica, type TestBase } from '../faults/place.ts';
import { startCitus } from '../setup/citus.ts';
import { createDatabase, type PostgresAddress, withAdmin } from '../setup/database.ts';
import { OwnPostgres } from '../setup/own-postgres.ts';

type Defer = (close: () => unknown) => void;

/** A server, and the process ids of its coordinator and of the workers. One PostgreSQL has no workers. */
export interface BenchPlace {
  readonly operator: Operator;
  readonly server: Replica;
  readonly coordinator: number;
  readonly workers: readonly number[];
}

/** Starts a server on a coordinator and two workers. All nodes are durable. */
export async function onCitus(defer: Defer): Promise<BenchPlace> {
  const { base, nodes } = await citusBase(defer, true);
  const [coordinator = 0, ...workers] = await Promise.all(nodes.map(pidOf));
  return { ...(await serverOn(base, defer)), coordinator, workers };
}

/** Starts a server on one durable PostgreSQL. */
export async function onOnePostgres(defer: Defer): Promise<BenchPlace> {
  const postgres = await OwnPostgres.start('installed');
  defer(postgres.drop);
  return { ...(await serverOn(postgres, defer)), coordinator: postgres.pid, workers: [] };
}

export async function citusBase(defer: Defer, durable: boolean) {
  const undo: (() => Promise<void>)[] = [];
  defer(async () => {
    for (const step of undo) await step();
  });
  const address = await startCitus(undo, 2, durable);
  const base = await createDatabase(undefined, Promise.resolve(address));
  return { base, nodes: [address, ...(address.workers ?? [])] };
}

async function serverOn(base: TestBase, defer: Defer) {
  const operator = await operate(base.url);
  defer(operator.close);
  const server = await startReplica(operator.env);
  defer(server.kill);
  return { operator, server };
}

async function pidOf(node: PostgresAddress): Promise<number> {
  return withAdmin(node, async (sql) => {
    const [row] = await sql<{ pid: number }[]>`
      select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid`;
    return row?.pid ?? 0;
  });
}
