import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { kill } from 'node:process';
import postgres from 'postgres';
import { embeddedBinaries } from './binaries.ts';
import { ensureOwnedDatabase, ensureRoles } from './cluster.ts';
import type { DataDirectory } from './data-directory.ts';
import { DATABASE, connectionTo, type EmbeddedDatabase } from './connection.ts';
import { DataDirectoryInUse, launchPostgres, type RunningPostgres } from './launch.ts';
import { isAlive, writeOwner, type Owner, type Purpose } from './owner-file.ts';

/** Starts PostgreSQL on a data directory that has no living owner: undefined when another process was first. */
export async function ownDatabase(
  directory: DataDirectory,
  purpose: Purpose,
  former: Owner | undefined,
): Promise<EmbeddedDatabase | undefined> {
  if (former !== undefined) await stopOrphan(former);
  const running = await launch(directory);
  if (running === undefined) return undefined;
  try {
    if (former !== undefined) await removeSocketDirectory(former);
    await prepare(running);
    await writeOwner(directory.ownerFile, purpose, running);
  } catch (error) {
    await running.stop();
    throw error;
  }
  // The file goes first, so that no command comes to a PostgreSQL that is about to stop.
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= rm(directory.ownerFile, { force: true }).then(() => running.stop()));
  return { connection: connectionTo(running), close };
}

async function launch(directory: DataDirectory): Promise<RunningPostgres | undefined> {
  const binaries = await embeddedBinaries();
  try {
    return await launchPostgres({ binaries, dataDirectory: directory.postgres, durable: true });
  } catch (error) {
    if (error instanceof DataDirectoryInUse) return undefined;
    throw error;
  }
}

async function prepare(running: RunningPostgres): Promise<void> {
  const { socketDirectory: host, port } = running;
  const sql = postgres({ host, port, database: 'postgres', username: 'postgres', max: 1 });
  try {
    await ensureRoles(sql);
    await ensureOwnedDatabase(sql, DATABASE);
  } finally {
    await sql.end();
  }
}

/** Where the system does not do it, PostgreSQL outlives a killed owner. The identity says that it is still the one. */
async function stopOrphan({ postgres }: Owner): Promise<void> {
  if (await isAlive(postgres)) kill(postgres.pid, 'SIGINT');
}

async function removeSocketDirectory({ socketDirectory }: Owner): Promise<void> {
  if (basename(socketDirectory).startsWith('eaas-'))
    await rm(socketDirectory, { recursive: true, force: true });
}
