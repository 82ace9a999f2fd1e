--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: eaas; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA eaas;


--
-- Name: append(uuid, bigint, bytea, bigint, bytea, bytea, bytea, bigint, text, bigint, bytea, bigint, json, bytea, json, json, jsonb); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.append(tenant uuid, expected_id bigint, expected_mac bytea, next_id bigint, next_hash bytea, next_sum bytea, next_nonce bytea, next_created_at bigint, next_month text, next_encrypts bigint, next_mac bytea, moment bigint, runs json, seals bytea, blocks json, counts json, rows jsonb) RETURNS text
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    AS $$
declare
  present bigint := eaas.now_ms();
  skipped int := 0;
begin
  if not (moment between present - 10000 and present + 1000) then
    return 'clock ' || present;
  end if;
  update eaas.audit_heads set id = next_id, hash = next_hash, sum = next_sum, nonce = next_nonce, created_at = next_created_at, month = next_month, encrypts = next_encrypts, mac = next_mac
  where tenant_id = tenant and id = expected_id and mac = expected_mac;
  if not found then
    return 'moved ' || present || coalesce((select ' ' || to_json(h) from eaas.audit_heads h where tenant_id = tenant), '');
  end if;
  insert into eaas.audit_entries
    (tenant_id, id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac, salt, nonce)
  select tenant, expected_id + number, action, key_id, key_version, actor, ip_address, metadata, next_created_at,
    substr(seals, 80 * (skipped + number) - 79, 32), substr(seals, 80 * (skipped + number) - 47, 32),
    substr(seals, 80 * (skipped + number) - 15, 16), case when number = 1 then next_nonce end
  from json_to_recordset(runs) as run (of int,
    first int, last int, action text, key_id uuid, key_version bigint, actor text, ip_address text, metadata text),
    generate_series(first, last) as number;
  if blocks is not null then
    insert into eaas.audit_blocks (tenant_id, of, block)
    select tenant, substr(name, strpos(name, ' ') + 1), split_part(name, ' ', 1)::bigint
    from json_to_recordset(blocks) as block (of int, name text)
    on conflict do nothing;
  end if;
  insert into eaas.tallies as known (tenant_id, key_id, key_version, action, month, n, refused, purged, last_at)
  select tenant, coalesce(key_id, '00000000-0000-0000-0000-000000000000'), coalesce(key_version, 0), action, next_month, n, refused, 0, next_created_at
  from json_to_recordset(counts) as tally
    (of int, key_id uuid, key_version bigint, action text, n bigint, refused bigint)
  on conflict (tenant_id, key_id, key_version, action, month) do update
    set n = known.n + excluded.n, refused = known.refused + excluded.refused,
      last_at = case when excluded.n > 0 then excluded.last_at else known.last_at end;
  if rows is not null then
    if rows ? 'row_records' then
      insert into eaas.row_records (tenant_id, row_id, rev)
      select tenant, row_id, rev from jsonb_populate_recordset(null::eaas.row_records, rows -> 'row_records');
    end if;
    if rows ? 'tenants' then
      insert into eaas.tenants (tenant_id, created_at, envelope_only, mac, monthly_encrypt_quota, name, rev, root_id, sealed_secret)
      select tenant, created_at, envelope_only, mac, monthly_encrypt_quota, name, rev, root_id, sealed_secret from jsonb_populate_recordset(null::eaas.tenants, rows -> 'tenants')
      on conflict (tenant_id) do update set created_at = excluded.created_at, envelope_only = excluded.envelope_only, mac = excluded.mac, monthly_encrypt_quota = excluded.monthly_encrypt_quota, name = excluded.name, rev = excluded.rev, root_id = excluded.root_id, sealed_secret = excluded.sealed_secret;
    end if;
    if rows ? 'keys' then
      insert into eaas.row_counts as known (tenant_id, counted, kind, n)
      select tenant, 'keys', kind, sum(change) from (
        select coalesce(status, 'null') as kind, 1 as change from jsonb_populate_recordset(null::eaas.keys, rows -> 'keys')
        union all
        select kind, -1 from jsonb_populate_recordset(null::eaas.keys, rows -> 'keys') as new
          cross join lateral (select coalesce(status, 'null') as kind from eaas.keys where tenant_id = tenant and key_id = new.key_id limit 1) old
      ) changes group by kind having sum(change) <> 0
      on conflict (tenant_id, counted, kind) do update set n = known.n + excluded.n;
      insert into eaas.keys (tenant_id, created_at, created_id, destroy_at, exportable, intake, interval_days, key_id, key_version, mac, min_version, name, next_rotation_at, rev, rotated_at, sealed_hash_key, status, subjects)
      select tenant, created_at, created_id, destroy_at, exportable, intake, interval_days, key_id, key_version, mac, min_version, name, next_rotation_at, rev, rotated_at, sealed_hash_key, status, subjects from jsonb_populate_recordset(null::eaas.keys, rows -> 'keys')
      on conflict (tenant_id, key_id) do update set created_at = excluded.created_at, created_id = excluded.created_id, destroy_at = excluded.destroy_at, exportable = excluded.exportable, intake = excluded.intake, interval_days = excluded.interval_days, key_version = excluded.key_version, mac = excluded.mac, min_version = excluded.min_version, name = excluded.name, next_rotation_at = excluded.next_rotation_at, rev = excluded.rev, rotated_at = excluded.rotated_at, sealed_hash_key = excluded.sealed_hash_key, status = excluded.status, subjects = excluded.subjects;
    end if;
    if rows ? 'key_versions' then
      insert into eaas.key_versions (tenant_id, created_at, key_id, key_version, sealed)
      select tenant, created_at, key_id, key_version, sealed from jsonb_populate_recordset(null::eaas.key_versions, rows -> 'key_versions')
      on conflict (tenant_id, key_id, key_version) do update set sealed = excluded.sealed;
    end if;
    if rows ? 'api_keys' then
      insert into eaas.api_keys (tenant_id, allowed_origins, api_key_id, created_at, created_by, created_id, expires_at, hint, key_ids, mac, name, permissions, rev, revoked_at, token_hash)
      select tenant, allowed_origins, api_key_id, created_at, created_by, created_id, expires_at, hint, key_ids, mac, name, permissions, rev, revoked_at, token_hash from jsonb_populate_recordset(null::eaas.api_keys, rows -> 'api_keys')
      on conflict (tenant_id, api_key_id) do update set allowed_origins = excluded.allowed_origins, created_at = excluded.created_at, created_by = excluded.created_by, created_id = excluded.created_id, expires_at = excluded.expires_at, hint = excluded.hint, key_ids = excluded.key_ids, mac = excluded.mac, name = excluded.name, permissions = excluded.permissions, rev = excluded.rev, revoked_at = excluded.revoked_at, token_hash = excluded.token_hash;
    end if;
    if rows ? 'subjects' then
      insert into eaas.row_counts as known (tenant_id, counted, kind, n)
      select tenant, 'subjects', kind, sum(change) from (
        select coalesce(case when erased_id is not null then 'erased' end, 'null') as kind, 1 as change from jsonb_populate_recordset(null::eaas.subjects, rows -> 'subjects')
        union all
        select kind, -1 from jsonb_populate_recordset(null::eaas.subjects, rows -> 'subjects') as new
          cross join lateral (select coalesce(case when erased_id is not null then 'erased' end, 'null') as kind from eaas.subjects where tenant_id = tenant and subject_id = new.subject_id limit 1) old
      ) changes group by kind having sum(change) <> 0
      on conflict (tenant_id, counted, kind) do update set n = known.n + excluded.n;
      insert into eaas.subjects (tenant_id, created_at, created_id, erased_at, erased_hash, erased_id, mac, sealed, subject_id)
      select tenant, created_at, created_id, erased_at, erased_hash, erased_id, mac, sealed, subject_id from jsonb_populate_recordset(null::eaas.subjects, rows -> 'subjects')
      on conflict (tenant_id, subject_id) do update set sealed = excluded.sealed, erased_id = excluded.erased_id, erased_at = excluded.erased_at, erased_hash = excluded.erased_hash, mac = excluded.mac;
    end if;
    if rows ? 'issuers' then
      insert into eaas.issuers (tenant_id, allowed_origins, any_subject, audience, authorized_parties, created_at, created_by, created_id, expires_at, issuer, issuer_id, jwks, jwks_uri, key_ids, kind, mac, max_age_seconds, name, permissions, require, rev, revoked_at, subject_claim, subject_prefix)
      select tenant, allowed_origins, any_subject, audience, authorized_parties, created_at, created_by, created_id, expires_at, issuer, issuer_id, jwks, jwks_uri, key_ids, kind, mac, max_age_seconds, name, permissions, require, rev, revoked_at, subject_claim, subject_prefix from jsonb_populate_recordset(null::eaas.issuers, rows -> 'issuers')
      on conflict (tenant_id, issuer_id) do update set allowed_origins = excluded.allowed_origins, any_subject = excluded.any_subject, audience = excluded.audience, authorized_parties = excluded.authorized_parties, created_at = excluded.created_at, created_by = excluded.created_by, created_id = excluded.created_id, expires_at = excluded.expires_at, issuer = excluded.issuer, jwks = excluded.jwks, jwks_uri = excluded.jwks_uri, key_ids = excluded.key_ids, kind = excluded.kind, mac = excluded.mac, max_age_seconds = excluded.max_age_seconds, name = excluded.name, permissions = excluded.permissions, require = excluded.require, rev = excluded.rev, revoked_at = excluded.revoked_at, subject_claim = excluded.subject_claim, subject_prefix = excluded.subject_prefix;
    end if;
  end if;
  return 'written ' || present;
