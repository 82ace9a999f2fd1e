import type postgres from 'postgres';
import type { Environment } from '@eaas/test-kit/program';
import {
  connectTo,
  operate,
  type Operator,
  type Replica,
  startReplica,
  type TestBase,
} from '@eaas/test-kit/faults/place';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import type { Defer } from './compare.ts';

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

export async function startDeferred(
  defer: Defer,
  env: Environment,
  program?: readonly string[],
): Promise<Replica> {
  const replica = await startReplica(env, program);
  defer(replica.kill);
  return replica;
}

export function connectDeferred(defer: Defer, base: TestBase): postgres.Sql {
  const sql = connectTo(base);
  defer(() => sql.end());
  return sql;
}
