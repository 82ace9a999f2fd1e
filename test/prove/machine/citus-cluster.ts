import { addNodes, citusIsInstalled, useSocket } from '@eaas/test-kit/citus';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import type { Findings } from '../trial.ts';
import { Cluster, withoutStandby } from './cluster.ts';

export async function withoutCitus(): Promise<string | undefined> {
  return (await citusIsInstalled()) ? withoutStandby() : 'Citus is not installed';
}

function nodeSettings(): Record<string, string> {
  const [page = ''] = blocksOf(read('docs/operating/citus.md'), 'ini');
  const ofPage = Array.from(
    page.matchAll(/^([\w.]+) = '?([^'#\n]*?)'? *(?:#.*)?$/gm),
    ([, name = '', value = '']) => [name, value],
  );
  return {
    ...Object.fromEntries(ofPage),
    'citus.node_conninfo': 'sslmode=prefer',
    'citus.shard_count': '4',
    max_worker_processes: '64',
  };
}

interface Shard {
  readonly id: string;
  readonly host: string;
}

export class CitusCluster {
  readonly coordinator: Cluster;
  readonly workers: readonly Cluster[];
  readonly #sql: ReturnType<Cluster['connect']>;

  private constructor(findings: Findings, coordinator: Cluster, workers: readonly Cluster[]) {
    this.coordinator = coordinator;
    this.workers = workers;
    this.#sql = coordinator.connect(findings, 'superuser');
  }

  static async create(findings: Findings): Promise<CitusCluster> {
    const create = (): Promise<Cluster> => Cluster.create(findings, nodeSettings());
    const [coordinator, ...workers] = [await create(), await create(), await create()];
    const [address, ...others] = [coordinator, ...workers].map((node) => {
      const { host, port } = node.connection('superuser');
      return { host, port };
    });
    if (!address) throw new Error('expected a coordinator');
    for (const node of [address, ...others]) await useSocket(node);
    await addNodes({ ...address, workers: others }, 'eaas');
    return new CitusCluster(findings, coordinator, workers);
  }

  readonly url = (role: 'server' | 'owner'): string => this.coordinator.url(role);

  async run(statement: string): Promise<readonly Record<string, unknown>[]> {
    return this.#sql.unsafe(statement);
  }

  async shardOf(tenantId: string): Promise<Shard> {
    const [row] = await this.#sql<Shard[]>`
      select shardid::text as id, nodename as host from citus_shards
      where shardid = get_shard_id_for_distribution_column('eaas.tenants', ${tenantId}::text)`;
    if (!row) throw new Error(`Citus must have a shard for the tenant ${tenantId} (got none)`);
    return row;
  }

  otherWorker(host: string): Cluster {
    const found = this.workers.find(({ socket }) => socket !== host);
    if (!found) throw new Error('expected two workers');
    return found;
  }
}
