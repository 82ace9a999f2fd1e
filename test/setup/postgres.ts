import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import {
  embeddedBinaries,
  installedBinaries,
  type PostgresBinaries,
} from '../../packages/server/src/embedded/binaries.ts';
import { ensureRoles } from '../../packages/server/src/embedded/cluster.ts';
import { launchPostgres } from '../../packages/server/src/embedded/launch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's PostgreSQL listens: a Unix socket directory and a port. */
    postgres: { host: string; port: number };
  }
}

/** Brings one PostgreSQL for the whole run, with the roles of a server. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binaries = await chooseBinaries(process.env['TEST_POSTGRES']);
  const directory = await mkdtemp(join(tmpdir(), 'eaas-test-'));
  const server = await launchPostgres({
    binaries,
    dataDirectory: join(directory, 'postgres'),
    durable: false,
    settings: { max_connections: '400' },
  });
  const host = server.socketDirectory;
  const sql = postgres({ host, port: server.port, database: 'postgres', username: 'postgres', max: 1 });
  await ensureRoles(sql);
  await sql.end();

  const place = dirname(binaries.postgres);
  process.stdout.write(`PostgreSQL ${binaries.version}, ${binaries.origin}, from ${place}\n`);
  project.provide('postgres', { host, port: server.port });
  return async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
}

async function chooseBinaries(forced: string | undefined): Promise<PostgresBinaries> {
  if (forced === 'embedded') return embeddedBinaries();
  const installed = await installedBinaries(process.env['PATH'] ?? '');
  if (forced === 'installed' && installed === undefined) {
    throw new Error('TEST_POSTGRES=installed, but no PostgreSQL of version 14 or later is installed.');
  }
  return installed ?? embeddedBinaries();
}
