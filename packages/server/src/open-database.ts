import { existsSync } from 'node:fs';
import { CannotStart } from './cannot-start.ts';
import type { Config } from './config.ts';
import { ROLES } from './embedded/cluster.ts';
import { openDataDirectory } from './embedded/data-directory.ts';
import { embeddedDatabase } from './embedded/embedded-database.ts';
import { readOrCreateRootKeyFile } from './embedded/root-key-file.ts';
import type { RootKeyProvider } from './root-keys.ts';
import type { Connection } from './store/sql.ts';

/** A database while it can be reached, and how. */
export interface OpenDatabase {
  readonly embedded: boolean;
  /** Under the role that serves. */
  readonly connection: Connection;
  /** Under the role that owns the tables, if it is known. */
  readonly ownerConnection: Connection;
  /** The name of the role that serves, or null where it is the owner itself. */
  readonly serverRole: string | null;
  readonly rootKey: RootKeyProvider;
  /** Stops the embedded database if this process started it. May be called again. */
  readonly close: () => Promise<void>;
}

/** What for: `serve` for as long as the program runs, `command` for a short while, perhaps beside a `serve`. */
export type Purpose = 'serve' | 'command';

/** The database of the configuration: PostgreSQL at DATABASE_URL, else the embedded one. Throws CannotStart. */
export function openDatabase(config: Config, purpose: Purpose): Promise<OpenDatabase> {
  const { databaseUrl } = config;
  return databaseUrl === null ? openEmbedded(config, purpose) : Promise.resolve(atUrl(config, databaseUrl));
}

function atUrl({ rootKey, migrateDatabaseUrl }: Config, databaseUrl: string): OpenDatabase {
  const ownerUrl = migrateDatabaseUrl ?? databaseUrl;
  const [server, owner] = [userOf(databaseUrl), userOf(ownerUrl)];
  return {
    embedded: false,
    connection: databaseUrl,
    ownerConnection: ownerUrl,
    serverRole: server === owner ? null : server,
    rootKey: rootKey ?? noRootKey,
    close: () => Promise.resolve(),
  };
}

function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

const noRootKey: RootKeyProvider = {
  load() {
    throw new CannotStart(
      'There is no root key: set EAAS_ROOT_KEY or EAAS_ROOT_KEY_FILE. For a new database `eaas root-key generate` ' +
        'makes one; keep a copy of it apart from the database, because without it nothing can be decrypted.',
    );
  },
};

async function openEmbedded(config: Config, purpose: Purpose): Promise<OpenDatabase> {
  try {
    const directory = await openDataDirectory(config.dataDirectory);
    // Looked at before PostgreSQL is started, which makes one.
    const mayCreate = !directory.hasDatabase();
    const inDirectory = () => readOrCreateRootKeyFile(directory.rootKeyFile, { mayCreate });
    // Made first: were it made after the database, a start that is interrupted in between would leave one without.
    if (!config.rootKey && mayCreate) {
      const isNew = !existsSync(directory.rootKeyFile);
      (await inDirectory()).fill(0);
      if (isNew) process.stderr.write(newRootKey(directory.rootKeyFile));
    }
    const { connection, close } = await embeddedDatabase(directory, purpose);
    return {
      embedded: true,
      connection: connection('server'),
      ownerConnection: connection('owner'),
      serverRole: ROLES.server,
      rootKey: config.rootKey ?? { load: () => refuseWith(inDirectory) },
      close,
    };
  } catch (error) {
    throw asCannotStart(error);
  }
}

function newRootKey(file: string): string {
  return `A new root key is in ${file}. Keep a copy of it somewhere else: without it nothing can be decrypted.\n`;
}

async function refuseWith<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asCannotStart(error);
  }
}

/** What goes wrong with a data directory says in a sentence what to do about it. */
function asCannotStart(error: unknown): unknown {
  return error instanceof Error && !(error instanceof CannotStart)
    ? new CannotStart(error.message, { cause: error })
    : error;
}
