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
-- Name: schema_records; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.schema_records (
    step integer NOT NULL,
    catalogue text NOT NULL,
    mac bytea NOT NULL
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

INSERT INTO eaas.api_keys VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '1932fcca-9848-42af-970b-7ebed7205a45', 'everything', 'sH6i', '\x2cf5a77f7235495ac7ad490c37a3f60f0103d2b876bec9379996ff29ed7a7fe4', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\xdfd3fb19784f1f8cee77647600bb23d6489cf3fa04d16ebac21b307c034dc38b');
INSERT INTO eaas.api_keys VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', 'd17666b0-7b3b-4e40-91f3-4caac5d13a3d', 'everything', '0Tzt', '\x1403442024f7680baa51d0b31f00c02872dd1908c4cc154d62c675e026d05408', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\x01228ed9419c5ce99f3413cef56b254e3eef763065c0e98f16be2fdb120ba2ab');


--
-- Data for Name: audit_anchors; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_anchors VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', 1, '\xfed175069ae9652beccda669377aeeea4118da341cef656c8122b756e153c53d', '\x9ee74670ebf78aa8df53e791824dad98c2e78096df92e8694d347d59bde54167');
INSERT INTO eaas.audit_anchors VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 3, '\x16e66a2dd53a193239d523426e0bc71ccb0f4b1cf7dd87e1e3a3b4f4054f4156', '\x734e3761591084085c75a2758ebd334d61fcef7c3dd05d95b9281ead11a0d3a0');


--
-- Data for Name: audit_blocks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_blocks VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'by 1932fcca-9848-42af-970b-7ebed7205a45', 0);
INSERT INTO eaas.audit_blocks VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'key.wrap', 0);
INSERT INTO eaas.audit_blocks VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'key.wrap by 1932fcca-9848-42af-970b-7ebed7205a45', 0);
INSERT INTO eaas.audit_blocks VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'by system', 0);