end $$;


--
-- Name: append_all(json, json, bytea, json, json); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.append_all(links json, runs json, seals bytea, blocks json, counts json) RETURNS text
    LANGUAGE plpgsql
    SET lock_timeout TO '1s'
    AS $$
declare
  present bigint := eaas.now_ms();
  written int[] := '{}';
  moved jsonb := '{}';
  own record;
begin
  for own in select * from json_to_recordset(links) as link (nth int, 
  tenant uuid, expected_id bigint, expected_mac bytea,
  next_id bigint, next_hash bytea, next_sum bytea, next_nonce bytea, next_created_at bigint, next_month text,
  next_encrypts bigint, next_mac bytea, moment bigint)
    where moment between present - 10000 and present + 1000
  loop
    update eaas.audit_heads set id = own.next_id, hash = own.next_hash, sum = own.next_sum, nonce = own.next_nonce, created_at = own.next_created_at, month = own.next_month, encrypts = own.next_encrypts, mac = own.next_mac
    where ctid = (
      select ctid from eaas.audit_heads where tenant_id = own.tenant and id = own.expected_id and mac = own.expected_mac
      for update skip locked);
    if found then
      written := written || own.nth;
    else
      moved := moved || coalesce((select jsonb_build_object(own.nth, to_jsonb(h)) from eaas.audit_heads h
        where tenant_id = own.tenant and mac <> own.expected_mac), '{}');
    end if;
  end loop;
  insert into eaas.audit_entries
    (tenant_id, id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac, salt, nonce)
  select tenant, expected_id + number, action, key_id, key_version, actor, ip_address, metadata, next_created_at,
    substr(seals, 80 * (skipped + number) - 79, 32), substr(seals, 80 * (skipped + number) - 47, 32),
    substr(seals, 80 * (skipped + number) - 15, 16), case when number = 1 then next_nonce end
  from json_to_recordset(links) as link (nth int, skipped int, 
  tenant uuid, expected_id bigint, expected_mac bytea,
  next_id bigint, next_hash bytea, next_sum bytea, next_nonce bytea, next_created_at bigint, next_month text,
  next_encrypts bigint, next_mac bytea, moment bigint)
    join json_to_recordset(runs) as run (of int,
    first int, last int, action text, key_id uuid, key_version bigint, actor text, ip_address text, metadata text) on of = nth and nth = any (written),
    generate_series(first, last) as number;
  if blocks is not null then
    insert into eaas.audit_blocks (tenant_id, of, block)
    select tenant, substr(name, strpos(name, ' ') + 1), split_part(name, ' ', 1)::bigint
    from json_to_recordset(links) as link (nth int, skipped int, 
  tenant uuid, expected_id bigint, expected_mac bytea,
  next_id bigint, next_hash bytea, next_sum bytea, next_nonce bytea, next_created_at bigint, next_month text,
  next_encrypts bigint, next_mac bytea, moment bigint)
    join json_to_recordset(blocks) as block (of int, name text) on of = nth and nth = any (written)
    on conflict do nothing;
  end if;
  insert into eaas.tallies as known (tenant_id, key_id, key_version, action, month, n, refused, purged, last_at)
  select tenant, coalesce(key_id, '00000000-0000-0000-0000-000000000000'), coalesce(key_version, 0), action, next_month, n, refused, 0, next_created_at
  from json_to_recordset(links) as link (nth int, skipped int, 
  tenant uuid, expected_id bigint, expected_mac bytea,
  next_id bigint, next_hash bytea, next_sum bytea, next_nonce bytea, next_created_at bigint, next_month text,
  next_encrypts bigint, next_mac bytea, moment bigint)
    join json_to_recordset(counts) as tally
    (of int, key_id uuid, key_version bigint, action text, n bigint, refused bigint) on of = nth and nth = any (written)
  on conflict (tenant_id, key_id, key_version, action, month) do update
    set n = known.n + excluded.n, refused = known.refused + excluded.refused,
      last_at = case when excluded.n > 0 then excluded.last_at else known.last_at end;
  return json_build_object('time', present, 'written', written, 'moved', moved);
end $$;


--
-- Name: blocks_of(text, text); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.blocks_of(action text, actor text) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    RETURN (ARRAY[('by '::text || actor)] || CASE WHEN (NOT (action <> ALL (ARRAY['key.wrap'::text, 'key.unwrap'::text, 'encrypt'::text, 'decrypt'::text]))) THEN ARRAY[action, ((action || ' by '::text) || actor)] ELSE NULL::text[] END);


