/**
 * Times are stored as integers (milliseconds since 1970), because the MAC of a row needs exactly one encoding of each
 * value.
 */
export const tables = `
create table eaas.root_checks (
  root_id bytea primary key,
  sealed bytea not null
);

create table eaas.tenants (
  tenant_id uuid primary key,
  name text not null unique,
  envelope_only boolean not null,
  monthly_encrypt_quota bigint,
  created_at bigint not null,
  root_id bytea not null,
  sealed_secret bytea not null,
  rev bigint not null,
  mac bytea not null
);

create table eaas.audit_heads (
  tenant_id uuid primary key references eaas.tenants,
  id bigint not null,
  hash bytea not null,
  state_id bigint not null,
  created_at bigint not null,
  month text not null,
  encrypts bigint not null,
  mac bytea not null
) with (fillfactor = 50);

create table eaas.audit_entries (
  tenant_id uuid not null,
  id bigint not null,
  action text not null,
  key_id uuid,
  key_version bigint,
  actor text not null,
  ip_address text,
  metadata text not null,
  created_at bigint not null,
  hash bytea not null,
  mac bytea not null,
  primary key (tenant_id, id)
);
create index audit_entries_by_key on eaas.audit_entries (tenant_id, key_id, id);
create index audit_entries_by_action on eaas.audit_entries (tenant_id, action, id);

create table eaas.audit_anchors (
  tenant_id uuid primary key references eaas.tenants,
  id bigint not null,
  hash bytea not null,
  rows_digest bytea not null,
  mac bytea not null
);

create table eaas.keys (
  key_id uuid primary key,
  tenant_id uuid not null references eaas.tenants,
  name text not null,
  key_version bigint not null,
  status text not null,
  exportable boolean not null,
  created_at bigint not null,
  rotated_at bigint,
  interval_days integer,
  next_rotation_at bigint,
  destroy_at bigint,
  sealed_hash_key bytea,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null
);
create unique index keys_by_name on eaas.keys (tenant_id, name) where status <> 'destroyed';
create index keys_by_age on eaas.keys (tenant_id, created_id);
create index keys_by_next_rotation on eaas.keys (next_rotation_at) where next_rotation_at is not null;
create index keys_by_destroy_at on eaas.keys (destroy_at) where destroy_at is not null;

create table eaas.key_versions (
  tenant_id uuid not null references eaas.tenants,
  key_id uuid not null references eaas.keys,
  key_version bigint not null,
  created_at bigint not null,
  sealed bytea,
  primary key (key_id, key_version)
);

create table eaas.api_keys (
  api_key_id uuid primary key,
  tenant_id uuid not null references eaas.tenants,
  name text not null,
  hint text not null,
  token_hash bytea not null unique,
  permissions text[] not null,
  key_ids uuid[],
  allowed_origins text[],
  expires_at bigint,
  created_at bigint not null,
  created_by text not null,
  revoked_at bigint,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null
);
create index api_keys_by_age on eaas.api_keys (tenant_id, created_id);

create table eaas.verifications (
  day text primary key,
  taken_at bigint not null,
  finished_at bigint,
  broken bigint
);

create table eaas.usage_cursors (
  tenant_id uuid primary key references eaas.tenants,
  counted_through bigint not null
);

create table eaas.usage (
  tenant_id uuid not null references eaas.tenants,
  month text not null,
  operation text not null,
  count bigint not null,
  primary key (tenant_id, month, operation)
);

create table eaas.key_version_uses (
  tenant_id uuid not null references eaas.tenants,
  key_id uuid not null,
  key_version bigint not null,
  wraps bigint not null,
  unwraps bigint not null,
  last_unwrap_at bigint,
  primary key (tenant_id, key_id, key_version)
);

create table eaas.api_key_uses (
  api_key_id uuid primary key references eaas.api_keys,
  tenant_id uuid not null references eaas.tenants,
  last_used_at bigint not null
);
`;
