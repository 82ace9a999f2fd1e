// The workers of a Citus cluster are killed under load. Its settings are those of the manual's page.
import { setTimeout as sleep } from 'node:timers/promises';
import { addNodes, citusIsInstalled, useSocket } from '@eaas/test-kit/citus';
import { succeeded } from '@eaas/test-kit/faults/load';
import { connectTo } from '@eaas/test-kit/faults/place';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { metric } from '../machine/server.ts';
import { type Findings, type Part, scaled } from '../trial.ts';
import { UnderLoad } from './under-load.ts';

const away = 2_000;
const hostOf = ({ connection }: OwnPostgres): string => connection('superuser').host;

function nodeSettings(): Record<string, string> {
  const [page = ''] = blocksOf(read('docs/operating/replicas.md'), 'ini');
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

async function createCluster(findings: Findings) {
  const create = async (): Promise<OwnPostgres> => {
    const node = await OwnPostgres.start('installed', true, nodeSettings());
    findings.defer(node.drop);
    await useSocket({ host: hostOf(node), port: 5432 });
    return node;
  };
  const [coordinator, ...workers] = [await create(), await create(), await create()];
  const addresses = workers.map((node) => ({ host: hostOf(node), port: 5432 }));
  await addNodes({ host: hostOf(coordinator), port: 5432, workers: addresses }, 'eaas');
  return { coordinator, workers };
}

async function run(findings: Findings): Promise<void> {
  const { coordinator, workers } = await createCluster(findings);
  const bench = await UnderLoad.start(findings, coordinator.url);
  await separate(findings, coordinator, workers, bench);
  let fewest = Infinity;
  for (let round = 0; round < scaled(3); round++) {
    for (const worker of workers) {
      await worker.crash();
      const killedAt = performance.now();
      await sleep(away);
      const now = performance.now();
      const served = bench.loaded.map(
        ({ load }) =>
          load.sent.filter((sent) => sent.sentAt > killedAt && sent.answeredAt < now && succeeded(sent))
            .length,
      );
      fewest = Math.min(fewest, Math.max(...served));
      await worker.start();
      findings.try('worker killed, started 2 s later');
      await bench.recovers('worker away for 2 s');
    }
  }
  findings.figure('fewest responses to the tenant of the running worker while the other is away', fewest);
  await bench.judge();
  for (const replica of bench.replicas) {
    const wentBack = await metric(replica, 'eaas_audit_head_went_back_total');
    findings.check('a server reports no loss of entries if none was lost', wentBack === 0, `${wentBack}`);
  }
}

/** Gives the second tenant a shard of its own, on another worker than the first. */
async function separate(
  findings: Findings,
  coordinator: OwnPostgres,
  workers: readonly OwnPostgres[],
  { loaded }: UnderLoad,
): Promise<void> {
  const sql = connectTo(coordinator);
  findings.defer(() => sql.end({ timeout: 1 }));
  const shardOf = async (tenantId: string) => {
    const [row] = await sql<{ id: string; host: string }[]>`
      select shardid::text as id, nodename as host from citus_shards
      where shardid = get_shard_id_for_distribution_column('eaas.tenants', ${tenantId}::text)`;
    if (!row) throw new Error(`Citus must have a shard for the tenant ${tenantId} (got none)`);
    return row;
  };
  const [first = '', second = ''] = loaded.map(({ tenant }) => tenant.tenantId);
  await sql.unsafe(
    `select isolate_tenant_to_new_shard('eaas.tenants', '${second}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
  );
  const { id, host } = await shardOf(second);
  if (host !== (await shardOf(first)).host) return;
  const other = workers.map(hostOf).find((each) => each !== host);
  await sql.unsafe(`select citus_move_shard_placement(${id}, '${host}', 5432,
    '${other}', 5432, shard_transfer_mode => 'block_writes')`);
}

export const citus: Part = {
  name: 'citus',
  about: 'a coordinator and two workers of Citus, with the settings of the manual’s page',
  unavailable: async () => ((await citusIsInstalled()) ? undefined : 'Citus is not installed'),
  trials: [
    {
      name: 'workers',
      about: 'each worker is killed and started again under load',
      limit: 400,
      run,
    },
  ],
};
