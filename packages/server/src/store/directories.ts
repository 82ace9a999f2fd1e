import { databaseTime, type Sql } from './sql.ts';
import { first } from './rows.ts';

// A row of `token_directory` or `tenant_names` only finds a tenant. The service grants access only after it has checked
// the tenant's own rows.

const abandonedAfter = 60_000;

/** Returns the tenant of each hash that is found. The hashes are in hexadecimal. */
export async function findTokenTenants(
  sql: Sql,
  tokenHashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ token: string; tenant_id: string }[]>`
    select encode(token_hash, 'hex') as token, tenant_id from eaas.token_directory
    where token_hash = any (${tokenHashes.map((hash) => `\\x${hash}`)}::bytea[])`;
  return new Map(rows.map(({ token, tenant_id }) => [token, tenant_id]));
}

/** Call `enterToken` before the transaction that inserts the API key. */
export async function enterToken(sql: Sql, tenantId: string, tokenHash: Uint8Array): Promise<void> {
  await sql`insert into eaas.token_directory (token_hash, tenant_id) values (${tokenHash}, ${tenantId})`;
}

export async function removeToken(sql: Sql, tokenHash: Uint8Array): Promise<void> {
  await sql`delete from eaas.token_directory where token_hash = ${tokenHash}`;
}

/** The caller must compare the name with the tenant's row, because the tenant might have been renamed. */
export async function findNamedTenant(sql: Sql, name: string): Promise<string | undefined> {
  const row = await first(sql<{ tenant_id: string }[]>`
    select tenant_id from eaas.tenant_names where name = ${name}`);
  return row?.tenant_id;
}

/** Call `reserveName` before the transaction that writes the name to the tenant's row. */
export async function reserveName(sql: Sql, tenantId: string, name: string): Promise<boolean> {
  const { count } = await sql`
    insert into eaas.tenant_names as reserved (name, tenant_id) values (${name}, ${tenantId})
    on conflict (name) do update set tenant_id = excluded.tenant_id, created_at = excluded.created_at
      where reserved.tenant_id = excluded.tenant_id`;
  return count > 0 || takeOver(sql, tenantId, name);
}

async function takeOver(sql: Sql, tenantId: string, name: string): Promise<boolean> {
  const reserved = await findReservation(sql, name);
  if (!reserved?.is_old || (await isNamed(sql, reserved.tenant_id, name))) return false;
  const { count } = await sql`
    update eaas.tenant_names set tenant_id = ${tenantId}, created_at = ${reserved.now}
    where name = ${name} and tenant_id = ${reserved.tenant_id} and created_at = ${reserved.created_at}`;
  return count > 0;
}

export async function releaseName(sql: Sql, tenantId: string, name: string): Promise<void> {
  const reserved = await findReservation(sql, name);
  if (reserved?.tenant_id !== tenantId || (await isNamed(sql, tenantId, name))) return;
  // This statement does not delete a newer reservation by the same tenant, because its `created_at` is different.
  await sql`
    delete from eaas.tenant_names
    where name = ${name} and tenant_id = ${tenantId} and created_at = ${reserved.created_at}`;
}

// Names and tenants are read by separate statements, because Citus stores the two tables on different shards.

function findReservation(sql: Sql, name: string) {
  return first(sql<{ tenant_id: string; created_at: number; is_old: boolean; now: number }[]>`
    select tenant_id, created_at, eaas.now_ms() as now,
      created_at < eaas.now_ms() - ${abandonedAfter}::bigint as is_old
    from eaas.tenant_names where name = ${name}`);
}

async function isNamed(sql: Sql, tenantId: string, name: string): Promise<boolean> {
  const { count } = await sql`select 1 from eaas.tenants where tenant_id = ${tenantId} and name = ${name}`;
  return count > 0;
}

export async function removeFromDirectories(sql: Sql, tenantId: string): Promise<void> {
  await sql`delete from eaas.token_directory where tenant_id = ${tenantId}`;
  await sql`delete from eaas.tenant_names where tenant_id = ${tenantId}`;
}

/** The subqueries are materialized, because Citus cannot otherwise join tables on different shards. */
export async function removeAbandoned(sql: Sql, since: number): Promise<void> {
  const isDue = sql`created_at >= ${since}::bigint
    and created_at < ${(await databaseTime(sql)) - abandonedAfter}::bigint`;
  await sql`
    with due as materialized (select tenant_id, token_hash from eaas.token_directory where ${isDue}),
      known as materialized (
        select tenant_id, token_hash from eaas.api_keys join due using (tenant_id, token_hash)
        union all select tenant_id, token_hash from eaas.issuers join due using (tenant_id, token_hash))
    delete from eaas.token_directory d where ${isDue} and not exists (
      select 1 from known k where k.tenant_id = d.tenant_id and k.token_hash = d.token_hash)`;
  await sql`
    with due as materialized (select tenant_id, name from eaas.tenant_names where ${isDue}),
      known as materialized (select tenant_id, name from eaas.tenants join due using (tenant_id, name))
    delete from eaas.tenant_names d where ${isDue} and not exists (
      select 1 from known t where t.tenant_id = d.tenant_id and t.name = d.name)`;
}

export async function restoreMissing(sql: Sql): Promise<void> {
  for (const table of ['eaas.api_keys', 'eaas.issuers']) {
    await sql`
      with known as materialized (select token_hash from eaas.token_directory)
      insert into eaas.token_directory (token_hash, tenant_id) select token_hash, tenant_id from ${sql(table)} k
      where not exists (select 1 from known d where d.token_hash = k.token_hash) on conflict do nothing`;
  }
  await sql`
    with known as materialized (select name from eaas.tenant_names)
    insert into eaas.tenant_names (name, tenant_id) select name, tenant_id from eaas.tenants t
    where not exists (select 1 from known d where d.name = t.name) on conflict do nothing`;
}