--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 4, 'key.rotate', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"from_version":1,"key_version":2,"previous_change":2}', 1775001600000, '\x41837818f72016a6cca6d2633c1b55af', '\xc5b4cd9e045baf2f102e54ffcd202db38441598101ed0ed1766491aba17f85f5', '\x28230dea631f91515eb4776cd0e2dfefd7434b961d2d3b34773f33401ae8f583', '\x959730f08bc51f87efc7e811c8b959e2');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 5, 'key.wrap', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, '1932fcca-9848-42af-970b-7ebed7205a45', '127.0.0.1', '{}', 1775001600000, '\xd12d9b9349f505191550d5385633ce7a', '\xabc8205dd855cf3a08bb38bb371dc4bbc972b4253cd8d3f3fc7330851f931656', '\x58fcc9385f1c1675bd42498dd6716a63b3b21566f3526f282d217a1daf80ae1e', '\xa54fd5c74bc58aed4122eda78d53f58f');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 6, 'key.wrap', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, '1932fcca-9848-42af-970b-7ebed7205a45', '127.0.0.1', '{"subject":"9cc9dabb0611e79618b3ccfe3dd46010","subject_created":true}', 1775001600000, '\xcd11715c59e010240f35a05cfd9727cd', '\xc156541e6475e7180937f50df262b486f0ae083b6179792bc2a32e54eb57ea1a', '\x41f82326d2a9d8b8d418304416e0618f9e286c7f5b0e48b326d5af8ac2f62e59', '\x9143541db178fe73e8a4239bd1e5962b');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 7, 'key.wrap', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, '1932fcca-9848-42af-970b-7ebed7205a45', '127.0.0.1', '{"subject":"763abf658b49c0ab55947ebb03f5dd88","subject_created":true}', 1775001600000, '\x161785afa3873f1ffbcdd148c75770cf', '\x9e7466ad9fc87b2c6ea893c80781a108333cb12d1af822ac9f86a5cefcd05562', '\xa3b6539e3f416eb9553fad7b2a55fc40cccabc61fc6cbbf0fa29f71ed4c0488b', '\x5542b6f12ed159b5605f29f5802f579d');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 8, 'subject.erase', NULL, NULL, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"subject":"763abf658b49c0ab55947ebb03f5dd889f4d6a82abaaf6fe0799c853346b06f1"}', 1775001600000, '\xdfdacad193dbd0f1f9d68f7e4c393b1c', '\x0a2c0775ddfd2b06f51582a4c4362a3481c931c9d6f35e9c72719b3099071bff', '\x828487911b5bd6fbada49a2474eb4d75d960c20e44a0c268c544a46343a38182', '\xfef8eef08c9e497042a62668d0f57f81');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 9, 'key.create', '0b2325ff-b137-412d-af23-761bcb436d70', 1, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"disabled"}', 1775001600000, '\xbf03498306865a6726869be445fce819', '\x6ac1ba68dcb7e039b36e7d49da4a44bf8e0061bccacbb2762e8aaf058f571643', '\xa601bb789a210b55de695da62e3ef8a350403a8cc4a7bcdcca631382ad78d6a3', '\x27da92884a822bb4c044d8f87fa92ae7');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 10, 'key.create', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"destroyed"}', 1775001600000, '\xfea0d2e3cdd82fb05ff2e8f4c0d61a02', '\x6ab244353d4852fcc73d67743dc274a05a9521337bb159d16f47d15cb67e3579', '\xcb7cfb354322e8ae348bd7ce9000219af64679f9c22cbc5ca61535f7d3a0d57d', '\xa3d94c3056ba49e6e073409bbaa960ae');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 11, 'key.wrap', '0b2325ff-b137-412d-af23-761bcb436d70', 1, '1932fcca-9848-42af-970b-7ebed7205a45', '127.0.0.1', '{}', 1775001600000, '\x6cf2bb16529c9b01aa9f4073e919fa2d', '\xedec01950c229525d09a850159da81b8c743db5692e9fa362ff92543b05812c3', '\xd047873c8affc04d1f6bfb4bbd4f6ff2c70480438d4e0811a775eae9e98e4737', '\xe4223964c46e0227960c53b061d2ecbe');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 12, 'key.wrap', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, '1932fcca-9848-42af-970b-7ebed7205a45', '127.0.0.1', '{}', 1775001600000, '\x81455f794d9337486f3506eda5155584', '\x29ce958a1bb6e509b2fac9b0e623786f2d05abd43d61f6905b651ace326bc854', '\x124a3d0d50a98b2ba717debc39fb0fe8802624f10e7389657ff2cfec8a0f537d', '\x49cb0ed5c17124e419f50b213d9f3102');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 13, 'key.disable', '0b2325ff-b137-412d-af23-761bcb436d70', 1, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"previous_change":9}', 1775001600000, '\xb36987547b573626f3c704a3768ecf29', '\x5e1adcc868e5cd6da1c736e1dd7659a15db0f1aefddfb0c8220cc5557846b0a4', '\xdbced0a027c54cab65c8f0f8795495bfa626f63881f69884dfe513f3eea36374', '\xc404517c55a783d76a57fc6ee38b9e09');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 14, 'key.disable', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"previous_change":10}', 1775001600000, '\xefd3dd74fd881743963d023e015151bd', '\xf9cff2f55e558547d25118517206544e14c586fd73723e6cb4fd61243b331de2', '\xebc376d041b4687ac63f993c98fdf6ac1c2f1d007994e818b922937eec319ec1', '\x9d716f60ea3646a148a6edd88401d171');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 15, 'key.destroy', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"destroy_at":"2026-04-08T00:00:00.000Z","previous_change":14}', 1775001600000, '\x5f311b94ec28e7299d346910496645cf', '\x8e6c148ef36ca958e18bcd210c14ca583117b5a1da7e78569e3405eb2c520605', '\x8792f53bead1922ec876cf7f179b348fcc97b8506faef15edc64350f17185313', '\xd72ccc1129780d6b4c4fd67acb5246ee');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 16, 'key.create', 'd06cea42-bb5a-4e8f-9c64-0f7438a5de5c', 1, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"exportable":false,"intake":true,"interval_days":null,"key_version":1,"name":"intake"}', 1775001600000, '\xc0d09656e1cc2c8c9e2946416b0a2972', '\xe8a828c2f5f462b44f0e6c7278a5169cfda8f2862704ae134e45f383131c1431', '\xa74078bae322add340dd07920e9548f8a781c54f33527c9b342a32295b6bc910', '\x9ebe1dc32454119843a4dbccd4f28895');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 17, 'issuer.create', NULL, NULL, '1932fcca-9848-42af-970b-7ebed7205a45', '192.0.2.7', '{"allowed_origins":null,"any_subject":false,"audience":"https://app.example","authorized_parties":null,"expires_at":null,"issuer":"https://sign-in.example","issuer_id":"6b9562a0-16b1-40c1-9bfb-4d24fcd984ae","jwks":"{\"keys\":[{\"crv\":\"P-256\",\"kid\":\"12686736-7645-47af-b7a5-871e48577333\",\"kty\":\"EC\",\"x\":\"Rzs00R_Ua5q6AgDokhbSBguwWs80d2ActK-jCSp1ufw\",\"y\":\"e0oUF1r5C7EjtEQaWZnUdcAA_oixKczXlNzPCJYGZQ4\"}]}","jwks_uri":null,"key_ids":[],"kind":"people","max_age_seconds":3600,"name":"sign-in","permissions":["decrypt"],"require":null,"subject_claim":"sub","subject_prefix":""}', 1775001600000, '\xe635c4e6de0a9d4494de75ce11afe5e6', '\x1c63574c3555c84f71630c9d6d6c31ae2dd23321ae4ba639766a9c3e4450bafc', '\x155c5cb57a57ce0897a9deab59cdfdce94a0952ed25078d8522a7bb1fe9d134e', '\x0400493cc028113b03e3540fc7b36866');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 18, 'key.wrap', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, '1932fcca-9848-42af-970b-7ebed7205a45', '127.0.0.1', '{}', 1775001600000, '\x839632ca8a27f4002bbf01bb3ac88d6a', '\x6247b7df19176dc8bff12b17943c2eb464333c4d229cab90c813f984c3922482', '\x2cbf3143b82eac37a499ea94d889ecd554e0779a82b6cc71bdb94c7908e55389', '\x870b81de89d940b43b559978f0d6ef94');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 19, 'key.destroy', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, 'system', NULL, '{"destroy_at":"2026-04-08T00:00:00.000Z","erased":true,"previous_change":15}', 1775692800000, '\xbfd681165b86aead8b54ad3881f82690', '\x90a4a85d183f19842c2c231ece1c53caa0c927c07682d8b2353e110acb4ebbdc', '\xf666fd16ff4e41254e89e82741f063414cb598ab7010d6fc28dcb1c587126807', '\x4bb3dc7fd80e939c0117503df59dbc06');
INSERT INTO eaas.audit_entries VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 20, 'key.export', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, '1932fcca-9848-42af-970b-7ebed7205a45', '127.0.0.1', '{"jwk_thumbprint":"RfRYgI5yCoPuMaJ5Ta-lS8HpIB5QxL3NJBqIwESnywM","subjects":1}', 1775692860000, '\x4f0509a25d73f7cb1e5035a552d59a78', '\xcd217db9d6eba815bf4e67709f782f8e0554cef23da33d7d9e67012191f4861b', '\x8c9771e6724d5f6f319d9284dc2e75839c4c238a29220102f123e62a83933a16', '\x8c4fa583285082e011776ea72425f9bc');


