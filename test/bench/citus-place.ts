import type { Operator, Replica } from '@eaas/test-kit/faults/place';
import { startCitus } from '@eaas/test-kit/citus';
import { createDatabase, type PostgresAddress, withAdmin } from '@eaas/test-kit/database';
import type { Defer } from './compare.ts';
import { openOperator, operateDeferred, startDeferred } from './open-operator.ts';

/** PostgreSQL without Citus counts as a coordinator without workers. */
export interface BenchPlace {
  readonly operator: Operator;
  readonly server: Replica;
  readonly coordinator: number;
  readonly workers: readonly number[];
}

export async function onCitus(defer: Defer): Promise<BenchPlace> {
  const { base, nodes } = await citusBase(defer, true);
  const [coordinator = 0, ...workers] = await Promise.all(nodes.map(pidOf));
  const operator = await operateDeferred(defer, base);
  const server = await startDeferred(defer, operator.env);
  return { operator, server, coordinator, workers };
}

export async function onOnePostgres(defer: Defer): Promise<BenchPlace> {
  const { postgres, ...operator } = await openOperator(defer, 'installed');
  const server = await startDeferred(defer, operator.env);
  return { operator, server, coordinator: postgres.pid, workers: [] };
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

async function pidOf(node: PostgresAddress): Promise<number> {
  return withAdmin(node, async (sql) => {
    const [row] = await sql<{ pid: number }[]>`
      select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as pid`;
    return row?.pid ?? 0;
  });
}