--
-- Name: create_tenant(uuid, bigint, bytea, bytea, bytea, bigint, text, bigint, bytea, jsonb); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.create_tenant(tenant uuid, head_id bigint, head_hash bytea, head_sum bytea, head_nonce bytea, head_created_at bigint, head_month text, head_encrypts bigint, head_mac bytea, rows jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
  insert into eaas.audit_heads (tenant_id, id, hash, sum, nonce, created_at, month, encrypts, mac)
  values (tenant, head_id, head_hash, head_sum, head_nonce, head_created_at, head_month, head_encrypts, head_mac);
  
    if rows ? 'row_records' then
      insert into eaas.row_records (tenant_id, row_id, rev)
      select tenant, row_id, rev from jsonb_populate_recordset(null::eaas.row_records, rows -> 'row_records');
    end if;
    if rows ? 'tenants' then
      insert into eaas.tenants (tenant_id, created_at, envelope_only, mac, monthly_encrypt_quota, name, rev, root_id, sealed_secret)
      select tenant, created_at, envelope_only, mac, monthly_encrypt_quota, name, rev, root_id, sealed_secret from jsonb_populate_recordset(null::eaas.tenants, rows -> 'tenants')
      on conflict (tenant_id) do update set created_at = excluded.created_at, envelope_only = excluded.envelope_only, mac = excluded.mac, monthly_encrypt_quota = excluded.monthly_encrypt_quota, name = excluded.name, rev = excluded.rev, root_id = excluded.root_id, sealed_secret = excluded.sealed_secret;
    end if;
    if rows ? 'keys' then
      insert into eaas.row_counts as known (tenant_id, counted, kind, n)
      select tenant, 'keys', kind, sum(change) from (
        select coalesce(status, 'null') as kind, 1 as change from jsonb_populate_recordset(null::eaas.keys, rows -> 'keys')
        union all
        select kind, -1 from jsonb_populate_recordset(null::eaas.keys, rows -> 'keys') as new
          cross join lateral (select coalesce(status, 'null') as kind from eaas.keys where tenant_id = tenant and key_id = new.key_id limit 1) old
      ) changes group by kind having sum(change) <> 0
      on conflict (tenant_id, counted, kind) do update set n = known.n + excluded.n;
      insert into eaas.keys (tenant_id, created_at, created_id, destroy_at, exportable, intake, interval_days, key_id, key_version, mac, min_version, name, next_rotation_at, rev, rotated_at, sealed_hash_key, status, subjects)
      select tenant, created_at, created_id, destroy_at, exportable, intake, interval_days, key_id, key_version, mac, min_version, name, next_rotation_at, rev, rotated_at, sealed_hash_key, status, subjects from jsonb_populate_recordset(null::eaas.keys, rows -> 'keys')
      on conflict (tenant_id, key_id) do update set created_at = excluded.created_at, created_id = excluded.created_id, destroy_at = excluded.destroy_at, exportable = excluded.exportable, intake = excluded.intake, interval_days = excluded.interval_days, key_version = excluded.key_version, mac = excluded.mac, min_version = excluded.min_version, name = excluded.name, next_rotation_at = excluded.next_rotation_at, rev = excluded.rev, rotated_at = excluded.rotated_at, sealed_hash_key = excluded.sealed_hash_key, status = excluded.status, subjects = excluded.subjects;
    end if;
    if rows ? 'key_versions' then
      insert into eaas.key_versions (tenant_id, created_at, key_id, key_version, sealed)
      select tenant, created_at, key_id, key_version, sealed from jsonb_populate_recordset(null::eaas.key_versions, rows -> 'key_versions')
      on conflict (tenant_id, key_id, key_version) do update set sealed = excluded.sealed;
    end if;
    if rows ? 'api_keys' then
      insert into eaas.api_keys (tenant_id, allowed_origins, api_key_id, created_at, created_by, created_id, expires_at, hint, key_ids, mac, name, permissions, rev, revoked_at, token_hash)
      select tenant, allowed_origins, api_key_id, created_at, created_by, created_id, expires_at, hint, key_ids, mac, name, permissions, rev, revoked_at, token_hash from jsonb_populate_recordset(null::eaas.api_keys, rows -> 'api_keys')
      on conflict (tenant_id, api_key_id) do update set allowed_origins = excluded.allowed_origins, created_at = excluded.created_at, created_by = excluded.created_by, created_id = excluded.created_id, expires_at = excluded.expires_at, hint = excluded.hint, key_ids = excluded.key_ids, mac = excluded.mac, name = excluded.name, permissions = excluded.permissions, rev = excluded.rev, revoked_at = excluded.revoked_at, token_hash = excluded.token_hash;
    end if;
    if rows ? 'subjects' then
      insert into eaas.row_counts as known (tenant_id, counted, kind, n)
      select tenant, 'subjects', kind, sum(change) from (
        select coalesce(case when erased_id is not null then 'erased' end, 'null') as kind, 1 as change from jsonb_populate_recordset(null::eaas.subjects, rows -> 'subjects')
        union all
        select kind, -1 from jsonb_populate_recordset(null::eaas.subjects, rows -> 'subjects') as new
          cross join lateral (select coalesce(case when erased_id is not null then 'erased' end, 'null') as kind from eaas.subjects where tenant_id = tenant and subject_id = new.subject_id limit 1) old
      ) changes group by kind having sum(change) <> 0
      on conflict (tenant_id, counted, kind) do update set n = known.n + excluded.n;
      insert into eaas.subjects (tenant_id, created_at, created_id, erased_at, erased_hash, erased_id, mac, sealed, subject_id)
      select tenant, created_at, created_id, erased_at, erased_hash, erased_id, mac, sealed, subject_id from jsonb_populate_recordset(null::eaas.subjects, rows -> 'subjects')
      on conflict (tenant_id, subject_id) do update set sealed = excluded.sealed, erased_id = excluded.erased_id, erased_at = excluded.erased_at, erased_hash = excluded.erased_hash, mac = excluded.mac;
    end if;
    if rows ? 'issuers' then
      insert into eaas.issuers (tenant_id, allowed_origins, any_subject, audience, authorized_parties, created_at, created_by, created_id, expires_at, issuer, issuer_id, jwks, jwks_uri, key_ids, kind, mac, max_age_seconds, name, permissions, require, rev, revoked_at, subject_claim, subject_prefix)
      select tenant, allowed_origins, any_subject, audience, authorized_parties, created_at, created_by, created_id, expires_at, issuer, issuer_id, jwks, jwks_uri, key_ids, kind, mac, max_age_seconds, name, permissions, require, rev, revoked_at, subject_claim, subject_prefix from jsonb_populate_recordset(null::eaas.issuers, rows -> 'issuers')
      on conflict (tenant_id, issuer_id) do update set allowed_origins = excluded.allowed_origins, any_subject = excluded.any_subject, audience = excluded.audience, authorized_parties = excluded.authorized_parties, created_at = excluded.created_at, created_by = excluded.created_by, created_id = excluded.created_id, expires_at = excluded.expires_at, issuer = excluded.issuer, jwks = excluded.jwks, jwks_uri = excluded.jwks_uri, key_ids = excluded.key_ids, kind = excluded.kind, mac = excluded.mac, max_age_seconds = excluded.max_age_seconds, name = excluded.name, permissions = excluded.permissions, require = excluded.require, rev = excluded.rev, revoked_at = excluded.revoked_at, subject_claim = excluded.subject_claim, subject_prefix = excluded.subject_prefix;
    end if;
end $$;


--
-- Name: destroy_tenant(uuid); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.destroy_tenant(tenant uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.row_counts where tenant_id = tenant;
  delete from eaas.row_records where tenant_id = tenant;
  delete from eaas.verifications where tenant_id = tenant;
  delete from eaas.log_proofs where tenant_id = tenant;
  delete from eaas.key_sets where tenant_id = tenant;
  delete from eaas.issuers where tenant_id = tenant;
  delete from eaas.subjects where tenant_id = tenant;
  delete from eaas.api_key_uses where tenant_id = tenant;
  delete from eaas.tallies where tenant_id = tenant;
  delete from eaas.audit_anchors where tenant_id = tenant;
  delete from eaas.audit_heads where tenant_id = tenant;
  delete from eaas.audit_blocks where tenant_id = tenant;
  delete from eaas.audit_entries where tenant_id = tenant;
  delete from eaas.api_keys where tenant_id = tenant;
  delete from eaas.key_versions where tenant_id = tenant;
  delete from eaas.keys where tenant_id = tenant;
  delete from eaas.tenants where tenant_id = tenant;
  perform set_config('eaas.erasing', '', true);
end $$;


--
-- Name: now_ms(); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.now_ms() RETURNS bigint
    LANGUAGE sql
    RETURN ((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric))::bigint;


--
-- Name: purge_entries(uuid, bigint); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.purge_entries(tenant uuid, through bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  gone bigint;
  first bigint;
  counts json;
begin
  if through is distinct from (select id from eaas.audit_anchors where tenant_id = tenant) then
    raise exception 'entries are purged up to the recorded anchor only';
  end if;
  select min(id) into first from eaas.audit_entries where tenant_id = tenant;
  select json_agg(t) into counts from (
    select coalesce(key_id, '00000000-0000-0000-0000-000000000000') as key_id, coalesce(key_version, 0) as key_version, action,
      to_char(to_timestamp(created_at / 1000.0) at time zone 'UTC', 'YYYY-MM') as month, count(*) as purged,
      max(created_at) as last_at
    from eaas.audit_entries where tenant_id = tenant and id <= through group by 1, 2, 3, 4) t;
  -- Of the last block some entries can stay. A block without an entry shows nothing.
  delete from eaas.audit_blocks where tenant_id = tenant and block < (through + 1) >> 10 and of in (
    select distinct unnest(eaas.blocks_of(action, actor)) from eaas.audit_entries
    where tenant_id = tenant and id <= through);
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.audit_entries where tenant_id = tenant and id <= through;
  get diagnostics gone = row_count;
  -- Written last, because appends wait for these rows.
  insert into eaas.tallies as known (tenant_id, key_id, key_version, action, month, n, refused, purged, last_at)
  select tenant, key_id, key_version, action, month, 0, 0, purged, last_at
  from json_populate_recordset(null::eaas.tallies, counts)
  on conflict (tenant_id, key_id, key_version, action, month) do update set purged = known.purged + excluded.purged;
  delete from eaas.row_records old using eaas.row_records newer
  where newer.tenant_id = tenant and newer.rev between first and through
    and old.tenant_id = tenant and old.row_id = newer.row_id and old.rev < newer.rev;
  perform set_config('eaas.erasing', '', true);
  return gone;
end $$;


--
-- Name: refuse_backwards(); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.refuse_backwards() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'eaas.% never goes back: % after %', tg_table_name, new.id, old.id
    using errcode = 'insufficient_privilege';
end $$;


--
-- Name: refuse_change(); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'DELETE' and current_setting('eaas.erasing', true) = old.tenant_id::text then
    return old;
  end if;
  raise exception 'eaas.% is append-only: % is refused', tg_table_name, tg_op
    using errcode = 'insufficient_privilege';
end $$;


--
-- Name: refuse_rewrite(); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.refuse_rewrite() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'eaas.% only grows: % is refused', tg_table_name, tg_op using errcode = 'insufficient_privilege';
end $$;


--
-- Name: refuse_truncate(); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.refuse_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'eaas.% must not be truncated', tg_table_name using errcode = 'insufficient_privilege';
end $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: api_key_uses; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.api_key_uses (
    tenant_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    last_used_at bigint NOT NULL
);


--
-- Name: api_keys; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.api_keys (
    tenant_id uuid NOT NULL,
    api_key_id uuid NOT NULL,
    name text NOT NULL,
    hint text NOT NULL,
    token_hash bytea NOT NULL,
    permissions text[] NOT NULL,
    key_ids uuid[],
    allowed_origins text[],
    expires_at bigint,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    revoked_at bigint,
    created_id bigint NOT NULL,
    rev bigint NOT NULL,
    mac bytea NOT NULL
);


--
-- Name: audit_anchors; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.audit_anchors (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    hash bytea NOT NULL,
    mac bytea NOT NULL
);


--
-- Name: audit_blocks; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.audit_blocks (
    tenant_id uuid NOT NULL,
    of text NOT NULL,
    block bigint NOT NULL
);


--
-- Name: audit_entries; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.audit_entries (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    action text NOT NULL,
    key_id uuid,
    key_version bigint,
    actor text NOT NULL,
    ip_address text,
    metadata text NOT NULL,
    created_at bigint NOT NULL,
    salt bytea NOT NULL,
    hash bytea NOT NULL,
    mac bytea NOT NULL,
    nonce bytea
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02');


--
-- Name: audit_heads; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.audit_heads (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    hash bytea NOT NULL,
    sum bytea NOT NULL,
    nonce bytea NOT NULL,
    created_at bigint NOT NULL,
    month text NOT NULL,
    encrypts bigint NOT NULL,
    mac bytea NOT NULL
)
WITH (fillfactor='50');


--
-- Name: issuers; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.issuers (
    tenant_id uuid NOT NULL,
    issuer_id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    issuer text NOT NULL,
    audience text NOT NULL,
    authorized_parties text[],
    jwks text,
    jwks_uri text,
    permissions text[] NOT NULL,
    key_ids uuid[] NOT NULL,
    allowed_origins text[],
    subject_claim text NOT NULL,
    subject_prefix text NOT NULL,
    any_subject boolean NOT NULL,
    require text,
    max_age_seconds bigint NOT NULL,
    expires_at bigint,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    revoked_at bigint,
    created_id bigint NOT NULL,
    rev bigint NOT NULL,
    mac bytea NOT NULL
);


--
-- Name: key_sets; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.key_sets (
    tenant_id uuid NOT NULL,
    issuer_id uuid NOT NULL,
    jwks_uri text NOT NULL,
    jwks text NOT NULL,
    fetched_at bigint NOT NULL,
    mac bytea NOT NULL
);


--
-- Name: key_versions; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.key_versions (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    key_version bigint NOT NULL,
    created_at bigint NOT NULL,
    sealed bytea
);


--
-- Name: keys; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.keys (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    name text NOT NULL,
    key_version bigint NOT NULL,
    status text NOT NULL,
    exportable boolean NOT NULL,
    created_at bigint NOT NULL,
    rotated_at bigint,
    interval_days integer,
    next_rotation_at bigint,
    destroy_at bigint,
    min_version bigint NOT NULL,
    sealed_hash_key bytea,
    created_id bigint NOT NULL,
    rev bigint NOT NULL,
    mac bytea NOT NULL,
    subjects text,
    intake boolean
);


--
-- Name: leases; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.leases (
    job text NOT NULL,
    holder uuid NOT NULL,
    fence bigint NOT NULL,
    expires_at bigint NOT NULL
);


--
-- Name: log_keys; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.log_keys (
    origin text NOT NULL,
    public_key bytea NOT NULL,
    root_id bytea NOT NULL,
    sealed bytea NOT NULL,
    created_at bigint NOT NULL,
    ended_at bigint,
    halted text
);


--
-- Name: log_moments; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.log_moments (
    origin text NOT NULL,
    index bigint NOT NULL,
    "time" bigint NOT NULL,
    root bytea NOT NULL,
    note text NOT NULL,
    witnessed boolean DEFAULT false NOT NULL
);


--
-- Name: log_proofs; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.log_proofs (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    hash bytea NOT NULL,
    mac bytea NOT NULL,
    origin text NOT NULL,
    index bigint NOT NULL,
    "time" bigint NOT NULL,
    path bytea NOT NULL
);


--
-- Name: log_tiles; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.log_tiles (
    origin text NOT NULL,
    level integer NOT NULL,
    n bigint NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY eaas.log_tiles ALTER COLUMN bytes SET STORAGE EXTERNAL;


--
-- Name: root_checks; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.root_checks (
    root_id bytea NOT NULL,
    sealed bytea NOT NULL
);


--
-- Name: row_counts; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.row_counts (
    tenant_id uuid NOT NULL,
    counted text NOT NULL,
    kind text NOT NULL,
    n bigint NOT NULL
)
WITH (fillfactor='50');


--
-- Name: row_records; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.row_records (
    tenant_id uuid NOT NULL,
    row_id uuid NOT NULL,
    rev bigint NOT NULL
);


--
-- Name: steps; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.steps (
    step integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: subjects; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.subjects (
    tenant_id uuid NOT NULL,
    subject_id bytea NOT NULL,
    sealed bytea,
    created_id bigint NOT NULL,
    created_at bigint NOT NULL,
    erased_id bigint,
    erased_at bigint,
    erased_hash bytea,
    mac bytea NOT NULL
);


--
-- Name: tallies; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.tallies (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    key_version bigint NOT NULL,
    action text NOT NULL,
    month text NOT NULL,
    n bigint NOT NULL,
    refused bigint NOT NULL,
    purged bigint NOT NULL,
    last_at bigint NOT NULL
)
WITH (fillfactor='50');


--
-- Name: tenants; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.tenants (
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    envelope_only boolean NOT NULL,
    monthly_encrypt_quota bigint,
    created_at bigint NOT NULL,
    root_id bytea NOT NULL,
    sealed_secret bytea NOT NULL,
    rev bigint NOT NULL,
    mac bytea NOT NULL
);


--
-- Name: verifications; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.verifications (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    hash bytea NOT NULL,
    broken bigint NOT NULL,
    night bigint NOT NULL,
    mac bytea NOT NULL
);


--
-- Data for Name: api_key_uses; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.api_keys VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '9acc99f5-07bf-4729-84cd-eb553ae0340f', 'everything', 'oVLm', '\xb724d768cf4acdccb56d8c1d797213d622880564849ffbba975aa61cca05bd65', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\x9b4928e8bd3cb6227ceb0ef0889e3c277c92f1ed2e50274bd5a496a612b30db8');
INSERT INTO eaas.api_keys VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', 'e9f25b85-d448-4ee5-a483-524609e8ce61', 'everything', 'jfsF', '\x947c44bd49b4fbd535a78992b80bd2397171fbec2031bbf3cd0d18d106790dec', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\x5338f4f48992bced7bbee9afca5373dff58eaa4f3e6d556d97d8697fd95a8934');


--
-- Data for Name: audit_anchors; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_anchors VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', 1, '\xc2ff01a645b0889bc9dacc7a0871ef4d37dcd0a233cea413b284b6621e1b4682', '\x4ce0844168a0e33c01bc18ef283db092481579c0ca46e04acef5f7ed845f1453');
INSERT INTO eaas.audit_anchors VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 3, '\x78d542de9c706220d244058dae5a8929b9743f748af153a51df9d4d056a9c8fe', '\x0e32cb735a2f26d281bb472fe6e314b30566622f50d993f5a9d56a5f1a362e67');


--
-- Data for Name: audit_blocks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_blocks VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'by 9acc99f5-07bf-4729-84cd-eb553ae0340f', 0);
INSERT INTO eaas.audit_blocks VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'key.wrap', 0);
INSERT INTO eaas.audit_blocks VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'key.wrap by 9acc99f5-07bf-4729-84cd-eb553ae0340f', 0);
INSERT INTO eaas.audit_blocks VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'by system', 0);


