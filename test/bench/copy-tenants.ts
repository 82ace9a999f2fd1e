import type postgres from 'postgres';

/** The copied tenants only fill the tables. No call can use them, because the MACs of their rows are wrong. */
export async function copyTenants(sql: postgres.Sql, tenantId: string, size: number): Promise<void> {
  await sql`create temporary table copies as select gen_random_uuid() as id, nth from generate_series(1, ${size}::int) nth`;
  const copy = async (table: string, changes: string): Promise<void> => {
    // A second statement inserts, because Citus cannot copy a whole row to other shards in one.
    const [model] = await sql`
      select to_jsonb(t)::text as row from eaas.${sql(table)} t where tenant_id = ${tenantId}`;
    await sql`
      insert into eaas.${sql(table)} select (jsonb_populate_record(null::eaas.${sql(table)},
        ${String(model?.['row'])}::text::jsonb || jsonb_build_object('tenant_id', id, ${sql.unsafe(changes)}))).* from copies`;
  };
  await copy('tenants', `'name', 'copy ' || nth`);
  await copy('audit_heads', `'id', 0`);
  await copy(
    'api_keys',
    `'api_key_id', gen_random_uuid(), 'token_hash', '\\x' || replace(gen_random_uuid()::text, '-', '')`,
  );
  await sql`insert into eaas.row_records (tenant_id, row_id, rev) select id, id, 0 from copies`;
  await sql`drop table copies`;
}
