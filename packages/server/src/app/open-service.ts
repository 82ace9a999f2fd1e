// Opens a service: finds its database, checks the schema and the root key, and reads its clock.
import { using } from '@eaas/protocol/internal';
import { type RootKey, rootKey, type Roots, sameBytes } from '@eaas/service';
import { CannotStart } from '../base/cannot-start.ts';
import { timeLimit } from '../base/time-limit.ts';
import { readClock } from '../jobs/clock.ts';
import { KeyHosts } from '../plugins/key-hosts.ts';
import { isPrepared } from '../postgres/checks.ts';
import { hasCitus } from '../postgres/citus.ts';
import { isMigrated, migrate, recordSchema, requireUnchanged } from '../postgres/migrate.ts';
import type { RootKeyProvider } from '../root-key/provider.ts';
import { checkRoots } from '../root-key/root-check.ts';
import { Database, type Shared } from '../postgres/database.ts';
import { unusable } from '../postgres/faults.ts';
import { type Connection, openPool, type Pool, type Sql } from '../postgres/sql.ts';
import { type HeadFile, openHeadFile } from '../state/head-file.ts';
import type { DatabaseOptions, ServeOptions } from './options.ts';
import { createService } from './service.ts';

/** A database of the service: how the server and the owner of the tables connect, and where its root key is. */
export interface OpenDatabase {
  readonly connection: Connection;
  readonly ownerConnection: Connection;
  readonly serverRole: string | null;
  readonly rootKey: RootKeyProvider;
  /** Says in messages which database this is, without user and password. */
  readonly named: string;
  /** The variables with the URLs, for messages. An embedded database has none. */
  readonly variables?: { readonly server: DatabaseOptions['urlVariable']; readonly owner: string };
  readonly close: () => Promise<void>;
}

/** Whether a server starts or a single command runs. Only a server warns. */
export type Purpose = 'serve' | 'command';

/** Finds the database of the options, and starts the embedded one if there is no URL. Close it afterwards. */
export async function openDatabase(options: DatabaseOptions, purpose: Purpose): Promise<OpenDatabase> {
  const { databaseUrl, urlVariable, migrateDatabaseUrl, openEmbedded, rootKey } = options;
  if (databaseUrl === null) {
    if (openEmbedded) return openEmbedded(rootKey, purpose);
    throw new CannotStart('The server needs a database: pass `databaseUrl` or `openEmbedded`.');
  }
  const ownerUrl = migrateDatabaseUrl ?? databaseUrl;
  const [server, owner] = [databaseUrl, ownerUrl].map((url) => decodeURIComponent(new URL(url).username));
  return {
    connection: databaseUrl,
    ownerConnection: ownerUrl,
    serverRole: server === owner ? null : (server ?? ''),
    rootKey: rootKey ?? noRootKey,
    named: databaseOf(databaseUrl),
    variables: {
      server: urlVariable,
      owner: migrateDatabaseUrl === null ? urlVariable : 'EAAS_MIGRATE_DATABASE_URL',
    },
    close: async () => {},
  };
}

/** Stands where no root key is configured: `load` throws CannotStart and names the variables. */
const noRootKey: RootKeyProvider = {
  load() {
    throw new CannotStart(
      'There is no root key: set EAAS_ROOT_KEY_FILE, EAAS_ROOT_KEY or EAAS_ROOT_KEY_COMMAND. ' +
        'For a new database, make a root key with `eaas root-key generate`. ' +
        'Keep a copy apart from the database, because without the root key nothing can be decrypted.',
    );
  },
};

