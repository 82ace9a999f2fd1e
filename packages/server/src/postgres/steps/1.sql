-- Step 1: the tables of the first release, in the empty schema `eaas`. A released step never changes: what comes later is a step
-- of its own. `functions.ts` makes what writes and erases rows after the steps, and `migrate.ts` grants the server's role its rights.
-- Expressions must be the same after `pg_restore` as before: it takes those of rows, such as `(a, b) is distinct from (c, d)`, apart.

-- Which steps were applied. Their number is the version of the schema.
create table eaas.steps (
  step integer primary key,
  applied_at timestamptz not null default now()
);

create function eaas.now_ms() returns bigint language sql volatile
  return (extract(epoch from clock_timestamp()) * 1000)::bigint;

-- What the database itself enforces: the log only grows, and rows go only forward. `enable always` lets a trigger fire even under
-- `session_replication_role`. TRUNCATE has triggers of its own, because it fires no row triggers.
create function eaas.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('eaas.erasing', true) = old.tenant_id::text then
    return old;
  end if;
  raise exception 'eaas.% is append-only: % is refused', tg_table_name, tg_op
    using errcode = 'insufficient_privilege';
end $$;

create function eaas.refuse_backwards() returns trigger language plpgsql as $$
begin
  raise exception 'eaas.% never goes back: % after %', tg_table_name, new.id, old.id
    using errcode = 'insufficient_privilege';
end $$;

create function eaas.refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'eaas.% must not be truncated', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create function eaas.refuse_rewrite() returns trigger language plpgsql as $$
begin
  raise exception 'eaas.% only grows: % is refused', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end $$;

-- The tenant is first in every primary key, so that the tables can be sharded by tenant. Times are integers (milliseconds since 1970),
-- because the MAC of a row needs exactly one encoding of each value. Rows of tenants are written under the head that they belong to,
-- so a foreign key stands only where a row is written without it.

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
create trigger tenants_no_truncate before truncate on eaas.tenants execute function eaas.refuse_truncate();
alter table eaas.tenants enable always trigger tenants_no_truncate;

create table eaas.audit_heads (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  sum bytea not null,
  nonce bytea not null,
  created_at bigint not null,
  month text not null,
  encrypts bigint not null,
  mac bytea not null
) with (fillfactor = 50);
create trigger audit_heads_forward before update on eaas.audit_heads
  for each row when (new.id < old.id) execute function eaas.refuse_backwards();
create trigger audit_heads_no_truncate before truncate on eaas.audit_heads execute function eaas.refuse_truncate();
alter table eaas.audit_heads enable always trigger audit_heads_forward, enable always trigger audit_heads_no_truncate;

