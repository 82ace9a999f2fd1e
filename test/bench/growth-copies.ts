import type postgres from 'postgres';

/** The copied keys only fill the table. No call can use a copied key, because the MAC of its row is wrong. */
export async function copyKeys(
  sql: postgres.Sql,
  { tenantId, keyId }: { readonly tenantId: string; readonly keyId: string },
  size: number,
): Promise<void> {
  // Disables the trigger `keys_counted`, which would slow the copy by an update of `key_counts` for each key.
  await alterSchema(sql, 'alter table eaas.keys disable trigger keys_counted');
  const model = await rowOf(sql`select to_jsonb(k)::text as row from eaas.keys k
    where tenant_id = ${tenantId} and key_id = ${keyId}`);
  await sql`
    insert into eaas.keys select (jsonb_populate_record(null::eaas.keys, ${model}::text::jsonb ||
      jsonb_build_object('key_id', gen_random_uuid(), 'name', 'copy ' || nth, 'created_id', -nth,
      'status', case nth % 1000 when 0 then 'disabled' else 'active' end))).* from generate_series(1, ${size}::int) nth`;
  await alterSchema(sql, 'alter table eaas.keys enable trigger keys_counted');
  await sql`update eaas.key_counts c set count =
    (select count(*) from eaas.keys k where k.tenant_id = c.tenant_id and k.status = c.status)`;
  await sql`
    insert into eaas.key_versions (tenant_id, key_id, key_version, created_at, sealed)
    select k.tenant_id, k.key_id, 1, v.created_at, v.sealed from eaas.keys k, eaas.key_versions v
    where k.tenant_id = ${tenantId} and k.created_id < 0 and v.tenant_id = ${tenantId} and v.key_id = ${keyId}`;
  await sql`
    insert into eaas.row_records (tenant_id, row_id, rev) select tenant_id, key_id, rev from eaas.keys
    where tenant_id = ${tenantId} and created_id < 0`;
}

/** Reads a row that a second statement copies. Citus cannot copy a whole row to other shards in one statement. */
export async function rowOf(query: postgres.PendingQuery<postgres.Row[]>): Promise<string> {
  const [found] = await query;
  return String(found?.['row']);
}

async function alterSchema(sql: postgres.Sql, statement: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx.unsafe(statement);
  });
}

export async function copyTenants(sql: postgres.Sql, tenantId: string, size: number): Promise<void> {
  await sql`create temporary table copies as select gen_random_uuid() as id, nth from generate_series(1, ${size}::int) nth`;
  const tenant = await rowOf(
    sql`select to_jsonb(t)::text as row from eaas.tenants t where tenant_id = ${tenantId}`,
  );
  await sql`
    insert into eaas.tenants select (jsonb_populate_record(null::eaas.tenants, ${tenant}::text::jsonb ||
      jsonb_build_object('tenant_id', id, 'name', 'copy ' || nth))).* from copies`;
  const head = await rowOf(
    sql`select to_jsonb(h)::text as row from eaas.audit_heads h where tenant_id = ${tenantId}`,
  );
  await sql`
    insert into eaas.audit_heads select (jsonb_populate_record(null::eaas.audit_heads, ${head}::text::jsonb ||
      jsonb_build_object('tenant_id', id, 'id', 0, 'state_id', 0, 'encrypts', 0, 'uncounted', false))).* from copies`;
  await sql`insert into eaas.usage_cursors (tenant_id, counted_through, oldest_at) select id, 0, eaas.now_ms() from copies`;
  await sql`insert into eaas.row_records (tenant_id, row_id, rev) select id, id, 0 from copies`;
  const apiKey = await rowOf(
    sql`select to_jsonb(a)::text as row from eaas.api_keys a where tenant_id = ${tenantId}`,
  );
  await sql`
    insert into eaas.api_keys select (jsonb_populate_record(null::eaas.api_keys, ${apiKey}::text::jsonb ||
      jsonb_build_object('tenant_id', id, 'api_key_id', gen_random_uuid(),
      'token_hash', '\\x' || replace(gen_random_uuid()::text, '-', '')))).* from copies`;
  await sql`drop table copies`;
}