--
-- Data for Name: audit_heads; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_heads VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', 1, '\xfed175069ae9652beccda669377aeeea4118da341cef656c8122b756e153c53d', '\x4140dd7948e591f5e6ebb858ffe3b70617f9c3a7009cc9f87af66ab078aa27c2', '\x5944b509094439631fd1d6ae3b725be2', 1767225600000, '2026-01', 0, '\x8ac158342079fa389db5dc134699e9b0b953374e5373f18696b5cac342522124');
INSERT INTO eaas.audit_heads VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 20, '\xcd217db9d6eba815bf4e67709f782f8e0554cef23da33d7d9e67012191f4861b', '\xd9eaa78384e1a40196a23defa76a55bb0456486b7b7895e523833456b9f150b6', '\x8c4fa583285082e011776ea72425f9bc', 1775692860000, '2026-04', 0, '\xace7b6f707c398b8f7a5440dff52bd2d5ccea7738d96a9d64c78b52e0f0a1b3b');


--
-- Data for Name: issuers; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.issuers VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '6b9562a0-16b1-40c1-9bfb-4d24fcd984ae', 'sign-in', 'people', 'https://sign-in.example', 'https://app.example', NULL, '{"keys":[{"crv":"P-256","kid":"12686736-7645-47af-b7a5-871e48577333","kty":"EC","x":"Rzs00R_Ua5q6AgDokhbSBguwWs80d2ActK-jCSp1ufw","y":"e0oUF1r5C7EjtEQaWZnUdcAA_oixKczXlNzPCJYGZQ4"}]}', NULL, '{decrypt}', '{}', NULL, 'sub', '', false, NULL, 3600, NULL, 1775001600000, '1932fcca-9848-42af-970b-7ebed7205a45', NULL, 17, 17, '\xaf850ce62ee4e22a424266d0606901d47dda0a3aeff3554b7073ea8c957963bb');


