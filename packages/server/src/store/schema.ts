// The tables of the service. The SQL functions and guards are in schema-functions.ts.

/**
 * How entries are found by the subject or the user that their metadata names, in SQL. `id` is the first 32 characters of its
 * id, or null. The names of the metadata are sorted, so both stand at its end, and no `}` follows but the last one. What a
 * context says of a `subject` has at least its own `}` behind it. A regular expression would cost each insert 70 µs.
 * `mayName` is the short condition of the index, because PostgreSQL prepares it again for each insert: with `id is not null`
 * instead, both indexes would cost 20 µs.
 */
function personAtEnd(name: string) {
  const [end, before] = ['right(metadata, 192)', `'"${name}":"'`];
  const id = `split_part(${end}, ${before}, -1)`;
  return {
    mayName: `strpos(${end}, ${before}) > 0`,
    id: `(case when right(metadata, 2) in ('"}', 'e}') and strpos(${id}, '}') = length(${id}) then left(${id}, 32) end)`,
  };
}

export const [inSubjects, inUsers] = [personAtEnd('subject'), personAtEnd('user')];

/**
 * The tenant is first in every primary key, so that the tables can be sharded by tenant. Times are integers
 * (milliseconds since 1970), because the MAC of a row needs exactly one encoding of each value.
 */
