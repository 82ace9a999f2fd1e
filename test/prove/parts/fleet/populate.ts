import { operate, type Tenant } from '../../../faults/place.ts';
import type { Environment } from '../../../conformance/program.ts';
import type { Cluster } from '../../machine/cluster.ts';
import { serverCount } from './servers.ts';

interface Population {
  readonly env: Environment;
  readonly tenants: readonly Tenant[];
}

/** Migrates the database and creates tenants. */
export async function populate(cluster: Cluster, count: number): Promise<Population> {
  const operator = await operate(cluster.url);
  const tenants: Tenant[] = [];
  while (tenants.length < count) tenants.push(await operator.newTenant());
  await operator.close();
  return { env: operator.env, tenants };
}

/** The manual allows 40 connections per server, and 10 for operators. */
export const settings = { max_connections: String(40 * serverCount + 10) };

export const poolSize = 20;