--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 4, 'key.rotate', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"from_version":1,"key_version":2,"previous_change":2}', 1775001600000, '\x8b1b245705234ac95923aa30e2721178', '\x4aa2b1f5b182b577444716bc1d9429865a44e7458180f99d1fd42b1556a50741', '\xa2b0cdf001a367397a80894d337080145b48357f5f94422cfdee1593632fb29d', '\xb17820a8db92367fdf411c5f94d20183');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 5, 'key.wrap', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '127.0.0.1', '{}', 1775001600000, '\x36a7505e57babc9aa09b93b5e2268e75', '\x87e1cda942c8318dfb7e13d1edc2ed9f83b8bd895f1969876f4814d03aad7c71', '\xb3a4519fe75a3404dad18f505ca5661913fc77623766b077a596db5d229eb76e', '\x0aad193644a28d5687c5a424bc6baeda');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 6, 'key.wrap', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '127.0.0.1', '{"subject":"7c5b8b14e316ea95762e1b5ee22b5a26","subject_created":true}', 1775001600000, '\xaf75f463a85db714db284a385b08a6b3', '\x3d6fcf40b15bc51d3aa58538ef9171f7eb1cf569d7be8abe5fbf62197c5ddfc1', '\x755d153e39b9ffe57f286274b4bcca867f8eef583d50c910d0ec917648a8f906', '\xb5887aafb5bfe1a4b9a51ef3cd0cb83a');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 7, 'key.wrap', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '127.0.0.1', '{"subject":"5b8e1697348ee6032d156ae3e7e99d5d","subject_created":true}', 1775001600000, '\x6cc01c923ad85bfe0002fb8000df449f', '\xd91d4b9b04bb9a35cfbaa06e779507d6712ce095cf39d767d33f3e49f7865f35', '\xf75b57549557e7c250e19922d7bcb552e4c5dbe88570b51985a5ec39d9b72519', '\x7f95268bf5cd74f9b53f7c9e5ccd9bdc');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 8, 'subject.erase', NULL, NULL, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"subject":"5b8e1697348ee6032d156ae3e7e99d5de6f77778b653c591581efb3d8a836808"}', 1775001600000, '\xb0277ef411955a265b76d95afb85d7c2', '\x89441da7bd0d2c8d04a98b846797725ca35ecb48da8ba3933706b8c9ecfc4b5a', '\x405e4b91a04c06fc80ba24680dfaf3ee2675285805c4baddb7ad82d00f3daf1a', '\x08d2bce6561658622d46ec37c118e83b');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 9, 'key.create', '156eb83e-1935-41eb-bd7c-2339872c1993', 1, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"disabled"}', 1775001600000, '\xf478b116f67e883fee0fd9070c55d25c', '\x4899abd9a4a4583ac120adf97bec61d8f89c7ff118e29c9580356b6380ac2dca', '\x404bd0b33659f271a1f406e2ec02cd82a71dd7b1d45ed03b4c5503939806bd81', '\xf6fdaf863163e26824c1557959b1e2f0');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 10, 'key.create', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"destroyed"}', 1775001600000, '\xce6523808ea60a802ed9e51c26681900', '\xb062675ef379de3d9221acd6544b93c0490e9dfca5ba4b6b6525d28acac49685', '\x78b965f72b350f7cf085f76ee329a49e366519858957bb7c91ead8f4352ebee9', '\xc9ecf7cd07f06ddc39137c1e679d6a32');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 11, 'key.wrap', '156eb83e-1935-41eb-bd7c-2339872c1993', 1, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '127.0.0.1', '{}', 1775001600000, '\x3e355c8f6716a8b6de0cb9f6d9b981a1', '\x1a38052611e0e94496763f930cf2b3cf719aa481a6411885e7d0a5276dd5338a', '\x899c75c6bb6196835e87362053dbb958fa7217ae81074ef6d0bb4c52063bb87e', '\x3c2ff1acc5b461802b187e7e00118bc4');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 12, 'key.wrap', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '127.0.0.1', '{}', 1775001600000, '\xba605d9e1a97c54225d47dbbdaf38427', '\x0ba5832dcf92fca0316fee19ec71b6e2ff11ae3ba6f5330e972b2cf545ea8cbf', '\x50dc2af2c7144de21e541267c167e447ebe055ea09880b24ee9d706457898d5d', '\xcffe4eb4570e1e0c2b5673e78744d3ad');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 13, 'key.disable', '156eb83e-1935-41eb-bd7c-2339872c1993', 1, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"previous_change":9}', 1775001600000, '\x045ec8c8f10faf873d9b9b05d063876b', '\xecd659c98ee341923c49628984897717f52c9290b676f39ba791f64b97d91dbb', '\x60246c3330817fc39ce9b4591456464b93871fab7e00aa33ce7f148eb20a9c6c', '\x16a6e902ee0396a82d3e8aa28c18f921');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 14, 'key.disable', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"previous_change":10}', 1775001600000, '\xc9412c9652b35fa3e1f409bfb432da0f', '\x0b256dfa9450b070fc1825e9d0985be975a9bb0a306b6d1b39ba60b1c09d6240', '\xa4899cba6176d16fa0c3a3eb78d7d272ca50b60af4ba2f50f650efc991500c47', '\x189f6a32f8d7332fee89197402694dd9');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 15, 'key.destroy', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"destroy_at":"2026-04-08T00:00:00.000Z","previous_change":14}', 1775001600000, '\x4586036be7cc1ee9fa727eec12c8b154', '\x5ee7866174a9ada7654d0663ee3344e90acbf57ff58d58f5a236021d642eddf2', '\x0eaf183652d41c0d901a80f2ff5044419213bfbaf02a9c1db2b7f81722a33e69', '\x5495544343f30423310e36a6879ab03b');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 16, 'key.create', 'db2cf01e-a260-4bf6-a483-3a375fe94e94', 1, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"exportable":false,"intake":true,"interval_days":null,"key_version":1,"name":"intake"}', 1775001600000, '\x4b560656c419357cf04f2ee174c356ba', '\xa8fa60e7a7f28709aaf35e39d221c7bc89f01712529577a0e56d0ba45f4dff98', '\xebf02d6ba34670a740df91f0fa9f1afa1f04821d6a08ef885d0a05272aa0b667', '\x31834ef2eaa882737e570e233d9d3bcf');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 17, 'issuer.create', NULL, NULL, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '192.0.2.7', '{"allowed_origins":null,"any_subject":false,"audience":"https://app.example","authorized_parties":null,"expires_at":null,"issuer":"https://sign-in.example","issuer_id":"aed1c8ee-2e28-424b-9c4c-9eed6a36b8bb","jwks":"{\"keys\":[{\"crv\":\"P-256\",\"kid\":\"45985845-8eec-4f50-9a4a-11130e60affa\",\"kty\":\"EC\",\"x\":\"rdMC59iDLz5CqkBFR25YG6jxxQc2wfj3Pa8d8apGc60\",\"y\":\"j9-raxGhrVhWxqDCuQ3IcHpl-4qGw7ZYPyyOPUhOBx4\"}]}","jwks_uri":null,"key_ids":[],"kind":"people","max_age_seconds":3600,"name":"sign-in","permissions":["decrypt"],"require":null,"subject_claim":"sub","subject_prefix":""}', 1775001600000, '\xff7573f5dae9e5704e999331517ccb85', '\x288138a45c8f54e28b3e47efaff404f1bce3ece9a461be45ad7925e72f8c7d38', '\xcd908d3cfc28f0fb63659a0ef06b58f29b8d3c6d9e92d4a9fc9a190ed2534b47', '\x62ce1a0925d4a2c3265500f271fc941f');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 18, 'key.wrap', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '127.0.0.1', '{}', 1775001600000, '\x21336c5fd2b87d27c20bd6e6a99fcfaa', '\x40205b9e63125827782e94861b524c35eca935998ce1ffe1c980a658e445b04a', '\x4c0187e0c74a261e9d45c83349fda44bcdc9c6e2796e04fc910e75eced667ed9', '\x221229dd9277b88c2493b585e77027d0');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 19, 'key.destroy', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, 'system', NULL, '{"destroy_at":"2026-04-08T00:00:00.000Z","erased":true,"previous_change":15}', 1775692800000, '\xc99a004ac99a5ec3d4cb0a6964bd4fe2', '\xfc7b5e01c256e480f14b1c13039e75b6aeef7db630f6399d5fbc698ad9fffc88', '\x64a451a405e55afe5f82446b076a161f7e77be35cfe775ddb4dac89ef9e0fc09', '\xfc54c0cd023a8d0b57f7379406f319b1');
INSERT INTO eaas.audit_entries VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 20, 'key.export', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, '9acc99f5-07bf-4729-84cd-eb553ae0340f', '127.0.0.1', '{"jwk_thumbprint":"DBGOpzaOjN124oZ9mJHVeHi163exXTTWHX9nM3rIs_o","subjects":1}', 1775692860000, '\x0d63bec6dec657c5f93fa58fa2009862', '\xdfc57a2f26e5b417db07f688293a501171651f4ef621dd2b4c5669226968247c', '\x332dbc6b7383a56ff741bb420a6d53859dc49a24aa5d3eb3fbbf9a7020906576', '\xcb7630bf85bc56e9a634fcdf081fa8f0');