export const tables = `
create function eaas.now_ms() returns bigint language sql volatile
  return (extract(epoch from clock_timestamp()) * 1000)::bigint;

create table eaas.root_checks (
  root_id bytea primary key,
  sealed bytea not null
);

create table eaas.tenants (
  tenant_id uuid primary key,
  name text not null,
  envelope_only boolean not null,
  monthly_encrypt_quota bigint,
  created_at bigint not null,
  root_id bytea not null,
  sealed_secret bytea not null,
  rev bigint not null,
  mac bytea not null
);
create index tenants_by_name on eaas.tenants (name);

create table eaas.audit_heads (
  tenant_id uuid primary key references eaas.tenants,
  id bigint not null,
  hash bytea not null,
  state_id bigint not null,
  state_hash bytea not null,
  created_at bigint not null,
  month text not null,
  encrypts bigint not null,
  uncounted boolean not null default true,
  mac bytea not null
) with (fillfactor = 50);
create index audit_heads_uncounted on eaas.audit_heads (tenant_id) where uncounted;

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
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
create index audit_entries_by_key_and_time on eaas.audit_entries (tenant_id, key_id, created_at);
create index audit_entries_by_action_and_time on eaas.audit_entries (tenant_id, action, created_at);

create index audit_entries_by_subject on eaas.audit_entries (tenant_id, ${inSubjects.id}, id) where ${inSubjects.mayName};
create index audit_entries_by_user on eaas.audit_entries (tenant_id, ${inUsers.id}, id) where ${inUsers.mayName};

create table eaas.audit_anchors (
  tenant_id uuid primary key references eaas.tenants,
  id bigint not null,
  hash bytea not null,
  rows_digest bytea not null,
  mac bytea not null
);

create table eaas.keys (
  tenant_id uuid not null references eaas.tenants,
  key_id uuid not null,
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
  intake boolean not null,
  subjects text not null,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null,
  primary key (tenant_id, key_id)
);
create unique index keys_by_name on eaas.keys (tenant_id, name) where status <> 'destroyed';
create index keys_by_any_name on eaas.keys (tenant_id, name);
create index keys_by_status on eaas.keys (tenant_id, status, created_id);
create index keys_by_age on eaas.keys (tenant_id, created_id);
create index keys_by_next_rotation on eaas.keys (next_rotation_at) where next_rotation_at is not null;
create index keys_by_destroy_at on eaas.keys (destroy_at) where destroy_at is not null;

create table eaas.key_versions (
  tenant_id uuid not null references eaas.tenants,
  key_id uuid not null,
  key_version bigint not null,
  created_at bigint not null,
  sealed bytea,
  primary key (tenant_id, key_id, key_version),
  foreign key (tenant_id, key_id) references eaas.keys
);

-- The people whose data is encrypted. An erased one has no secret any more, and its row stays.
create table eaas.subjects (
  tenant_id uuid not null references eaas.tenants,
  subject_id bytea not null,
  sealed bytea,
  created_id bigint not null,
  created_at bigint not null,
  erased_id bigint,
  erased_at bigint,
  erased_hash bytea,
  mac bytea not null,
  primary key (tenant_id, subject_id)
);
create index subjects_by_age on eaas.subjects (tenant_id, created_id);
create index subjects_erased on eaas.subjects (tenant_id, erased_id) where erased_id is not null;

create table eaas.subject_counts (
  tenant_id uuid primary key,
  count bigint not null
);

create table eaas.key_counts (
  tenant_id uuid not null,
  status text not null,
  count bigint not null,
  primary key (tenant_id, status)
);

create table eaas.api_keys (
  tenant_id uuid not null references eaas.tenants,
  api_key_id uuid not null,
  name text not null,
  hint text not null,
  token_hash bytea not null,
  permissions text[] not null,
  key_ids uuid[],
  allowed_origins text[],
  expires_at bigint,
  created_at bigint not null,
  created_by text not null,
  revoked_at bigint,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null,
  primary key (tenant_id, api_key_id)
);
create unique index api_keys_by_token on eaas.api_keys (token_hash, tenant_id);
create index api_keys_by_age on eaas.api_keys (tenant_id, created_id);

-- Whose tokens the service accepts. The lists of keys and of required claims are canonical JSON, because a MAC needs exactly
-- one encoding.
create table eaas.issuers (
  tenant_id uuid not null references eaas.tenants,
  issuer_id uuid not null,
  name text not null,
  issuer text not null,
  audience text not null,
  authorized_parties text[],
  jwks text,
  jwks_uri text,
  permissions text[] not null,
  key_ids uuid[] not null,
  allowed_origins text[],
  subject_claim text not null,
  subject_prefix text not null,
  any_subject boolean not null,
  require text,
  max_age_seconds bigint not null,
  expires_at bigint,
  created_at bigint not null,
  created_by text not null,
  revoked_at bigint,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null,
  primary key (tenant_id, issuer_id)
);
create index issuers_by_id on eaas.issuers (issuer_id);
create index issuers_by_age on eaas.issuers (tenant_id, created_id);

-- The keys of the issuers with a jwks_uri, as they were last fetched. No entry records a fetch, so an older row can be put back.
-- It counts for a day at most.
create table eaas.key_sets (
  tenant_id uuid not null references eaas.tenants,
  issuer_id uuid not null,
  jwks_uri text not null,
  jwks text not null,
  fetched_at bigint not null,
  mac bytea not null,
  primary key (tenant_id, issuer_id),
  foreign key (tenant_id, issuer_id) references eaas.issuers
);

-- If the rev of a row differs from its newest record, an older row was put back.
create table eaas.row_records (
  tenant_id uuid not null,
  row_id uuid not null,
  rev bigint not null,
  primary key (tenant_id, row_id, rev)
);
create index row_records_by_rev on eaas.row_records (tenant_id, rev);

create table eaas.leases (
  job text primary key,
  holder uuid not null,
  fence bigint not null,
  expires_at bigint not null
);

create table eaas.verification_markers (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  valid boolean not null,
  night bigint not null,
  mac bytea not null
);

create table eaas.verifications (
  day text primary key,
  finished_at bigint not null,
  broken bigint not null,
  mac bytea not null
);

create table eaas.usage_cursors (
  tenant_id uuid primary key references eaas.tenants,
  counted_through bigint not null,
  summed_through bigint not null default 0,
  -- The oldest entry of the tenant is not older than this time.
  oldest_at bigint not null default 0
);
create index usage_cursors_by_oldest on eaas.usage_cursors (oldest_at);

-- How many entries of each action the row has through an entry. The row is a key, or the tenant itself.
create table eaas.entry_counts (
  tenant_id uuid not null,
  row_id uuid not null,
  id bigint not null,
  created_at bigint not null,
  counts jsonb not null,
  primary key (tenant_id, row_id, created_at)
);
create index entry_counts_by_id on eaas.entry_counts (tenant_id, id);

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
  tenant_id uuid not null references eaas.tenants,
  api_key_id uuid not null,
  last_used_at bigint not null,
  primary key (tenant_id, api_key_id),
  foreign key (tenant_id, api_key_id) references eaas.api_keys
);
`;
