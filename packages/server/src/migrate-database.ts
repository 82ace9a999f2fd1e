import { CannotStart, reasonOf } from './cannot-start.ts';
import type { Config } from './config.ts';
import { asOwner, openDatabase } from './open-database.ts';
import { isDenied } from './store/faults.ts';
import { migrate, roleExists } from './store/migrate.ts';
import { readVersion, versionFault } from './store/postgres-version.ts';
import type { Pool } from './store/sql.ts';

export async function migrateDatabase(config: Config, onWait?: () => void) {
  const database = await openDatabase(config, 'command');
  const { serverRole } = database;
  try {
    const applied = await asOwner(database, async (owner) => {
      const fault = versionFault(await readVersion(owner));
      if (fault !== undefined) throw new CannotStart(fault);
      if (serverRole !== null) await requireRole(owner, serverRole);
      return migrate(owner, serverRole, onWait);
    });
    return { applied, server_role: serverRole };
  } catch (error) {
    if (!isDenied(error)) throw error;
    throw new CannotStart(
      `The database refused the migration (${reasonOf(error)}). ` +
        'Set EAAS_MIGRATE_DATABASE_URL to the role that owns the database, and DATABASE_URL to the role of the server.',
      { cause: error },
    );
  } finally {
    await database.close();
  }
}

async function requireRole(owner: Pool, role: string): Promise<void> {
  if (role === '') {
    throw new CannotStart(
      'DATABASE_URL must contain the database user of the server, because the migration grants rights to this user.',
    );
  }
  if (await roleExists(owner, role)) return;
  throw new CannotStart(
    `The role ${JSON.stringify(role)} of DATABASE_URL does not exist. Connect as an administrator, and run: ` +
      `create role "${role.replaceAll('"', '""')}" login password '…';`,
  );
}