--
-- Data for Name: audit_heads; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_heads VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', 1, '\xc2ff01a645b0889bc9dacc7a0871ef4d37dcd0a233cea413b284b6621e1b4682', '\x61055784b396095057fe4fe65960849a71c74b5410d8e0173ad768d3646a4dcf', '\x45eb3414553aa3f94218807597f349e8', 1767225600000, '2026-01', 0, '\x01595ffd07fa97ee59619c2c619a27dbafc76c337c71487d64f487f192501f50');
INSERT INTO eaas.audit_heads VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 20, '\xdfc57a2f26e5b417db07f688293a501171651f4ef621dd2b4c5669226968247c', '\xf13f9f5308f65b797afb739449150d93ecf615bbb7e43207f4c01e8fdb784ac3', '\xcb7630bf85bc56e9a634fcdf081fa8f0', 1775692860000, '2026-04', 0, '\xd9458a919e37f03191966174d224039902348084b7128149211d83dac844ee9c');


--
-- Data for Name: issuers; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.issuers VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'aed1c8ee-2e28-424b-9c4c-9eed6a36b8bb', 'sign-in', 'people', 'https://sign-in.example', 'https://app.example', NULL, '{"keys":[{"crv":"P-256","kid":"45985845-8eec-4f50-9a4a-11130e60affa","kty":"EC","x":"rdMC59iDLz5CqkBFR25YG6jxxQc2wfj3Pa8d8apGc60","y":"j9-raxGhrVhWxqDCuQ3IcHpl-4qGw7ZYPyyOPUhOBx4"}]}', NULL, '{decrypt}', '{}', NULL, 'sub', '', false, NULL, 3600, NULL, 1775001600000, '9acc99f5-07bf-4729-84cd-eb553ae0340f', NULL, 17, 17, '\xfce3bada188a7eae230ee79b0cba7b3cc543e11417f9a71744b4d6870e742f5d');