--
-- Data for Name: key_sets; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: key_versions; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.key_versions VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 1, 1767225600000, '\x010100000001378ac305fe4159c9aef523cca72706cf25b478ac884f6b56feba64c4c44c178c7597811c230a552a53952ce843e80bf61050511274572cb368de1107c5f69beb97a072de88a031ca');
INSERT INTO eaas.key_versions VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, 1775001600000, '\x0101000000022d5a15aa97a034e9337d03ee0b973695ea398a1972ff84dc1b715ef0a96dd6259fa46c99eb0f9a1ae61f7d6b110f1e7a6b27273cd8e43187f89f8d964931f331282908f2e6776c92');
INSERT INTO eaas.key_versions VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '0b2325ff-b137-412d-af23-761bcb436d70', 1, 1775001600000, '\x010100000001c3586024d532b86a7fcae0e3e6747356c3c8f5e95e1bb9e731af613cf50bad669c9dfc2467088274f8d8265f46e2b5c749fb2c376f3139c05594cdd30853eec218a412adce4b8977');
INSERT INTO eaas.key_versions VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'd06cea42-bb5a-4e8f-9c64-0f7438a5de5c', 1, 1775001600000, '\x010100000001f67ac7c4b7ce4e0590d0bc9f23033fbc30d03de7e7111ab56e380c043f402e49e4fc4e5ed86c44722f25283ee0540016077e38cd015a2177d5bce0d5785547d8cf63a2fc88c54e30');
INSERT INTO eaas.key_versions VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, 1775001600000, NULL);


--
-- Data for Name: keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.keys VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 'first', 2, 'active', true, 1767225600000, 1775001600000, NULL, NULL, NULL, 1, '\x0101000000005b87468f0291901482a3a5ba05e28530a7fa814c64ffac79def21b5bd0059381e799555096e35781dc84abbab8e8706bb370af13647ac9d327f631fe7671d2769f6c2554c0e4b5fa', 2, 4, '\x482d446461d75bca908d322f6429476f6b1d36d69e08ad75e644b0da8fbae2e5', 'optional', false);
INSERT INTO eaas.keys VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '0b2325ff-b137-412d-af23-761bcb436d70', 'disabled', 1, 'disabled', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x0101000000004dc75ea914e3d6199b112444fc560f2da2c8030dd128efa909ae3ebc61dd3469bdfd960911e153df72f5f2a48bd0db9f2a9769dd7162059ed148f8310f66e0b399100f5de4fec8ad', 9, 13, '\xfa3ba4fa31c791dac4c94fe4d633639e3a0980347817cb77444aa18cf44b3891', 'optional', false);
INSERT INTO eaas.keys VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'd06cea42-bb5a-4e8f-9c64-0f7438a5de5c', 'intake', 1, 'active', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x0101000000008d944f085eed8b3c42120a8d735c8a2543b69b1e597b98ee34bd36316aef5e1aea5647439e183bcbbf7d4a48947c2377d0584dfa2066f691df30732794300891f187b3f6c263cf27', 16, 16, '\xae809d1af368d80a3cd44f581223dac769c57a3028839b98d6d0fc9b6abb8ed2', 'optional', true);
INSERT INTO eaas.keys VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 'destroyed', 1, 'destroyed', false, 1775001600000, NULL, NULL, NULL, 1775606400000, 1, NULL, 10, 19, '\xef502b2e20645b5d3fbf64597173d07e2adaa894ae5cf09d45e8ef123249a0f9', 'optional', false);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: log_keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_keys VALUES ('eaas.example/log', '\x70e4b718c525f5af88ea650421f427218a3f244e9b99792b1fba0e79b7d450bc', '\xac797a18ab527aca', '\x010100000000ab7bf8b0042f8fec4980b7d49e964c7ec5ab48cfdb4e6816f45e84741aa4cca116e701c9b91df041cdccb87ac0b7bc4803cbe7d14248d087a3e6868f8d5ceaded80010f68c4ee058', 1767225600000, NULL, NULL);