-- The nonce of a link stands beside its first entry.
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
  salt bytea not null,
  hash bytea not null,
  mac bytea not null,
  nonce bytea,
  primary key (tenant_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
create index audit_entries_by_key on eaas.audit_entries (tenant_id, key_id, id);
-- PostgreSQL uses the next three for statements that say the same expressions: `tables.ts` has them, for the reasons there.
create index audit_entries_rare on eaas.audit_entries (tenant_id, action, id)
  where action not in ('key.wrap', 'key.unwrap', 'encrypt', 'decrypt');
create index audit_entries_by_subject on eaas.audit_entries (tenant_id, (case when right(metadata, 2) in ('"}', 'e}') and
    strpos(split_part(right(metadata, 192), '"subject":"', -1), '}') = length(split_part(right(metadata, 192), '"subject":"', -1))
    then left(split_part(right(metadata, 192), '"subject":"', -1), 32) end), id)
  where strpos(right(metadata, 192), '"subject":"') > 0;
create index audit_entries_by_user on eaas.audit_entries (tenant_id, (case when right(metadata, 2) in ('"}', 'e}') and
    strpos(split_part(right(metadata, 192), '"user":"', -1), '}') = length(split_part(right(metadata, 192), '"user":"', -1))
    then left(split_part(right(metadata, 192), '"user":"', -1), 32) end), id)
  where strpos(right(metadata, 192), '"user":"') > 0;
create trigger audit_entries_immutable before update or delete on eaas.audit_entries
  for each row execute function eaas.refuse_change();
create trigger audit_entries_no_truncate before truncate on eaas.audit_entries execute function eaas.refuse_truncate();
alter table eaas.audit_entries enable always trigger audit_entries_immutable, enable always trigger audit_entries_no_truncate;

-- In which blocks of 1,024 ids somebody, a frequent action, or both together have an entry. An index of all entries by actor and by
-- action would be a third of what an append costs.
create table eaas.audit_blocks (
  tenant_id uuid not null,
  of text not null,
  block bigint not null,
  primary key (tenant_id, of, block)
);
create function eaas.blocks_of(action text, actor text) returns text[] language sql immutable
  return array['by ' || actor] || case when not (action not in ('key.wrap', 'key.unwrap', 'encrypt', 'decrypt'))
    then array[action, action || ' by ' || actor] end;

create table eaas.audit_anchors (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  mac bytea not null
);
create trigger audit_anchors_forward before update on eaas.audit_anchors
  for each row when (new.id < old.id) execute function eaas.refuse_backwards();
create trigger audit_anchors_no_truncate before truncate on eaas.audit_anchors execute function eaas.refuse_truncate();
alter table eaas.audit_anchors enable always trigger audit_anchors_forward, enable always trigger audit_anchors_no_truncate;

-- The last two columns are null in rows of services without the plugins that know them.
create table eaas.keys (
  tenant_id uuid not null,
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
  min_version bigint not null,
  sealed_hash_key bytea,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null,
  subjects text,
  intake boolean,
  primary key (tenant_id, key_id)
);
create unique index keys_by_name on eaas.keys (tenant_id, name) where status <> 'destroyed';
create index keys_by_any_name on eaas.keys (tenant_id, name);
create index keys_by_status on eaas.keys (tenant_id, status, created_id);
create index keys_by_age on eaas.keys (tenant_id, created_id);
create index keys_by_next_rotation on eaas.keys (next_rotation_at) where next_rotation_at is not null;
create index keys_by_destroy_at on eaas.keys (destroy_at) where destroy_at is not null;
create trigger keys_no_truncate before truncate on eaas.keys execute function eaas.refuse_truncate();
alter table eaas.keys enable always trigger keys_no_truncate;

create table eaas.key_versions (
  tenant_id uuid not null,
  key_id uuid not null,
  key_version bigint not null,
  created_at bigint not null,
  sealed bytea,
  primary key (tenant_id, key_id, key_version)
);
create trigger key_versions_no_truncate before truncate on eaas.key_versions execute function eaas.refuse_truncate();
alter table eaas.key_versions enable always trigger key_versions_no_truncate;

create table eaas.api_keys (
  tenant_id uuid not null,
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
create index api_keys_by_token on eaas.api_keys (token_hash);
create index api_keys_by_age on eaas.api_keys (tenant_id, created_id);
create index api_keys_unrevoked on eaas.api_keys (tenant_id) where revoked_at is null;
create trigger api_keys_no_truncate before truncate on eaas.api_keys execute function eaas.refuse_truncate();
alter table eaas.api_keys enable always trigger api_keys_no_truncate;

create table eaas.api_key_uses (
  tenant_id uuid not null,
  api_key_id uuid not null,
  last_used_at bigint not null,
  primary key (tenant_id, api_key_id),
  foreign key (tenant_id, api_key_id) references eaas.api_keys
);

-- An erased subject has no secret any more, and its row stays.
create table eaas.subjects (
  tenant_id uuid not null,
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
create trigger subjects_no_truncate before truncate on eaas.subjects execute function eaas.refuse_truncate();
alter table eaas.subjects enable always trigger subjects_no_truncate;

-- The sign-ins whose tokens the service accepts. The lists of keys and of required claims are canonical JSON, because a MAC needs
-- exactly one encoding.
create table eaas.issuers (
  tenant_id uuid not null,
  issuer_id uuid not null,
  name text not null,
  kind text not null,
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
create trigger issuers_no_truncate before truncate on eaas.issuers execute function eaas.refuse_truncate();
alter table eaas.issuers enable always trigger issuers_no_truncate;

-- The keys of the issuers with a jwks_uri, as they were last fetched. No entry records a fetch, so an older row can be put back.
-- It counts for a day at most.
create table eaas.key_sets (
  tenant_id uuid not null,
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
create trigger row_records_immutable before update or delete on eaas.row_records
  for each row execute function eaas.refuse_change();
create trigger row_records_no_truncate before truncate on eaas.row_records execute function eaas.refuse_truncate();
alter table eaas.row_records enable always trigger row_records_immutable, enable always trigger row_records_no_truncate;

-- Zeros stand for no key and no version.
create table eaas.tallies (
  tenant_id uuid not null,
  key_id uuid not null,
  key_version bigint not null,
  action text not null,
  month text not null,
  n bigint not null,
  refused bigint not null,
  purged bigint not null,
  last_at bigint not null,
  primary key (tenant_id, key_id, key_version, action, month)
) with (fillfactor = 50);
create index tallies_by_action on eaas.tallies (tenant_id, action);
create index tallies_by_month on eaas.tallies (tenant_id, month);

create table eaas.row_counts (
  tenant_id uuid not null,
  counted text not null,
  kind text not null,
  n bigint not null,
  primary key (tenant_id, counted, kind)
) with (fillfactor = 50);

-- The last verification of each tenant, and of all together.
create table eaas.verifications (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  broken bigint not null,
  night bigint not null,
  mac bytea not null
);

-- What the schema of each version is like, as its first server has recorded it.
create table eaas.schema_records (
  step integer primary key,
  catalogue text not null,
  mac bytea not null
);

create table eaas.leases (
  job text primary key,
  holder uuid not null,
  fence bigint not null,
  expires_at bigint not null
);

-- The public log of all heads. A log has an origin, and the one without ended_at is the current one. What was begun, ended or halted
-- never changes. Only moments and proofs are deleted, when they are old.
create table eaas.log_keys (
  origin text primary key,
  public_key bytea not null,
  root_id bytea not null,
  sealed bytea not null,
  created_at bigint not null,
  ended_at bigint,
  halted text
);
create unique index log_keys_current on eaas.log_keys ((ended_at is null)) where ended_at is null;
create trigger log_keys_grows before update on eaas.log_keys for each row
  when (new.origin is distinct from old.origin or new.public_key is distinct from old.public_key
    or new.created_at is distinct from old.created_at or new.ended_at is distinct from old.ended_at and old.ended_at is not null
    or new.halted is distinct from old.halted and old.halted is not null)
  execute function eaas.refuse_rewrite();
alter table eaas.log_keys enable always trigger log_keys_grows;
create trigger log_keys_kept before delete on eaas.log_keys for each row execute function eaas.refuse_rewrite();
alter table eaas.log_keys enable always trigger log_keys_kept;
create trigger log_keys_no_truncate before truncate on eaas.log_keys execute function eaas.refuse_truncate();
alter table eaas.log_keys enable always trigger log_keys_no_truncate;

-- The tiles of C2SP's tlog-tiles. Level -1 has the entries. A row grows until it has 256 hashes or entries, and a partial tile is
-- a prefix of it.
create table eaas.log_tiles (
  origin text not null references eaas.log_keys,
  level integer not null,
  n bigint not null,
  bytes bytea not null,
  primary key (origin, level, n)
);
alter table eaas.log_tiles alter bytes set storage external;
create trigger log_tiles_grows before update on eaas.log_tiles for each row
  when (new.origin is distinct from old.origin or new.level is distinct from old.level or new.n is distinct from old.n
    or substr(new.bytes, 1, length(old.bytes)) is distinct from old.bytes)
  execute function eaas.refuse_rewrite();
alter table eaas.log_tiles enable always trigger log_tiles_grows;
create trigger log_tiles_kept before delete on eaas.log_tiles for each row execute function eaas.refuse_rewrite();
alter table eaas.log_tiles enable always trigger log_tiles_kept;
create trigger log_tiles_no_truncate before truncate on eaas.log_tiles execute function eaas.refuse_truncate();
alter table eaas.log_tiles enable always trigger log_tiles_no_truncate;

-- The checkpoint that a moment signed, with the cosignatures so far, of which it only gets more. It has the size index + 1.
create table eaas.log_moments (
  origin text not null references eaas.log_keys,
  index bigint not null,
  time bigint not null,
  root bytea not null,
  note text not null,
  witnessed boolean not null default false,
  primary key (origin, index)
);
create index log_moments_witnessed on eaas.log_moments (origin, index) where witnessed;
create trigger log_moments_grows before update on eaas.log_moments for each row
  when (new.origin is distinct from old.origin or new.index is distinct from old.index or new.time is distinct from old.time
    or new.root is distinct from old.root or not starts_with(new.note, old.note) or old.witnessed and not new.witnessed)
  execute function eaas.refuse_rewrite();
create trigger log_moments_no_truncate before truncate on eaas.log_moments execute function eaas.refuse_truncate();
alter table eaas.log_moments enable always trigger log_moments_grows, enable always trigger log_moments_no_truncate;

-- What proves that a moment has the head of a tenant: the hashes from the leaf up, 32 bytes each. The MAC is the log's.
create table eaas.log_proofs (
  tenant_id uuid not null,
  id bigint not null,
  hash bytea not null,
  mac bytea not null,
  origin text not null,
  index bigint not null,
  time bigint not null,
  path bytea not null,
  primary key (tenant_id, id, origin)
);
create index log_proofs_by_time on eaas.log_proofs (time);
create index log_proofs_by_moment on eaas.log_proofs (origin, index);
create trigger log_proofs_grows before update on eaas.log_proofs for each row execute function eaas.refuse_rewrite();
create trigger log_proofs_no_truncate before truncate on eaas.log_proofs execute function eaas.refuse_truncate();
alter table eaas.log_proofs enable always trigger log_proofs_grows, enable always trigger log_proofs_no_truncate;
