import { first } from './rows.ts';
import type { Sql } from './sql.ts';

// A directory row grants no access, because the service always checks the rows of the tenant as well.

const abandonedAfter = 60_000;

export async function findTokenTenant(sql: Sql, tokenHash: Uint8Array): Promise<string | undefined> {
  const row = await first(sql<{ tenant_id: string }[]>`
    select tenant_id from eaas.token_directory where token_hash = ${tokenHash}`);
  return row?.tenant_id;
}

/** Call `enterToken` before the transaction that inserts the API key. */
export async function enterToken(sql: Sql, tenantId: string, tokenHash: Uint8Array): Promise<void> {
  await sql`insert into eaas.token_directory (token_hash, tenant_id) values (${tokenHash}, ${tenantId})`;
}

export async function removeToken(sql: Sql, tokenHash: Uint8Array): Promise<void> {
  await sql`delete from eaas.token_directory where token_hash = ${tokenHash}`;
}

/** The caller must check the tenant's row, because the tenant might have been renamed. */
export async function findNamedTenant(sql: Sql, name: string): Promise<string | undefined> {
  const row = await first(sql<{ tenant_id: string }[]>`
    select tenant_id from eaas.tenant_names where name = ${name}`);
  return row?.tenant_id;
}

/** Call `reserveName` before the transaction that writes the name. */
export async function reserveName(sql: Sql, tenantId: string, name: string): Promise<boolean> {
  const { count } = await sql`
    insert into eaas.tenant_names as reserved (name, tenant_id) values (${name}, ${tenantId})
    on conflict (name) do update set tenant_id = excluded.tenant_id, created_at = excluded.created_at
      where reserved.tenant_id = excluded.tenant_id or (
        reserved.created_at < excluded.created_at - ${abandonedAfter}::bigint and not exists (
          select from eaas.tenants t where t.tenant_id = reserved.tenant_id and t.name = reserved.name))`;
  return count > 0;
}

export async function releaseName(sql: Sql, tenantId: string, name: string): Promise<void> {
  await sql`
    delete from eaas.tenant_names where name = ${name} and tenant_id = ${tenantId} and not exists (
      select from eaas.tenants t where t.tenant_id = ${tenantId} and t.name = ${name})`;
}

export async function removeFromDirectories(sql: Sql, tenantId: string): Promise<void> {
  await sql`delete from eaas.token_directory where tenant_id = ${tenantId}`;
  await sql`delete from eaas.tenant_names where tenant_id = ${tenantId}`;
}

export async function repairDirectories(sql: Sql): Promise<void> {
  await sql`
    delete from eaas.token_directory d where created_at < eaas.now_ms() - ${abandonedAfter}::bigint and not exists (
      select from eaas.api_keys k where k.tenant_id = d.tenant_id and k.token_hash = d.token_hash)`;
  await sql`
    delete from eaas.tenant_names d where created_at < eaas.now_ms() - ${abandonedAfter}::bigint and not exists (
      select from eaas.tenants t where t.tenant_id = d.tenant_id and t.name = d.name)`;
  await sql`
    insert into eaas.token_directory (token_hash, tenant_id) select token_hash, tenant_id from eaas.api_keys k
    where not exists (select from eaas.token_directory d where d.token_hash = k.token_hash) on conflict do nothing`;
  await sql`
    insert into eaas.tenant_names (name, tenant_id) select name, tenant_id from eaas.tenants t
    where not exists (select from eaas.tenant_names d where d.name = t.name) on conflict do nothing`;
}