--
-- Data for Name: log_moments; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_moments VALUES ('eaas.example/log', 0, 1775692860000, '\x90eec1cd1f89a793ff1f0393fd4b65a15e5eb6cccb2a62bcb64f7a2b35e1706b', 'eaas.example/log
1
RQwYf8+HWvu4RyzI5pTGTjRL6Gi5xPnGQt1EWJ+UotU=

— eaas.example/log 2z7yrZ/E7eHSI/efpAtRAsIizkg6K1onSSUuTzgVyZyKPYAyGNY1MIGungVTApZ5mqK9frdY72796oUeep6XmdABtgQ=
— witness.example psEM9AAAAABp1uw8nCrVICp7azxo4pooAqo10YCjLNgikS8yJEdbIXCWufLIxaxJqzj6E+qADRH4nSkBvw+ASkPIrLxeCEMZVeE9BQ==
', true);


--
-- Data for Name: log_proofs; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_proofs VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 19, '\x90a4a85d183f19842c2c231ece1c53caa0c927c07682d8b2353e110acb4ebbdc', '\x2a6aaf4792c47f1041a8dc2c6a6dd7276ad188fc1aa7d39464cad596150f939f', 'eaas.example/log', 0, 1775692860000, '\x170e621ef8d0a463a23ce53302a883771d15536e9b540b4aedb7f76f03abc9480000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO eaas.log_proofs VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', 1, '\xfed175069ae9652beccda669377aeeea4118da341cef656c8122b756e153c53d', '\xb1135c8c77fbb3cf100e3d4be74893a1f8ce10c66fe025d98d62396848ea6ae1', 'eaas.example/log', 0, 1775692860000, '\x349ea80ec37bac6f86b786ae3e0fe11c3b455bb2bf95f786c6de58756039d4640000000000000000000000000000000000000000000000000000000000000000');


--
-- Data for Name: log_tiles; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', 0, 0, '\x450c187fcf875afbb8472cc8e694c64e344be868b9c4f9c642dd44589f94a2d5');
INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', -1, 0, '\x004a656161732e6d6f6d656e742e76310a313737353639323836303030300a6b4f37427a522b4a7035502f48774f542f55746c6f56356574737a4c4b6d4b38746b39364b7a58686347733d0a');


--
-- Data for Name: root_checks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.root_checks VALUES ('\xac797a18ab527aca', '\x0101000000008672d6365a9eb276d66ccbfa6c0fcdbcfe5265e53e976775b0a6ee69c41a997c4c48073d2df1994b9c781f0fb2e59924207f97215b49d8d95dfe3b1fc0f1ec3172c13ac0722f3102');


--
-- Data for Name: row_counts; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_counts VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'subjects', 'erased', 1);
INSERT INTO eaas.row_counts VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'subjects', 'null', 1);
INSERT INTO eaas.row_counts VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'keys', 'disabled', 1);
INSERT INTO eaas.row_counts VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'keys', 'active', 2);
INSERT INTO eaas.row_counts VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'keys', 'destroyed', 1);
INSERT INTO eaas.row_counts VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'keys', 'pending_destruction', 0);


