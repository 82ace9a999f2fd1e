import type { Environment } from '@eaas/test-kit/program';
import { operate, type Tenant } from '@eaas/test-kit/faults/place';
import { Cluster } from '../../machine/cluster.ts';
import { startPgbouncer } from '../../machine/pgbouncer.ts';
import type { Findings } from '../../trial.ts';
import { serverCount } from './servers.ts';

interface Populated {
  readonly cluster: Cluster;
  readonly env: Environment;
  readonly tenants: readonly Tenant[];
}

export const poolSize = 20;

function createDatabase(findings: Findings): Promise<Cluster> {
  // The manual's formula for `max_connections`: 40 connections for each server, and 10 for operators.
  return Cluster.create(findings, { max_connections: String(40 * serverCount + 10) });
}

export async function populate(findings: Findings, count: number, pooled = false): Promise<Populated> {
  const cluster = await createDatabase(findings);
  const operator = await operate(cluster.url);
  const tenants: Tenant[] = [];
  while (tenants.length < count) tenants.push(await operator.newTenant());
  await operator.close();
  const pool = pooled && { EAAS_DATABASE_URL: await startPgbouncer(findings, cluster, 1, poolSize) };
  return { cluster, env: { ...operator.env, ...pool }, tenants };
}