--
-- Data for Name: key_sets; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: key_versions; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.key_versions VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 1, 1767225600000, '\x01010000000116496ce8fae76b0f9fd451b39a4eb84a9ab8256fd03b9a249e01ca6b309bebd6591da2f970b2fb74e29cd53f6b3a7d727aa88fbbb8f2f85f3b40ecd4db8ffed0adc0902933264fac');
INSERT INTO eaas.key_versions VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, 1775001600000, '\x010100000002375a2b2cf42966941b648d7a4dc28326ad763621252c35ec6a681f31ce92323cba33cd52175189369c24af785c7bd5ce2ec26d90e1135d3b1016870cf49b90d0e035e3c920211a94');
INSERT INTO eaas.key_versions VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '156eb83e-1935-41eb-bd7c-2339872c1993', 1, 1775001600000, '\x010100000001f667fa7b1d4da282c40b09336ed7ddf8b22203af8b9228748a3293f700ac44c9c052929538663e152beb0b2c5e43ad6b0bf43b2c8b6603d670e5cc0cdcd8d428c82917a9af615219');
INSERT INTO eaas.key_versions VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'db2cf01e-a260-4bf6-a483-3a375fe94e94', 1, 1775001600000, '\x0101000000014cdcc4ef37879fed926c0f250fd905f12d1570c85df01187fbef41d74a3b59e072e0a4c66709c74d1d4dc92d6c2542b6852b582a1ac24fc5f0212c3d3c0d7f7e67bf6181854d0005');
INSERT INTO eaas.key_versions VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, 1775001600000, NULL);


--
-- Data for Name: keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.keys VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 'first', 2, 'active', true, 1767225600000, 1775001600000, NULL, NULL, NULL, 1, '\x010100000000a86e6eab37a0d917cbf6fc7c015a0cdfc427a65f48b0fcc2ee9cb7d510338fbc355ff36dd24ece71556a1d6565d2d4c69aba7b4f1e031aef36e7c858d2e705c86099fd36519e749c', 2, 4, '\xc15de18e36e63896c207c5e927be4df1a4d3eab7e563fa4198885cbada2855be', 'optional', false);
INSERT INTO eaas.keys VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '156eb83e-1935-41eb-bd7c-2339872c1993', 'disabled', 1, 'disabled', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x010100000000dff84c7969d01cfa2d0f446bc50aad98223ea766bc051dcb7bc15fd462bd0523e3f1a9e8de3ceeab51f43a748f727074fb739d7a2f1a92490ae333a19a18c0e25cc2b2b69d37dab7', 9, 13, '\x978a7e03bcd13d4aae9756653256498fd30690c5413a09fe209f14b1395c1afc', 'optional', false);
INSERT INTO eaas.keys VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'db2cf01e-a260-4bf6-a483-3a375fe94e94', 'intake', 1, 'active', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x010100000000609619a28f34ad7f1bf531f34b9987bccd104277174c94ec7bb296ceac3094ffba0b5b9ab3b23891a7866606c93dee7868abe952337a1713d36f9155645d513b2dacf5fdc9632133', 16, 16, '\x2a62543db85dd24b5ffa98a31d02b2c466c316580a85cd1ecbef56c29220f1be', 'optional', true);
INSERT INTO eaas.keys VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 'destroyed', 1, 'destroyed', false, 1775001600000, NULL, NULL, NULL, 1775606400000, 1, NULL, 10, 19, '\x07cda1be189bee48556868cbb402e7228f88a06da7d25385e646ca930d7cfa1d', 'optional', false);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: log_keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_keys VALUES ('eaas.example/log', '\xf37a014ab046950c17c0f9fe37b881bc30afedb4363ea1bf19c6c0705169497f', '\x3b2ec13e0aa5afb3', '\x010100000000a31eebe49529507367ea31b80b33f8eade647b44b7d8b9bf369a00bc9d727280dfe971562a83924b1b389eb321626e55c8afa8b56f7c7df609bf3d3206de6674cc78db5b70456978', 1767225600000, NULL, NULL);


--
-- Data for Name: log_moments; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_moments VALUES ('eaas.example/log', 0, 1775692860000, '\xa8b69680013f0fed3498e7330b3c5293ddcb28f4f22614772f2254041b90a103', 'eaas.example/log
1
iix4u93VvKmBQPb2s87FzYxUCBEaHjRIFXyFsclH25I=

— eaas.example/log BGa2IgExvjMBeCQIAZz28pvY5SBtfcSp3IeSHG/WbPRsR9UqovO97iBOH1/wN2oTFIACHFgG3oLrXgMR6UlLOaQLcwg=
— witness.example ZB23fwAAAABp1uw8/i42wsAWhOZpbKF2CeezhRnZcuCVCYx+9HOtOzzjdv1mqJjdfhea9GRZljZIv9yJapQxnLqNTwDKawGPqLRbDA==
', true);


--
-- Data for Name: log_proofs; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_proofs VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 19, '\xfc7b5e01c256e480f14b1c13039e75b6aeef7db630f6399d5fbc698ad9fffc88', '\x30154b7b5321c4e4f33443d3bb317d77cbb51a69b7b988ce6cead79d604119ec', 'eaas.example/log', 0, 1775692860000, '\xf1a17d51afbeda5854637da0bbc7dc57975e7ffefc3d5d43913b2a24b11e3e4100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO eaas.log_proofs VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', 1, '\xc2ff01a645b0889bc9dacc7a0871ef4d37dcd0a233cea413b284b6621e1b4682', '\xb06c768619b22a8b28fdf94ad95d4d536b51a0c35d0b07e19564a0f58c583d67', 'eaas.example/log', 0, 1775692860000, '\xbcf0c2f088d6fbe5511a614cdc9fd6c4f8c019086ccd6a79c96529b10784367600000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');


--
-- Data for Name: log_tiles; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', 0, 0, '\x8a2c78bbddd5bca98140f6f6b3cec5cd8c5408111a1e3448157c85b1c947db92');
INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', -1, 0, '\x004a656161732e6d6f6d656e742e76310a313737353639323836303030300a714c61576741452f442b30306d4f637a437a78536b39334c4b5054794a6852334c794a55424275516f514d3d0a');


--
-- Data for Name: root_checks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.root_checks VALUES ('\x3b2ec13e0aa5afb3', '\x0101000000000755c8da1b2bf9fdfff260236a64b4a0c053b429d1fdf6199428ae152018c6306d53d33d33cd82e1a4549d7ee3c822f5634df32460d6730657503d4065a715a4ae98da1041b9423c');


--
-- Data for Name: row_counts; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_counts VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'subjects', 'erased', 1);
INSERT INTO eaas.row_counts VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'subjects', 'null', 1);
INSERT INTO eaas.row_counts VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'keys', 'disabled', 1);
INSERT INTO eaas.row_counts VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'keys', 'active', 2);
INSERT INTO eaas.row_counts VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'keys', 'destroyed', 1);
INSERT INTO eaas.row_counts VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'keys', 'pending_destruction', 0);


--
-- Data for Name: row_records; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 0);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '9acc99f5-07bf-4729-84cd-eb553ae0340f', 1);
INSERT INTO eaas.row_records VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', '390f0588-4e2c-4db4-a337-37d38488a891', 0);
INSERT INTO eaas.row_records VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', 'e9f25b85-d448-4ee5-a483-524609e8ce61', 1);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 4);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '5b8e1697-348e-e603-2d15-6ae3e7e99d5d', 8);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '156eb83e-1935-41eb-bd7c-2339872c1993', 9);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 10);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '156eb83e-1935-41eb-bd7c-2339872c1993', 13);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 14);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 15);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'db2cf01e-a260-4bf6-a483-3a375fe94e94', 16);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'aed1c8ee-2e28-424b-9c4c-9eed6a36b8bb', 17);
INSERT INTO eaas.row_records VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 19);


--
-- Data for Name: steps; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.steps VALUES (1, '2026-11-30 17:33:34.780685+00');


--
-- Data for Name: subjects; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.subjects VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '\x7c5b8b14e316ea95762e1b5ee22b5a26e486345a53deb307eae00f1159708c12', '\x010100000000cdfaaab5a561e90b1942b9472ac5bb7890b73135b9b4c15b4356b94e000972253157acafb8651b9d2147e5ff8fd8b1ddc644a96d1b3575f6ca1542a041392b07540222b839aa0067', 6, 1775001600000, NULL, NULL, NULL, '\xff356dea664b583d2251dd152402d663e74a1851ad28133c76f2b3a83abf2df6');
INSERT INTO eaas.subjects VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '\x5b8e1697348ee6032d156ae3e7e99d5de6f77778b653c591581efb3d8a836808', NULL, 7, 1775001600000, 8, 1775001600000, '\x89441da7bd0d2c8d04a98b846797725ca35ecb48da8ba3933706b8c9ecfc4b5a', '\xed52ddc3ca00d100089ee64764ebdb0cddece9f453ad230e5314b7a74c685c5e');