--
-- Data for Name: row_records; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '0925434a-eea7-480a-ba65-9b677ca28bc0', 0);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '1932fcca-9848-42af-970b-7ebed7205a45', 1);
INSERT INTO eaas.row_records VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', '5660d780-13df-400d-831d-b7458c5f2bb6', 0);
INSERT INTO eaas.row_records VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', 'd17666b0-7b3b-4e40-91f3-4caac5d13a3d', 1);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 4);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '763abf65-8b49-c0ab-5594-7ebb03f5dd88', 8);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '0b2325ff-b137-412d-af23-761bcb436d70', 9);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 10);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '0b2325ff-b137-412d-af23-761bcb436d70', 13);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 14);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 15);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'd06cea42-bb5a-4e8f-9c64-0f7438a5de5c', 16);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '6b9562a0-16b1-40c1-9bfb-4d24fcd984ae', 17);
INSERT INTO eaas.row_records VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 19);


--
-- Data for Name: schema_records; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: steps; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.steps VALUES (1, '2026-12-01 13:08:39.087098+00');


--
-- Data for Name: subjects; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.subjects VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '\x9cc9dabb0611e79618b3ccfe3dd4601087b4845e47cfabc6bab4d5e891db3759', '\x010100000000b3103226b2145f9a53478888e888795df84d1b0dd6edb4edd75797390cc9ea2b90663f8fab07297f22ae896a83ea8f59fdabeb3945e0309ce30a2a5c2c5a6bfccebf8123a14f4d0b', 6, 1775001600000, NULL, NULL, NULL, '\xd96cfbd64cbcaf54ca8c4618a6a3e472666135c055d305b299c43b7d3e0e0d41');
INSERT INTO eaas.subjects VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '\x763abf658b49c0ab55947ebb03f5dd889f4d6a82abaaf6fe0799c853346b06f1', NULL, 7, 1775001600000, 8, 1775001600000, '\x0a2c0775ddfd2b06f51582a4c4362a3481c931c9d6f35e9c72719b3099071bff', '\x1dfa6d5ea6ab601be95fb558af3bd095202198c362683cf27e0fa8edb21125db');


--
-- Data for Name: tallies; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tallies VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 1, 'key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 1, 'key.wrap', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, 'key.rotate', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '00000000-0000-0000-0000-000000000000', 0, 'subject.erase', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '0b2325ff-b137-412d-af23-761bcb436d70', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '0b2325ff-b137-412d-af23-761bcb436d70', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '0b2325ff-b137-412d-af23-761bcb436d70', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'd06cea42-bb5a-4e8f-9c64-0f7438a5de5c', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '00000000-0000-0000-0000-000000000000', 0, 'issuer.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, 'key.wrap', '2026-04', 4, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'de55e189-eab1-4d04-83b5-44e2fa10c5bb', 1, 'key.destroy', '2026-04', 2, 0, 0, 1775692800000);
INSERT INTO eaas.tallies VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', '84f0a79e-1fb7-4c44-9170-e1022867dc1b', 2, 'key.export', '2026-04', 1, 0, 0, 1775692860000);


--
-- Data for Name: tenants; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tenants VALUES ('0925434a-eea7-480a-ba65-9b677ca28bc0', 'acme', false, NULL, 1767225600000, '\xac797a18ab527aca', '\x01010000000080da6ebe6910c7051474d6d723dcedb486c04ea47f4f9b495b7788c30896141dfbbcd7cde7d4f78213695927522d1cc825f9b7c8a66f6d7bd60b8bbf389f5c2cc3a637478b81c8f4', 0, '\x2a6a8048d059fe32cb82882bcf931c6d24f9f37776c8bde4658540c343db0a5e');
INSERT INTO eaas.tenants VALUES ('5660d780-13df-400d-831d-b7458c5f2bb6', 'other', true, NULL, 1767225600000, '\xac797a18ab527aca', '\x010100000000db1e6a575c188a91a465128a651b5d74392b2acca0f4bf4088d46752aa487dfa17293751db9b56772f7633e7c2769bd950106902aa1b45ad9a47cd0c7803634f4c058ad7acabc0f3', 0, '\x258a843f20e3b62579b776d8f0f21ea843fc4f4a696fc0b626dc889ba9170f2e');


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
-- Name: schema_records schema_records_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.schema_records
    ADD CONSTRAINT schema_records_pkey PRIMARY KEY (step);


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


