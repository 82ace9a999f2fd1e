export const listTotals = `
-- How many entries of each action the subject has through an entry. The subject is a key, or the tenant itself.
create table eaas.entry_counts (
  tenant_id uuid not null,
  subject uuid not null,
  id bigint not null,
  created_at bigint not null,
  counts jsonb not null,
  primary key (tenant_id, subject, created_at)
);
create index entry_counts_by_id on eaas.entry_counts (tenant_id, id);
alter table eaas.usage_cursors add column summed_through bigint not null default 0;

create index keys_by_status on eaas.keys (tenant_id, status, created_id);
create index keys_by_any_name on eaas.keys (tenant_id, name);

-- The lock of the tenant's head orders the changes of keys, so the row is never contended.
create table eaas.key_counts (
  tenant_id uuid not null,
  status text not null,
  count bigint not null,
  primary key (tenant_id, status)
);
insert into eaas.key_counts (tenant_id, status, count)
  select tenant_id, status, count(*) from eaas.keys group by tenant_id, status;

create function eaas.count_key() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    update eaas.key_counts set count = count - 1 where tenant_id = old.tenant_id and status = old.status;
  end if;
  if tg_op <> 'DELETE' then
    insert into eaas.key_counts as known (tenant_id, status, count) values (new.tenant_id, new.status, 1)
      on conflict (tenant_id, status) do update set count = known.count + 1;
  end if;
  return null;
end $$;
revoke all on function eaas.count_key() from public;
create trigger keys_counted after insert or delete or update of status, tenant_id on eaas.keys
  for each row execute function eaas.count_key();

create or replace function eaas.destroy_tenant(tenant uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.entry_counts where tenant_id = tenant;
  delete from eaas.verification_markers where tenant_id = tenant;
  delete from eaas.api_key_uses where tenant_id = tenant;
  delete from eaas.key_version_uses where tenant_id = tenant;
  delete from eaas.usage where tenant_id = tenant;
  delete from eaas.usage_cursors where tenant_id = tenant;
  delete from eaas.audit_entries where tenant_id = tenant;
  delete from eaas.audit_anchors where tenant_id = tenant;
  delete from eaas.audit_heads where tenant_id = tenant;
  delete from eaas.key_versions where tenant_id = tenant;
  delete from eaas.keys where tenant_id = tenant;
  delete from eaas.key_counts where tenant_id = tenant;
  delete from eaas.api_keys where tenant_id = tenant;
  delete from eaas.row_records where tenant_id = tenant;
  delete from eaas.tenants where tenant_id = tenant;
  perform set_config('eaas.erasing', '', true);
end $$;
`;
