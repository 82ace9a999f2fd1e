import { type Operator, operate, type Replica, startReplica } from '../faults/place.ts';
import { OwnPostgres } from '../setup/own-postgres.ts';
import type { Benchmark } from './compare.ts';

export type Defer = Parameters<Benchmark['comparisons']>[0];

/** Starts a PostgreSQL that lives as long as the benchmark, with a migrated database. */
export async function openOperator(
  defer: Defer,
  ...which: Parameters<typeof OwnPostgres.start>
): Promise<Operator & { readonly postgres: OwnPostgres }> {
  const postgres = await OwnPostgres.start(...which);
  defer(postgres.drop);
  const operator = await operate(postgres.url);
  defer(operator.close);
  return { ...operator, postgres };
}

export async function startDeferred(defer: Defer, env: Operator['env']): Promise<Replica> {
  const replica = await startReplica(env);
  defer(replica.kill);
  return replica;
}
