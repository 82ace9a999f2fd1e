import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedBinaries, installedBinaries } from '../../packages/server/src/embedded/binaries.ts';
import { ensureOwnedDatabase, ensureRoles } from '../../packages/server/src/embedded/cluster.ts';
import { launchPostgres } from '../../packages/server/src/embedded/launch.ts';
import { rootKey } from '../../packages/server/src/crypto/key-hierarchy.ts';
import { createService, type Service } from '../../packages/server/src/service.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { migrate } from '../../packages/server/src/store/migrate.ts';
import { openPool } from '../../packages/server/src/store/sql.ts';

/** A durable PostgreSQL of the benchmark's own, migrated, and a service on it whose root key is zeros. */
export interface BenchDatabase {
  readonly host: string;
  readonly port: number;
  readonly service: Service;
  close(): Promise<void>;
}

export async function benchDatabase(): Promise<BenchDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'eaas-bench-'));
  const binaries = (await installedBinaries(process.env['PATH'] ?? '')) ?? (await embeddedBinaries());
  const dataDirectory = join(directory, 'postgres');
  const running = await launchPostgres({ binaries, dataDirectory, durable: true });
  const { socketDirectory: host, port } = running;
  const admin = openPool({ host, port, database: 'postgres', username: 'postgres' }, 1);
  await ensureRoles(admin);
  await ensureOwnedDatabase(admin, 'eaas');
  await admin.end();
  const owner = openPool({ host, port, database: 'eaas', username: 'eaas_owner' }, 1);
  await migrate(owner, 'eaas_server');
  await owner.end();
  const database = new Database({ host, port, database: 'eaas', username: 'eaas_server' });
  const service = createService({ database, roots: [rootKey(new Uint8Array(32))] });
  return {
    host,
    port,
    service,
    close: async () => {
      await database.close();
      await running.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
