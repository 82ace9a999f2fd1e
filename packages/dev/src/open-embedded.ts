// The embedded PostgreSQL as a database of the service, with its root key.
import { existsSync } from 'node:fs';
import {
  CannotStart,
  type OpenDatabase,
  type Purpose,
  readOrCreateRootKeyFile,
  type RootKeyProvider,
} from '@eaas/server/internal';
import { createDataDirectory, findDataDirectory } from './data-directory.ts';
import { startEmbeddedDatabase } from './embedded-database.ts';

/**
 * Returns a function that runs PostgreSQL on the data directory. `serve` creates the directory, its root key and its
 * database; a command only finds them.
 */
export function embeddedIn(dataDirectory: string | null) {
  return (rootKey: RootKeyProvider | null, purpose: Purpose): Promise<OpenDatabase> =>
    open(dataDirectory, rootKey, purpose).catch(cannotStart);
}

async function open(
  dataDirectory: string | null,
  given: RootKeyProvider | null,
  purpose: Purpose,
): Promise<OpenDatabase> {
  const find = purpose === 'serve' ? createDataDirectory : findDataDirectory;
  const { path, rootKeyFile, hasDatabase } = await find(dataDirectory);
  const inDirectory = () => readOrCreateRootKeyFile(rootKeyFile, { mayCreate: !hasDatabase });
  // The root key is created before the database, so that an interrupted start cannot leave a database without a root
  // key.
  if (!given && !hasDatabase) {
    const isNew = !existsSync(rootKeyFile);
    (await inDirectory()).fill(0);
    const advice =
      'Keep a copy of the root key in another place, because without the root key nothing can be decrypted.';
    if (isNew) process.stderr.write(`A new root key is in ${rootKeyFile}. ${advice}\n`);
  }
  const { connection, serverRole, close } = await startEmbeddedDatabase(path, purpose);
  return {
    connection: connection('server'),
    ownerConnection: connection('owner'),
    serverRole,
    rootKey: given ?? { load: () => inDirectory().catch(cannotStart) },
    named: `the database in ${path}`,
    close,
  };
}

function cannotStart(error: unknown): never {
  if (!(error instanceof Error) || error instanceof CannotStart) throw error;
  throw new CannotStart(error.message, { cause: error });
}