/** Runs `work` on a connection of the role that owns the tables, and closes it afterwards. */
export async function asOwner<T>(
  { ownerConnection, variables }: OpenDatabase,
  work: (owner: Pool) => Promise<T>,
): Promise<T> {
  const owner = openPool(ownerConnection, 1);
  try {
    return await work(owner);
  } catch (error) {
    throw unusable(error, variables?.owner);
  } finally {
    await owner.end({ timeout: timeLimit(3) });
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

/** A service whose database and root key were checked, with its warnings. Close it afterwards. */
export type OpenService = Awaited<ReturnType<typeof openService>>;

/** What a command needs to open the service, and a server to begin. */
export type OpenOptions = DatabaseOptions & Pick<ServeOptions, 'warnings' | 'plugins' | 'issuerHosts'>;

/** Opens the service of the options. Throws CannotStart if its database, schema or root key does not fit. */
export async function openService(options: OpenOptions, purpose: Purpose) {
  const { plugins } = options;
  const database = await openDatabase(options, purpose);
  const shared: Shared = [];
  const limited = (most: number): Database => new Database(database.connection, most, shared);
  const connections = limited(10);
  const reads = limited(4);
  const background = limited(6);
  let headMemory: HeadFile | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([connections, reads, background].map((pool) => pool.close()));
    await headMemory?.close();
    await database.close();
  };
  const warnings = [...options.warnings];
  try {
    if (purpose === 'serve' && options.stateDirectory) {
      const opened = await openHeadFile(options.stateDirectory);
      headMemory = opened.heads;
      if (opened.warning !== undefined) warnings.push(opened.warning);
    }
    if (!database.variables) {
      await asOwner(database, async (owner) => {
        if (!(await isMigrated(owner))) await migrate(owner, database.serverRole);
      });
    } else {
      await connections.run((sql) => requireSchema(sql, database), 10_000);
    }
    // Commands work where they can: they find out what else was changed.
    const schemaAllow = options.schemaAllow ?? [];
    const roots = await loadRoots(database.rootKey, options.previousRootKey);
    if (purpose === 'serve') {
      const judged = await connections.run(
        (sql) => requireUnchanged(sql, { allow: schemaAllow, roots }),
        10_000,
      );
      if (judged.allowed.length > 0) warnings.push(allowedSentence(judged.allowed));
      if (judged.isUnknown) warnings.push(unknownSchema);
    }
    // As patient as the steps before: a database that is merely slow must not stop a start.
    await connections.transaction((tx) => checkRoots(tx, roots), 10_000);
    if (purpose === 'serve') await connections.run((sql) => recordSchema(sql, roots), 10_000);
    for (const plugin of purpose === 'serve' ? plugins : []) {
      warnings.push(...((await plugin.warnings?.(connections)) ?? []));
    }
    const keyHosts = new KeyHosts(options.issuerHosts ?? []);
    const isSpread = await connections.run(hasCitus);
    const parts = {
      database: connections,
      reads,
      background,
      isSpread,
      roots,
      keyHosts,
      plugins,
      headMemory,
    };
    const service = createService(parts);
    if (headMemory) headMemory.onFault = (error) => service.alarms.headsUnwritten(error);
    await readClock(service);
    return { service, database, warnings, close };
  } catch (error) {
    await close();
    throw unusable(error, database.variables?.server);
  }
}

/** Throws CannotStart if this program cannot use the tables of the database. Changes nothing. */
export async function requireSchema(sql: Sql, { named, variables }: OpenDatabase): Promise<void> {
  if (await isMigrated(sql)) return;
  const name = named.replace(/^./, (letter) => letter.toUpperCase());
  const isPerhapsOfApp = variables?.server === 'DATABASE_URL';
  const fault = (await isPrepared(sql))
    ? 'is not yet migrated to this version of the program: run `eaas migrate` first.'
    : isPerhapsOfApp
      ? "has no tables of Eaas, and was not changed. If this DATABASE_URL is the app's, set EAAS_DATABASE_URL to " +
        'the database of the service. If the service should use this database, run `eaas migrate` first.'
      : 'has no tables of Eaas yet: run `eaas migrate` first.';
  throw new CannotStart(`${name} ${fault}`);
}

/** What the log and the doctor say of what EAAS_SCHEMA_ALLOW admits. */
export const allowedSentence = (allowed: readonly string[]): string =>
  `EAAS_SCHEMA_ALLOW admits in the schema: ${allowed.join(', ')}. Nobody checks what these do.`;

/** What the log and the doctor say of a schema that nobody can judge yet. */
export const unknownSchema =
  'A later version has migrated the database, and no server of that version has run yet: until one has, this server cannot find out ' +
  'whether somebody has changed the schema. If you did not migrate, somebody else has written into eaas.steps.';

/** Loads the root keys: the current one first, and during a rotation the previous one. */
export async function loadRoots(current: RootKeyProvider, previous: RootKeyProvider | null): Promise<Roots> {
  const root = await load(current);
  const former = previous && (await load(previous));
  return !former || sameBytes(root.rootId, former.rootId) ? [root] : [root, former];
}

const load = async (provider: RootKeyProvider): Promise<RootKey> => using(await provider.load(), rootKey);
