import { CannotStart } from './cannot-start.ts';
import type { Config } from './config.ts';
import { openDatabase } from './open-database.ts';
import { isDenied } from './store/faults.ts';
import { migrate } from './store/migrate.ts';
import { roleExists } from './store/roles.ts';
import { openPool, type Pool } from './store/sql.ts';

/** What a migration did. */
export interface Migrated {
  /** How many migrations were missing. */
  readonly applied: number;
  /** The role that was granted what the server needs; null where the owner itself serves. */
  readonly server_role: string | null;
}

/** Brings the configuration's database up to date, as the role that owns it. Throws CannotStart. */
export async function migrateDatabase(config: Config): Promise<Migrated> {
  const { ownerConnection, serverRole, close } = await openDatabase(config, 'command');
  const owner = openPool(ownerConnection, 1);
  try {
    if (serverRole !== null) await requireRole(owner, serverRole);
    return { applied: await migrate(owner, serverRole), server_role: serverRole };
  } catch (error) {
    throw isDenied(error) ? notTheOwner(error) : error;
  } finally {
    await owner.end({ timeout: 3 });
    await close();
  }
}

async function requireRole(owner: Pool, role: string): Promise<void> {
  if (role === '') {
    throw new CannotStart('DATABASE_URL must name its user, who is granted what the server needs.');
  }
  if (await roleExists(owner, role)) return;
  throw new CannotStart(
    `The role ${JSON.stringify(role)} of DATABASE_URL does not exist. Create it as an administrator: ` +
      `create role ${quoted(role)} login password '…';`,
  );
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function notTheOwner(error: unknown): CannotStart {
  const reason = error instanceof Error ? error.message : String(error);
  return new CannotStart(
    `The database refused (${reason}). A migration needs the role that owns the database: set EAAS_MIGRATE_DATABASE_URL ` +
      'to it, and DATABASE_URL to the one that the server runs under.',
    { cause: error },
  );
}
