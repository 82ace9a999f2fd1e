import { CannotStart } from '../base/cannot-start.ts';
import type { DatabaseOptions } from './options.ts';
import type { RootKeyProvider } from '../root-key/provider.ts';
import { type Connection, openPool, type Pool } from '../store/sql.ts';

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

export async function openDatabase(options: DatabaseOptions, purpose: Purpose): Promise<OpenDatabase> {
  const { databaseUrl, urlVariable, migrateDatabaseUrl, openEmbedded, rootKey } = options;
  if (databaseUrl === null) {
    if (openEmbedded) return openEmbedded(rootKey, purpose);
    throw new CannotStart('The server needs a database: pass `databaseUrl` or `openEmbedded`.');
  }
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

export const noRootKey: RootKeyProvider = {
  load() {
    throw new CannotStart(
      'There is no root key: set EAAS_ROOT_KEY_FILE, EAAS_ROOT_KEY, EAAS_ROOT_KEY_COMMAND or EAAS_ROOT_KEY_WRAPPED_FILE. ' +
        'For a new database, make a root key with `eaas root-key generate`. ' +
        'Keep a copy apart from the database, because without the root key nothing can be decrypted.',
    );
  },
};

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

/**
 * Names the database of a URL by its host and name, never with user or password. A password that is not
 * percent-encoded can look like a port or a path: the text then names nothing.
 */
export function databaseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || /@/.test(url.pathname + url.search + url.hash)) return 'a database';
  try {
    const name = decodeURIComponent(url.pathname.slice(1));
    const host = decodeURIComponent(url.host);
    if (name === '' || host === '') return 'a database';
    return `the database ${JSON.stringify(name)} on ${JSON.stringify(host).slice(1, -1)}`;
  } catch {
    return 'a database';
  }
}
