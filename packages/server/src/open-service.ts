import { CannotStart } from './cannot-start.ts';
import type { Config } from './config.ts';
import { type RootKey, rootKey } from './crypto/key-hierarchy.ts';
import { sameBytes } from './crypto/same-bytes.ts';
import { openDatabase, type OpenDatabase, type Purpose } from './open-database.ts';
import { checkRoots } from './root-check.ts';
import type { RootKeyProvider } from './root-keys.ts';
import { createService, type Service } from './service.ts';
import { Database } from './store/database.ts';
import { isDenied } from './store/faults.ts';
import { clockDifference } from './store/jobs.ts';
import { isMigrated, migrate, ownsTables } from './store/migrate.ts';
import { openPool, type Pool } from './store/sql.ts';

/** A service on its database, ready to work. */
export interface OpenService {
  readonly service: Service;
  readonly database: OpenDatabase;
  /** Sentences for the operator about what can be worked with, and should not stay so. */
  readonly warnings: readonly string[];
  /** Ends the connections, and the embedded database if this process started it. */
  readonly close: () => Promise<void>;
}

/**
 * Opens what the configuration names: the database, migrated, and the root key that opens it. The embedded database is
 * made and migrated where need be; any other is left as it is. Throws CannotStart.
 */
export async function openService(config: Config, purpose: Purpose): Promise<OpenService> {
  const database = await openDatabase(config, purpose);
  const connections = new Database(database.connection);
  const reads = new Database(database.connection, 4);
  const background = new Database(database.connection, 6);
  const close = async (): Promise<void> => {
    await Promise.all([connections, reads, background].map((pool) => pool.close()));
    await database.close();
  };
  try {
    if (database.embedded) await migrateEmbedded(database);
    else await connections.run(requireMigrated, 10_000);
    const roots = await loadRoots(database.rootKey, config.previousRootKey);
    await connections.transaction((tx) => checkRoots(tx, roots));
    const serving = purpose === 'serve';
    const warnings = [
      ...config.warnings,
      ...(serving && config.unencrypted ? [unencrypted] : []),
      ...(serving && (await connections.run(ownsTables)) ? [asOwner] : []),
    ];
    const clock = serving ? Date.now : await databaseClock(connections);
    return {
      service: createService({ database: connections, reads, background, roots, clock }),
      database,
      warnings,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const asOwner =
  'The role of DATABASE_URL owns the tables, so that whoever takes over this process can remove the guards of the audit ' +
  'log. Give the server a role of its own: set EAAS_MIGRATE_DATABASE_URL to the owner, DATABASE_URL to another role, and ' +
  'run `eaas migrate`.';

const unencrypted =
  'EAAS_INSECURE_HTTP=1: API keys, data keys and plaintext travel unencrypted over the network.';

/** An operator's machine may be off; a server that is off is not ready. Entries of either must not go ahead of the rest. */
async function databaseClock(connections: Database): Promise<() => number> {
  const difference = await connections.run((sql) => clockDifference(sql, Date.now));
  return () => Date.now() - difference;
}

async function migrateEmbedded({ ownerConnection, serverRole }: OpenDatabase): Promise<void> {
  const owner = openPool(ownerConnection, 1);
  try {
    if (!(await isMigrated(owner))) await migrate(owner, serverRole);
  } finally {
    await owner.end({ timeout: 3 });
  }
}

async function requireMigrated(sql: Pool): Promise<void> {
  try {
    if (await isMigrated(sql)) return;
  } catch (error) {
    if (!isDenied(error)) throw error;
    throw new CannotStart(
      'The role of DATABASE_URL may not read the schema: run `eaas migrate` with EAAS_MIGRATE_DATABASE_URL set to the ' +
        'role that owns the tables; it grants what is needed.',
    );
  }
  throw new CannotStart(
    'The database is not prepared for this version of the program: run `eaas migrate` first.',
  );
}

async function loadRoots(
  current: RootKeyProvider,
  previous: RootKeyProvider | null,
): Promise<[RootKey, ...RootKey[]]> {
  const root = await load(current);
  if (!previous) return [root];
  const former = await load(previous);
  return sameBytes(root.rootId, former.rootId) ? [root] : [root, former];
}

async function load(provider: RootKeyProvider): Promise<RootKey> {
  const bytes = await provider.load();
  try {
    return rootKey(bytes);
  } finally {
    bytes.fill(0);
  }
}