--
-- Data for Name: tallies; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tallies VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 1, 'key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 1, 'key.wrap', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, 'key.rotate', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '00000000-0000-0000-0000-000000000000', 0, 'subject.erase', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '156eb83e-1935-41eb-bd7c-2339872c1993', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '156eb83e-1935-41eb-bd7c-2339872c1993', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '156eb83e-1935-41eb-bd7c-2339872c1993', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'db2cf01e-a260-4bf6-a483-3a375fe94e94', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '00000000-0000-0000-0000-000000000000', 0, 'issuer.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, 'key.wrap', '2026-04', 4, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', '42ef92e9-426b-429a-be65-ef8c96e1a988', 1, 'key.destroy', '2026-04', 2, 0, 0, 1775692800000);
INSERT INTO eaas.tallies VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'd9d201d6-1cad-42bf-b3de-b83b13f7f98b', 2, 'key.export', '2026-04', 1, 0, 0, 1775692860000);


--
-- Data for Name: tenants; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tenants VALUES ('b1158d84-1f0e-4eb9-b8a5-95f37adfb639', 'acme', false, NULL, 1767225600000, '\x3b2ec13e0aa5afb3', '\x0101000000009ed1dd12e1d2489c4657510a437474fb86502ba79eb381f67d784380560b3c8e9c4162b5990b685b23e578451720d2b0a49399a713cd3bc30517a1dfb6673ca0ca547040b9cb2fc2', 0, '\xe14b0c4b070e0916648cb312f40e29cfb69b42c5db1fa5886379eee006383e08');
INSERT INTO eaas.tenants VALUES ('390f0588-4e2c-4db4-a337-37d38488a891', 'other', true, NULL, 1767225600000, '\x3b2ec13e0aa5afb3', '\x0101000000008e6c80f223f13940a54db7dfc45a023b461fc7ab62a26dc7ddaf884c5016d40648a1c54edbfc657983a58c2850388578021dc8040fdbad2b108ed5c6371504fb33d07486b9a0feed', 0, '\xf512b6b8c88636e68701955e483e2e009ce63182a6207220f492ae6110ec4d90');


--
-- Data for Name: verifications; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Name: api_key_uses api_key_uses_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_key_uses
    ADD CONSTRAINT api_key_uses_pkey PRIMARY KEY (tenant_id, api_key_id);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, api_key_id);


--
-- Name: audit_anchors audit_anchors_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.audit_anchors
    ADD CONSTRAINT audit_anchors_pkey PRIMARY KEY (tenant_id);


--
-- Name: audit_blocks audit_blocks_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.audit_blocks
    ADD CONSTRAINT audit_blocks_pkey PRIMARY KEY (tenant_id, of, block);


--
-- Name: audit_entries audit_entries_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.audit_entries
    ADD CONSTRAINT audit_entries_pkey PRIMARY KEY (tenant_id, id);


--
-- Name: audit_heads audit_heads_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (tenant_id);


--
-- Name: issuers issuers_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.issuers
    ADD CONSTRAINT issuers_pkey PRIMARY KEY (tenant_id, issuer_id);


--
-- Name: key_sets key_sets_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.key_sets
    ADD CONSTRAINT key_sets_pkey PRIMARY KEY (tenant_id, issuer_id);


--
-- Name: key_versions key_versions_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.key_versions
    ADD CONSTRAINT key_versions_pkey PRIMARY KEY (tenant_id, key_id, key_version);


--
-- Name: keys keys_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (tenant_id, key_id);


--
-- Name: leases leases_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (job);


--
-- Name: log_keys log_keys_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.log_keys
    ADD CONSTRAINT log_keys_pkey PRIMARY KEY (origin);


--
-- Name: log_moments log_moments_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.log_moments
    ADD CONSTRAINT log_moments_pkey PRIMARY KEY (origin, index);


--
-- Name: log_proofs log_proofs_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.log_proofs
    ADD CONSTRAINT log_proofs_pkey PRIMARY KEY (tenant_id, id, origin);


--
-- Name: log_tiles log_tiles_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.log_tiles
    ADD CONSTRAINT log_tiles_pkey PRIMARY KEY (origin, level, n);


--
-- Name: root_checks root_checks_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.root_checks
    ADD CONSTRAINT root_checks_pkey PRIMARY KEY (root_id);


--
-- Name: row_counts row_counts_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.row_counts
    ADD CONSTRAINT row_counts_pkey PRIMARY KEY (tenant_id, counted, kind);


--
-- Name: row_records row_records_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.row_records
    ADD CONSTRAINT row_records_pkey PRIMARY KEY (tenant_id, row_id, rev);


--
-- Name: steps steps_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.steps
    ADD CONSTRAINT steps_pkey PRIMARY KEY (step);


--
-- Name: subjects subjects_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.subjects
    ADD CONSTRAINT subjects_pkey PRIMARY KEY (tenant_id, subject_id);


--
-- Name: tallies tallies_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (tenant_id, key_id, key_version, action, month);


--
-- Name: tenants tenants_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);


--
-- Name: verifications verifications_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (tenant_id);


--
-- Name: api_keys_by_age; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX api_keys_by_age ON eaas.api_keys USING btree (tenant_id, created_id);


--
-- Name: api_keys_by_token; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX api_keys_by_token ON eaas.api_keys USING btree (token_hash);


--
-- Name: api_keys_unrevoked; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX api_keys_unrevoked ON eaas.api_keys USING btree (tenant_id) WHERE (revoked_at IS NULL);


--
-- Name: audit_entries_by_key; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX audit_entries_by_key ON eaas.audit_entries USING btree (tenant_id, key_id, id);


--
-- Name: audit_entries_by_subject; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX audit_entries_by_subject ON eaas.audit_entries USING btree (tenant_id, (
CASE
    WHEN (("right"(metadata, 2) = ANY (ARRAY['"}'::text, 'e}'::text])) AND (strpos(split_part("right"(metadata, 192), '"subject":"'::text, '-1'::integer), '}'::text) = length(split_part("right"(metadata, 192), '"subject":"'::text, '-1'::integer)))) THEN "left"(split_part("right"(metadata, 192), '"subject":"'::text, '-1'::integer), 32)
    ELSE NULL::text
END), id) WHERE (strpos("right"(metadata, 192), '"subject":"'::text) > 0);


--
-- Name: audit_entries_by_user; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX audit_entries_by_user ON eaas.audit_entries USING btree (tenant_id, (
CASE
    WHEN (("right"(metadata, 2) = ANY (ARRAY['"}'::text, 'e}'::text])) AND (strpos(split_part("right"(metadata, 192), '"user":"'::text, '-1'::integer), '}'::text) = length(split_part("right"(metadata, 192), '"user":"'::text, '-1'::integer)))) THEN "left"(split_part("right"(metadata, 192), '"user":"'::text, '-1'::integer), 32)
    ELSE NULL::text
END), id) WHERE (strpos("right"(metadata, 192), '"user":"'::text) > 0);


--
-- Name: audit_entries_rare; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX audit_entries_rare ON eaas.audit_entries USING btree (tenant_id, action, id) WHERE (action <> ALL (ARRAY['key.wrap'::text, 'key.unwrap'::text, 'encrypt'::text, 'decrypt'::text]));


--
-- Name: issuers_by_age; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX issuers_by_age ON eaas.issuers USING btree (tenant_id, created_id);


--
-- Name: issuers_by_id; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX issuers_by_id ON eaas.issuers USING btree (issuer_id);


--
-- Name: keys_by_age; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX keys_by_age ON eaas.keys USING btree (tenant_id, created_id);


--
-- Name: keys_by_any_name; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX keys_by_any_name ON eaas.keys USING btree (tenant_id, name);


--
-- Name: keys_by_destroy_at; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX keys_by_destroy_at ON eaas.keys USING btree (destroy_at) WHERE (destroy_at IS NOT NULL);


--
-- Name: keys_by_name; Type: INDEX; Schema: eaas; Owner: -
--

CREATE UNIQUE INDEX keys_by_name ON eaas.keys USING btree (tenant_id, name) WHERE (status <> 'destroyed'::text);


--
-- Name: keys_by_next_rotation; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX keys_by_next_rotation ON eaas.keys USING btree (next_rotation_at) WHERE (next_rotation_at IS NOT NULL);


--
-- Name: keys_by_status; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX keys_by_status ON eaas.keys USING btree (tenant_id, status, created_id);


--
-- Name: log_keys_current; Type: INDEX; Schema: eaas; Owner: -
--

CREATE UNIQUE INDEX log_keys_current ON eaas.log_keys USING btree (((ended_at IS NULL))) WHERE (ended_at IS NULL);


--
-- Name: log_moments_witnessed; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX log_moments_witnessed ON eaas.log_moments USING btree (origin, index) WHERE witnessed;


--
-- Name: log_proofs_by_moment; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX log_proofs_by_moment ON eaas.log_proofs USING btree (origin, index);


