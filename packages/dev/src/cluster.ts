import type { Sql } from 'postgres';

export const ROLES = { owner: 'eaas_owner', server: 'eaas_server' } as const;

export async function ensureRoles(sql: Sql): Promise<void> {
  for (const role of Object.values(ROLES)) {
    const exists = await sql`select from pg_roles where rolname = ${role}`;
    if (exists.count === 0) await sql`create role ${sql(role)} login`;
  }
}

export async function createOwnedDatabase(sql: Sql, name: string, template = 'template0'): Promise<void> {
  await sql`create database ${sql(name)} owner ${sql(ROLES.owner)} template ${sql(template)}`;
  await restrict(sql, name);
}

export async function ensureOwnedDatabase(sql: Sql, name: string): Promise<void> {
  const exists = await sql`select from pg_database where datname = ${name}`;
  if (exists.count === 0) await createOwnedDatabase(sql, name);
  else await restrict(sql, name);
}

async function restrict(sql: Sql, name: string): Promise<void> {
  await sql`revoke all on database ${sql(name)} from public`;
  await sql`grant connect on database ${sql(name)} to ${sql(ROLES.server)}`;
}
