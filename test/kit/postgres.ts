import { dirname } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startCitus } from './citus.ts';
import type { PostgresAddress } from './database.ts';
import { onDemand } from './on-demand.ts';
import { OwnPostgres } from './own-postgres.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const citus = await onDemand((undo) => startCitus(undo));
  const shared = process.env['EAAS_TEST_CITUS'] === '1' ? citus : await onDemand(start);
  project.provide('postgres', shared.address);
  project.provide('citus', citus.address);
  return async () => {
    await shared.close();
    await citus.close();
  };
}

async function start(undo: (() => Promise<void>)[]): Promise<PostgresAddress> {
  const { binaries, connection, drop } = await OwnPostgres.start('installed', false);
  undo.push(drop);
  process.stdout.write(`PostgreSQL ${binaries.version}, from ${dirname(binaries.postgres)}\n`);
  const { host, port } = connection('superuser');
  return { host, port };
}
