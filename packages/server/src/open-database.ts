import { existsSync } from 'node:fs';
import { CannotStart } from './cannot-start.ts';
import type { Config } from './config.ts';
import { databaseOf } from './config-values.ts';
import { createDataDirectory, findDataDirectory } from './data-directory.ts';
import { startEmbeddedDatabase } from './embedded/embedded-database.ts';
import { readOrCreateRootKeyFile } from './root-key/file.ts';
import { type RootKeyProvider, rootKeyInFile } from './root-key/provider.ts';
import { type Connection, openPool, type Pool } from './store/sql.ts';

export interface OpenDatabase {
  readonly embedded: boolean;
  readonly connection: Connection;
  readonly ownerConnection: Connection;
  readonly serverRole: string | null;
  readonly rootKey: RootKeyProvider;
  /** Says in messages which database this is, without user and password. */
  readonly named: string;
  /** Whether the URL comes from DATABASE_URL, which can be the app's. */
  readonly isPerhapsOfApp: boolean;
  readonly close: () => Promise<void>;
}

export type Purpose = 'serve' | 'command';

export async function openDatabase(config: Config, purpose: Purpose): Promise<OpenDatabase> {
  const { databaseUrl, urlVariable, migrateDatabaseUrl, rootKey } = config;
  if (databaseUrl === null) return openEmbedded(config, purpose).catch(cannotStart);
  const ownerUrl = migrateDatabaseUrl ?? databaseUrl;
  const [server, owner] = [databaseUrl, ownerUrl].map((url) => decodeURIComponent(new URL(url).username));
  return {
    ...databaseAt(databaseUrl, rootKey ?? noRootKey),
    ownerConnection: ownerUrl,
    serverRole: server === owner ? null : (server ?? ''),
    isPerhapsOfApp: urlVariable === 'DATABASE_URL',
  };
}

/** The server and the owner of the tables connect with the same settings. */
export function databaseAt(connection: Connection, rootKey: RootKeyProvider): OpenDatabase {
  const close = () => Promise.resolve();
  return {
    embedded: false,
    connection,
    ownerConnection: connection,
    serverRole: null,
    rootKey,
    named: typeof connection === 'string' ? databaseOf(connection) : 'the database',
    isPerhapsOfApp: false,
    close,
  };
}

const noRootKey: RootKeyProvider = {
  load() {
    throw new CannotStart(
      'There is no root key: set EAAS_ROOT_KEY_FILE, EAAS_ROOT_KEY, EAAS_ROOT_KEY_COMMAND or EAAS_ROOT_KEY_WRAPPED_FILE. ' +
        'For a new database, make a root key with `eaas root-key generate`. ' +
        'Keep a copy apart from the database, because without the root key nothing can be decrypted.',
    );
  },
};

export async function findRootKey({ rootKey, databaseUrl, dataDirectory }: Config): Promise<RootKeyProvider> {
  if (rootKey) return rootKey;
  if (databaseUrl !== null) return noRootKey;
  return rootKeyInFile('EAAS_DATA_DIR', (await findDataDirectory(dataDirectory)).rootKeyFile);
}

async function openEmbedded(config: Config, purpose: Purpose): Promise<OpenDatabase> {
  const find = purpose === 'serve' ? createDataDirectory : findDataDirectory;
  const { path, rootKeyFile, hasDatabase } = await find(config.dataDirectory);
  // Calls `hasDatabase` before PostgreSQL starts, because after the start a database always exists.
  const mayCreate = !hasDatabase();
  const inDirectory = () => readOrCreateRootKeyFile(rootKeyFile, { mayCreate });
  // The root key is created before the database, so that an interrupted start cannot leave a database without a root
  // key.
  if (!config.rootKey && mayCreate) {
    const isNew = !existsSync(rootKeyFile);
    (await inDirectory()).fill(0);
    if (isNew) {
      const advice =
        'Keep a copy of the root key in another place, because without the root key nothing can be decrypted.';
      process.stderr.write(`A new root key is in ${rootKeyFile}. ${advice}\n`);
    }
  }
  const { connection, serverRole, close } = await startEmbeddedDatabase(path, purpose);
  return {
    embedded: true,
    connection: connection('server'),
    ownerConnection: connection('owner'),
    serverRole,
    rootKey: config.rootKey ?? { load: () => inDirectory().catch(cannotStart) },
    named: `the database in ${path}`,
    isPerhapsOfApp: false,
    close,
  };
}

function cannotStart(error: unknown): never {
  if (!(error instanceof Error) || error instanceof CannotStart) throw error;
  throw new CannotStart(error.message, { cause: error });
}

export async function asOwner<T>(
  { ownerConnection }: OpenDatabase,
  work: (owner: Pool) => Promise<T>,
): Promise<T> {
  const owner = openPool(ownerConnection, 1);
  try {
    return await work(owner);
  } finally {
    await owner.end({ timeout: 3 });
  }
}