--
-- Name: log_proofs_by_time; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX log_proofs_by_time ON eaas.log_proofs USING btree ("time");


--
-- Name: row_records_by_rev; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX row_records_by_rev ON eaas.row_records USING btree (tenant_id, rev);


--
-- Name: tallies_by_action; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX tallies_by_action ON eaas.tallies USING btree (tenant_id, action);


--
-- Name: tallies_by_month; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX tallies_by_month ON eaas.tallies USING btree (tenant_id, month);


--
-- Name: tenants_by_name; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX tenants_by_name ON eaas.tenants USING btree (name);


--
-- Name: api_keys api_keys_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER api_keys_no_truncate BEFORE TRUNCATE ON eaas.api_keys FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.api_keys ENABLE ALWAYS TRIGGER api_keys_no_truncate;


--
-- Name: audit_anchors audit_anchors_forward; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER audit_anchors_forward BEFORE UPDATE ON eaas.audit_anchors FOR EACH ROW WHEN ((new.id < old.id)) EXECUTE FUNCTION eaas.refuse_backwards();

ALTER TABLE eaas.audit_anchors ENABLE ALWAYS TRIGGER audit_anchors_forward;


--
-- Name: audit_anchors audit_anchors_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER audit_anchors_no_truncate BEFORE TRUNCATE ON eaas.audit_anchors FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.audit_anchors ENABLE ALWAYS TRIGGER audit_anchors_no_truncate;


--
-- Name: audit_entries audit_entries_immutable; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER audit_entries_immutable BEFORE DELETE OR UPDATE ON eaas.audit_entries FOR EACH ROW EXECUTE FUNCTION eaas.refuse_change();

ALTER TABLE eaas.audit_entries ENABLE ALWAYS TRIGGER audit_entries_immutable;


--
-- Name: audit_entries audit_entries_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER audit_entries_no_truncate BEFORE TRUNCATE ON eaas.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.audit_entries ENABLE ALWAYS TRIGGER audit_entries_no_truncate;


--
-- Name: audit_heads audit_heads_forward; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER audit_heads_forward BEFORE UPDATE ON eaas.audit_heads FOR EACH ROW WHEN ((new.id < old.id)) EXECUTE FUNCTION eaas.refuse_backwards();

ALTER TABLE eaas.audit_heads ENABLE ALWAYS TRIGGER audit_heads_forward;


--
-- Name: audit_heads audit_heads_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER audit_heads_no_truncate BEFORE TRUNCATE ON eaas.audit_heads FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.audit_heads ENABLE ALWAYS TRIGGER audit_heads_no_truncate;


--
-- Name: issuers issuers_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER issuers_no_truncate BEFORE TRUNCATE ON eaas.issuers FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.issuers ENABLE ALWAYS TRIGGER issuers_no_truncate;


--
-- Name: key_versions key_versions_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER key_versions_no_truncate BEFORE TRUNCATE ON eaas.key_versions FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.key_versions ENABLE ALWAYS TRIGGER key_versions_no_truncate;


--
-- Name: keys keys_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER keys_no_truncate BEFORE TRUNCATE ON eaas.keys FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.keys ENABLE ALWAYS TRIGGER keys_no_truncate;


--
-- Name: log_keys log_keys_grows; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_keys_grows BEFORE UPDATE ON eaas.log_keys FOR EACH ROW WHEN (((new.origin IS DISTINCT FROM old.origin) OR (new.public_key IS DISTINCT FROM old.public_key) OR (new.created_at IS DISTINCT FROM old.created_at) OR ((new.ended_at IS DISTINCT FROM old.ended_at) AND (old.ended_at IS NOT NULL)) OR ((new.halted IS DISTINCT FROM old.halted) AND (old.halted IS NOT NULL)))) EXECUTE FUNCTION eaas.refuse_rewrite();

ALTER TABLE eaas.log_keys ENABLE ALWAYS TRIGGER log_keys_grows;


--
-- Name: log_keys log_keys_kept; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_keys_kept BEFORE DELETE ON eaas.log_keys FOR EACH ROW EXECUTE FUNCTION eaas.refuse_rewrite();

ALTER TABLE eaas.log_keys ENABLE ALWAYS TRIGGER log_keys_kept;


--
-- Name: log_keys log_keys_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_keys_no_truncate BEFORE TRUNCATE ON eaas.log_keys FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.log_keys ENABLE ALWAYS TRIGGER log_keys_no_truncate;


--
-- Name: log_moments log_moments_grows; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_moments_grows BEFORE UPDATE ON eaas.log_moments FOR EACH ROW WHEN (((new.origin IS DISTINCT FROM old.origin) OR (new.index IS DISTINCT FROM old.index) OR (new."time" IS DISTINCT FROM old."time") OR (new.root IS DISTINCT FROM old.root) OR (NOT starts_with(new.note, old.note)) OR (old.witnessed AND (NOT new.witnessed)))) EXECUTE FUNCTION eaas.refuse_rewrite();

ALTER TABLE eaas.log_moments ENABLE ALWAYS TRIGGER log_moments_grows;


--
-- Name: log_moments log_moments_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_moments_no_truncate BEFORE TRUNCATE ON eaas.log_moments FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.log_moments ENABLE ALWAYS TRIGGER log_moments_no_truncate;


--
-- Name: log_proofs log_proofs_grows; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_proofs_grows BEFORE UPDATE ON eaas.log_proofs FOR EACH ROW EXECUTE FUNCTION eaas.refuse_rewrite();

ALTER TABLE eaas.log_proofs ENABLE ALWAYS TRIGGER log_proofs_grows;


--
-- Name: log_proofs log_proofs_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_proofs_no_truncate BEFORE TRUNCATE ON eaas.log_proofs FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.log_proofs ENABLE ALWAYS TRIGGER log_proofs_no_truncate;


--
-- Name: log_tiles log_tiles_grows; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_tiles_grows BEFORE UPDATE ON eaas.log_tiles FOR EACH ROW WHEN (((new.origin IS DISTINCT FROM old.origin) OR (new.level IS DISTINCT FROM old.level) OR (new.n IS DISTINCT FROM old.n) OR (substr(new.bytes, 1, length(old.bytes)) IS DISTINCT FROM old.bytes))) EXECUTE FUNCTION eaas.refuse_rewrite();

ALTER TABLE eaas.log_tiles ENABLE ALWAYS TRIGGER log_tiles_grows;


--
-- Name: log_tiles log_tiles_kept; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_tiles_kept BEFORE DELETE ON eaas.log_tiles FOR EACH ROW EXECUTE FUNCTION eaas.refuse_rewrite();

ALTER TABLE eaas.log_tiles ENABLE ALWAYS TRIGGER log_tiles_kept;


--
-- Name: log_tiles log_tiles_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER log_tiles_no_truncate BEFORE TRUNCATE ON eaas.log_tiles FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.log_tiles ENABLE ALWAYS TRIGGER log_tiles_no_truncate;


--
-- Name: row_records row_records_immutable; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER row_records_immutable BEFORE DELETE OR UPDATE ON eaas.row_records FOR EACH ROW EXECUTE FUNCTION eaas.refuse_change();

ALTER TABLE eaas.row_records ENABLE ALWAYS TRIGGER row_records_immutable;


--
-- Name: row_records row_records_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER row_records_no_truncate BEFORE TRUNCATE ON eaas.row_records FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.row_records ENABLE ALWAYS TRIGGER row_records_no_truncate;


--
-- Name: subjects subjects_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER subjects_no_truncate BEFORE TRUNCATE ON eaas.subjects FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.subjects ENABLE ALWAYS TRIGGER subjects_no_truncate;


--
-- Name: tenants tenants_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER tenants_no_truncate BEFORE TRUNCATE ON eaas.tenants FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.tenants ENABLE ALWAYS TRIGGER tenants_no_truncate;


--
-- Name: api_key_uses api_key_uses_tenant_id_api_key_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_key_uses
    ADD CONSTRAINT api_key_uses_tenant_id_api_key_id_fkey FOREIGN KEY (tenant_id, api_key_id) REFERENCES eaas.api_keys(tenant_id, api_key_id);


--
-- Name: key_sets key_sets_tenant_id_issuer_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.key_sets
    ADD CONSTRAINT key_sets_tenant_id_issuer_id_fkey FOREIGN KEY (tenant_id, issuer_id) REFERENCES eaas.issuers(tenant_id, issuer_id);


--
-- Name: log_moments log_moments_origin_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.log_moments
    ADD CONSTRAINT log_moments_origin_fkey FOREIGN KEY (origin) REFERENCES eaas.log_keys(origin);


--
-- Name: log_tiles log_tiles_origin_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.log_tiles
    ADD CONSTRAINT log_tiles_origin_fkey FOREIGN KEY (origin) REFERENCES eaas.log_keys(origin);


--
-- PostgreSQL database dump complete
--


