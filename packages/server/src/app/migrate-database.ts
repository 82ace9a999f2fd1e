// Prepares or upgrades a database for `eaas migrate`. It refuses one with tables of somebody else, unless it may share it.
import { inLine } from '@eaas/protocol/internal';
import { CannotStart } from '../base/cannot-start.ts';
import { asOwner, databaseOf, openDatabase } from './open-service.ts';
import type { DatabaseOptions } from './options.ts';
import { foreignTables, isPrepared, requireVersion } from '../postgres/checks.ts';
import { migrate, type MigrateOptions, newerSchema } from '../postgres/migrate.ts';
import type { Pool } from '../postgres/sql.ts';

interface Migration extends MigrateOptions {
  /** Decides whether the service may share a database that has tables of somebody else. By throwing, it refuses. */
  readonly share?: (warning: string) => Promise<void>;
}

/** Creates or upgrades the tables, and grants the server its rights. Returns what was applied. Throws CannotStart. */
export async function migrateDatabase(
  config: DatabaseOptions,
  { share = refuse, ...options }: Migration = {},
) {
  const database = await openDatabase(config, 'command');
  const { serverRole, variables } = database;
  try {
    const applied = await asOwner(database, async (owner) => {
      await requireVersion(owner);
      if (serverRole !== null) await requireRole(owner, serverRole, config.urlVariable);
      const others = !variables || (await isPrepared(owner)) ? [] : await foreignTables(owner);
      if (others.length > 0) await share(warningOf(config, others));
      const applied = await migrate(owner, serverRole, { ...options, allow: config.schemaAllow ?? [] });
      const newer = await newerSchema(owner);
      if (newer !== undefined) options.note?.(`Warning: ${newer}`);
      return applied;
    });
    return { applied, server_role: serverRole };
  } finally {
    await database.close();
  }
}

async function refuse(warning: string): Promise<never> {
  throw new CannotStart(`Nothing was changed. ${warning}`);
}

function warningOf(
  { databaseUrl, migrateDatabaseUrl, urlVariable }: DatabaseOptions,
  others: readonly string[],
): string {
  const named = databaseOf(migrateDatabaseUrl ?? databaseUrl ?? '');
  const shown = [...others.slice(0, 3), ...(others.length > 3 ? ['…'] : [])].join(', ');
  const tables = others.length === 1 ? 'a table' : `${others.length} tables`;
  const remedy =
    urlVariable === 'DATABASE_URL'
      ? " If this DATABASE_URL is the app's, set EAAS_DATABASE_URL to the database of the service."
      : '';
  return (
    `The service should have a database of its own, but ${named} has ${tables} of somebody else (${inLine(shown)}). ` +
    `The migration adds the schema "eaas" there.${remedy}`
  );
}

async function requireRole(owner: Pool, role: string, variable: string): Promise<void> {
  if (role === '') {
    throw new CannotStart(
      `${variable} must contain the database user of the server, because the migration grants rights to this user.`,
    );
  }
  if ((await owner`select from pg_roles where rolname = ${role}`).count > 0) return;
  throw new CannotStart(
    `The role ${JSON.stringify(role)} of ${variable} does not exist. Connect as an administrator, and run: ` +
      `create role "${role.replaceAll('"', '""')}" login password '…';`,
  );
}
