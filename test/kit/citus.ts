import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createOwnedDatabase, ROLES } from '../../packages/dev/src/embedded-database.ts';
import { finishTemplate, type PostgresAddress, withAdmin } from './database.ts';
import { installedBinaries } from './installed-binaries.ts';
import { OwnPostgres } from './own-postgres.ts';

/** Four shards per table keep the many databases of the tests small. */
const settings = {
  shared_preload_libraries: 'citus',
  'citus.node_conninfo': 'sslmode=prefer',
  'citus.shard_count': '4',
  max_worker_processes: '200',
  wal_level: 'logical',
};

/**
 * Registers the roles with Citus, as only a superuser can. Citus knows only roles that own or use a distributed table,
 * so this table is created for them.
 */
const registerRoles = `
  create table public.roles (id integer primary key);
  alter table public.roles owner to ${ROLES.owner};
  grant select on public.roles to ${ROLES.server};
  select create_distributed_table('public.roles', 'id');
  drop table public.roles`;

export async function citusIsInstalled(): Promise<boolean> {
  const found = await installedBinaries(process.env['PATH'] ?? '');
  if (!found) return false;
  try {
    const { stdout } = await promisify(execFile)(join(dirname(found.postgres), 'pg_config'), ['--sharedir']);
    await access(join(stdout.trim(), 'extension', 'citus.control'));
    return true;
  } catch {
    return false;
  }
}

export async function startCitus(
  undo: (() => Promise<void>)[],
  workers = 2,
  durable = false,
): Promise<PostgresAddress> {
  const nodes = await Promise.all(
    Array.from({ length: workers + 1 }, () => OwnPostgres.start('installed', durable, settings)),
  );
  undo.push(async () => void (await Promise.all(nodes.map((node) => node.drop()))));
  for (const node of nodes) await useSocket(node.connection('superuser'));
  const [coordinator, ...others] = nodes.map((node): PostgresAddress => {
    const { host, port } = node.connection('superuser');
    return { host, port };
  });
  if (!coordinator) throw new Error('expected a coordinator');
  const address = { ...coordinator, workers: others, template: 'template_citus' };
  await prepare(address, address.template);
  return address;
}

/** To move a shard, a Citus node connects to itself. `citus.local_hostname` makes the node use its Unix socket. */
export async function useSocket(node: PostgresAddress): Promise<void> {
  await withAdmin(node, async (sql) => {
    await sql.unsafe(`alter system set citus.local_hostname = '${node.host}'`);
    await sql`select pg_reload_conf()`;
  });
}

async function prepare(address: PostgresAddress, name: string): Promise<void> {
  const nodes = [address, ...(address.workers ?? [])];
  for (const node of nodes) await withAdmin(node, (sql) => createOwnedDatabase(sql, name));
  await addNodes(address, name);
  for (const node of nodes) await withAdmin(node, (sql) => finishTemplate(sql, name));
}

export async function addNodes(coordinator: PostgresAddress, name: string): Promise<void> {
  const { workers = [] } = coordinator;
  for (const node of [coordinator, ...workers]) {
    await withAdmin(node, (sql) => sql`create extension citus`, name);
  }
  await withAdmin(
    coordinator,
    async (sql) => {
      await sql`select citus_set_coordinator_host(${coordinator.host}, ${coordinator.port})`;
      for (const { host, port } of workers) await sql`select citus_add_node(${host}, ${port})`;
      await sql.unsafe(registerRoles);
    },
    name,
  );
}
