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

INSERT INTO eaas.api_keys VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', 'everything', 'o5bA', '\xb257ffd54460c2c4452c5caf2007d1d853cd4d39135383add795510a64021688', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\x5ba6f394d041b61b03d0fe3450502d25f50b15d6269bb82efd796b519236c964');
INSERT INTO eaas.api_keys VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', '80fad796-8c94-4d1e-ab32-f237c8cee6db', 'everything', '4oLQ', '\xcd0444241dc912040dca51f9fb8912dbc6e2148e9c6916a13f1686256912133e', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\x281debee5ab7bf816b37d22adc1dd0f4b426858784fe73fe3cbc44b8836b7e0b');


--
-- Data for Name: audit_anchors; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_anchors VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', 1, '\x6d85469fab798499cc0c79fcd0bd8efc5b152fadca2e07c947d9c735ce8624ff', '\xec608389495f8a7607e7b81fa02ceb949b88590513058bee03ae98fde842b23c');
INSERT INTO eaas.audit_anchors VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 3, '\xeec4914778effefafa76a1c6d9382b6efde95d878bce1201575970447ca0ccf6', '\x8841fce75effc48d6833668839160cc3b5ced8d9582b45112c3f335d0eea7268');


--
-- Data for Name: audit_blocks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_blocks VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'by 2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', 0);
INSERT INTO eaas.audit_blocks VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'key.wrap', 0);
INSERT INTO eaas.audit_blocks VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'key.wrap by 2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', 0);
INSERT INTO eaas.audit_blocks VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'by system', 0);


--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 4, 'key.rotate', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"from_version":1,"key_version":2,"previous_change":2}', 1775001600000, '\x72ffa89972c83cf448da0cd68404b403', '\x789af3905255bf49cc044e6a61961d53dda3efa1cf2f79627c05511c0feea7ba', '\x815cefc049c540e5485eb23284e25441d087dcf0892f10115eebc336fa952a1e', '\x351709e3398e1d1abf7e30c4e467e9a9');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 5, 'key.wrap', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '127.0.0.1', '{}', 1775001600000, '\xd5fb0360d6d6fc9d579bf591be30b773', '\x1ba00c14018576cd2d580fab2ef4cf04e1a071319992bc173341500ecd75c767', '\xf0a01a9a4f6304a062dd58aba669a32f54db1952a66d646ff7d15d8a3e4a70e8', '\x0fdd9b9719897a2df756d42995526f82');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 6, 'key.wrap', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '127.0.0.1', '{"subject":"5a255f49e9e5734ccecbe619b063870f","subject_created":true}', 1775001600000, '\xe0dd649089ca5e3ccd846ec9e3d25047', '\x23b2b9e193a93a3704093e335f83a41e77a4599906fc5dc2248fad9acba60b83', '\x5a92a09909255dc1e4571f39f54ae456f2dc3cda9db6bcea6495112c9d84a07f', '\x23d5acca68c7df6cb919d3808a74d0a9');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 7, 'key.wrap', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '127.0.0.1', '{"subject":"8c70a7fff4d594852a01d5fb10e69051","subject_created":true}', 1775001600000, '\xf03fa80cdbf62b88f1c6f81158e84462', '\x524525aee597b976de10aadc91a4f995545abf2290c75fd76968aff6b889f9bc', '\xf17192cd3b8383c24dc54bdb3869386c6a0bfbd6bf85484dbc674e8cc62834c8', '\x832f806775aca2ee66af4b1010f81654');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 8, 'subject.erase', NULL, NULL, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"subject":"8c70a7fff4d594852a01d5fb10e6905195bf3b341323e2bd03f67649f4c12b48"}', 1775001600000, '\x41571de12dcf636f26ac86ed84c62bd5', '\xaadad6d9f88bebfcad43c13edbd93bcee67efd97731dffec5309ad708bb9f003', '\x3192dc020739b0c07c993b4d8f4fba74a4b21707725d2f22e299604d670d7213', '\x3ab2bbc6c385ca752215543fad5b9cec');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 9, 'key.create', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 1, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"disabled"}', 1775001600000, '\xa35c07e52e8c398a3fc0cb35644e6d86', '\x140ca5259de61419b3392120c0e9fe201a132d89c4f1fa1103e94208c5039b85', '\x20fd726eead7775a119ac82e9705af1b2af23caa31c7be84f826a55f8e821de4', '\x3bd4ae0d6f053ee4ea4df2fd322a454f');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 10, 'key.create', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"destroyed"}', 1775001600000, '\x9be74d7152f66e36b9581372c41b9b48', '\x49dc3f6745141137cad5825c17bb9148e4edae33bc2285dcaff25a7f4c760ff7', '\x391a08d736a68740aeeab72ac591a4457e5ee9cee09fde7fc669e0e682a81673', '\xe0a62a0f5161c65c1d26344414525eaa');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 11, 'key.wrap', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 1, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '127.0.0.1', '{}', 1775001600000, '\x7ce8f223e1f471fd1dc94838f693965d', '\x05959e2ea16b97376e767f9e631e329ef88c35125ddd5091acedda183c0aa7bb', '\xc740df391684476da2ebc78b65a915e1bb781b2409b9d19f2ffaaeebe7b5b68b', '\xffcc0b485f99fe6537ca00d6fa3eab03');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 12, 'key.wrap', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '127.0.0.1', '{}', 1775001600000, '\x69cccab752b7074e86f53c019a3b2aec', '\x5acf505674bcc158432d536edd408da7ba100e45a2bce207e1814d9320930de6', '\x321e11d47bfd06c1fcf2eac3f3737c9e0971f55b93ce818edbcd8b83cac1a13d', '\x43f9ee6d88a2c959ff7e3f0c48dbe891');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 13, 'key.disable', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 1, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"previous_change":9}', 1775001600000, '\x9680396e57008e546e81ab0fa41034b4', '\x0d39b4f9c29cec4594517f4eb33afc03d5e23984e57496c9997b11dc712ae827', '\xfccb3e5eddde4a040c113d54dc9ab5c7e06c56a40085cf0bfc6b5fd2a43b0aee', '\xa371ce04451a26736ead11aa7430bc4a');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 14, 'key.disable', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"previous_change":10}', 1775001600000, '\x6c683de131c54a2847600e6a4b4c180a', '\xeebe1f25013aa32d2819b82a22e314ccab98a74bf80dd5357b608e175c55f02b', '\xe52a8c1690c7499e5798dda8d2323bf3991388eb6421eb78352d2047489c19d2', '\xfdd2eb711cb43d1d105b3af9e8b2256c');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 15, 'key.destroy', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"destroy_at":"2026-04-08T00:00:00.000Z","previous_change":14}', 1775001600000, '\x9f3eb7c618f396ac0eecc07bdab9511e', '\x6d6ac564524b1d2c07b7dcb58a0bdab2a307bacf32035ab37407d6f39bea6766', '\xaf42beace8e3efc72bd35dcb0180e98dc021c1f4586ef92cb48e79d9e91806b0', '\xc605528b67e23b9bf13f6ea73f380f62');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 16, 'key.create', '9dbe30d5-1888-40cc-8b2b-c2090a6821ca', 1, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"exportable":false,"intake":true,"interval_days":null,"key_version":1,"name":"intake"}', 1775001600000, '\xc0ec009065f53cc00a8f677df0944dfd', '\x4bc2e4a62093a3876683ea16c972fa3f9cab8180d1f4448a8224787b1a88ed2a', '\x404c2f7c8a308ea7df06651fc11f7973634ad43849c2da46af1377b038c465c8', '\x54a4bce89aec9e275673ea93e6fc1b36');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 17, 'issuer.create', NULL, NULL, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '192.0.2.7', '{"allowed_origins":null,"any_subject":false,"audience":"https://app.example","authorized_parties":null,"expires_at":null,"issuer":"https://sign-in.example","issuer_id":"3447affc-c386-490f-9697-dc21bce702be","jwks":"{\"keys\":[{\"crv\":\"P-256\",\"kid\":\"6059e33c-1687-4feb-bafe-b4eb260c3dfc\",\"kty\":\"EC\",\"x\":\"rv_rqUSL3KjOVFdKq-ga0AOpfhB60_7dFMdhjoq7kiY\",\"y\":\"izmdxR_8zE15V7fb0pcc6M1eSmLYtY2I_hC8Os2B60Y\"}]}","jwks_uri":null,"key_ids":[],"kind":"people","max_age_seconds":3600,"name":"sign-in","permissions":["decrypt"],"require":null,"subject_claim":"sub","subject_prefix":""}', 1775001600000, '\x686ad29a16b16eada746b02de997e923', '\xad383ab1e7a35f932176c77df69ee2c283bbc172a3ab54cbb6fe0619a0c174bc', '\xe8a8c06194136afce460ab5824a7f0506dc16d224f97d70ff4d7594f08a7f712', '\xd7e14338555592da5e909625a8e552cb');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 18, 'key.wrap', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '127.0.0.1', '{}', 1775001600000, '\x860c922ceb391dd65b409084b4fb0d3f', '\xe74c012492ccf50fe6cb52d78c951c3e88e12e11146477e11c9ae1ce45c93e10', '\xf9dfb4e37e309287b71418264acb67da73037eb524ce79c2440bd44ce28b16fe', '\x4f0a96ff97bdaf7c17295b081eab0be4');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 19, 'key.destroy', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, 'system', NULL, '{"destroy_at":"2026-04-08T00:00:00.000Z","erased":true,"previous_change":15}', 1775692800000, '\x2c2b9d7d24ea3b3caabdd5defa806dfa', '\xace736a86f5d098ac9ab2543d754c48eb18a1832f285f0de92d0bf937830d49c', '\x9cbabeb3119e2f6b8424e880a2ab6a70ac7b7b991c9fb2b1fd9f5b56cb8688fc', '\x71cac8a930a898cfa23ac16162bd19b5');
INSERT INTO eaas.audit_entries VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 20, 'key.export', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', '127.0.0.1', '{"jwk_thumbprint":"hx0ni_l5HIv8u380nU1P-0qU9TDtTcHzWsNzuXAS69w","subjects":1}', 1775692860000, '\xa597e57f143164cedf0df561be144b81', '\x7633e9069e2071b7ade08a098522c710b67ba976425cbda80b822a9b9b0fba53', '\x3610d33461731dbd0bf82b214edb8b7f67e10d536a9b83c1b2ce64338bd50d17', '\xf064cd1688e37da1485371eeecd9adcc');


--
-- Data for Name: audit_heads; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_heads VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', 1, '\x6d85469fab798499cc0c79fcd0bd8efc5b152fadca2e07c947d9c735ce8624ff', '\xd645cbb188e05ca03cca148b48a04c4148ea3f92f7605d7973b88081d0a00fc9', '\x9e6b9aecaa6523d0efada434d4597e7b', 1767225600000, '2026-01', 0, '\x673017b77e77ac678d2ec17506907c1ed97fba47619bc0eeaab3181d7407e98f');
INSERT INTO eaas.audit_heads VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 20, '\x7633e9069e2071b7ade08a098522c710b67ba976425cbda80b822a9b9b0fba53', '\xfa36048bf4c31b39f4002b8095831218b7f85f99b88472418e7dc735cdff9257', '\xf064cd1688e37da1485371eeecd9adcc', 1775692860000, '2026-04', 0, '\x361a474b51401754afaf305cac0fde22cff6b0a2e05c169ca8b5229d0e66f402');


--
-- Data for Name: issuers; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.issuers VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3447affc-c386-490f-9697-dc21bce702be', 'sign-in', 'people', 'https://sign-in.example', 'https://app.example', NULL, '{"keys":[{"crv":"P-256","kid":"6059e33c-1687-4feb-bafe-b4eb260c3dfc","kty":"EC","x":"rv_rqUSL3KjOVFdKq-ga0AOpfhB60_7dFMdhjoq7kiY","y":"izmdxR_8zE15V7fb0pcc6M1eSmLYtY2I_hC8Os2B60Y"}]}', NULL, '{decrypt}', '{}', NULL, 'sub', '', false, NULL, 3600, NULL, 1775001600000, '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', NULL, 17, 17, '\xf0fae901c36b1cdb8f648c486c7979beccee4ebc15b16f0533629736f9588c2b');


--
-- Data for Name: key_sets; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: key_versions; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.key_versions VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 1, 1767225600000, '\x0101000000012d6282eda51b8bf4a2bb34cf36ee5055f231b33b8d1d777259e8585dc573b6ee67cbdae6667cb6ca8735a28b87369a9fa2ab8f4820bb779ae7d236face8e21a5995fd3f4a99f19c7');
INSERT INTO eaas.key_versions VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, 1775001600000, '\x0101000000027081bd3151d2c9bfb96e77e073a6bc14dd5ea9fa20270cdaf4395411d3aaa113b66e99750e62d2ff3b3b609e85c8d9528998b901297e5f8958c83410c648f85fdfb3e1386a32bc61');
INSERT INTO eaas.key_versions VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 1, 1775001600000, '\x010100000001cff6e839401433f6b3070197a40add831bcf8617633476b817c0e24e6c5daf22fd56a2b029333f8525f91af670e0f4b0e3d095d10e9aa38b9be8a56366cd4d9ad83d76aea2a0af14');
INSERT INTO eaas.key_versions VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '9dbe30d5-1888-40cc-8b2b-c2090a6821ca', 1, 1775001600000, '\x0101000000016c389973823d6f770c03a2f5da6b8afc8faa24387bfa627ac07873603ca526b4bf13551ca6619830081dc0b498be56b78298acf9c642a5088acd8a9e5d6654c15da7ff7e00ec1a71');
INSERT INTO eaas.key_versions VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, 1775001600000, NULL);


--
-- Data for Name: keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.keys VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 'first', 2, 'active', true, 1767225600000, 1775001600000, NULL, NULL, NULL, 1, '\x0101000000003e8bc9168edb7af13884805a00c76f8f823cbdbd9d23d1fa83b6701c7f7217eb38ed32f415ee39f390ac00b10d16a481d33a5ce684593c9e0b2f679a4554a11587f6c07e2c5c3a24', 2, 4, '\xb5ffd39817dc498b8d8341cf529d0e48a23a2109be641d6bdcf96257d673e021', 'optional', false);
INSERT INTO eaas.keys VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 'disabled', 1, 'disabled', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x0101000000007372b42dc222c5faa59678838792ff224f2053fea9707d5e7f8d59fb70cad9056d7bbc064f17b2f5f9c7a292cd4db316f45433c6366ad862bb2f9c11835e4119e6b39e21cdf6dbfc', 9, 13, '\xe13ca7d76472fb3e93846f1eaba27f9b1e3e94d1b1e671e21598a93c5c0f0c0d', 'optional', false);
INSERT INTO eaas.keys VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '9dbe30d5-1888-40cc-8b2b-c2090a6821ca', 'intake', 1, 'active', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x010100000000bca87b7a22f6d0a63e7859894e448b5779d9eb2af2a054f3c4a4c2cb7ec64168f670f2708974bdca73f3383d56aa783463fcd6481dcf4d63bc4ccacb7a770c7fa92da488b7862a64', 16, 16, '\x8c744fae0e42c97b6e1477e7d51ac5b311d65f5842d2ee6aee66cbf2102d9ca5', 'optional', true);
INSERT INTO eaas.keys VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 'destroyed', 1, 'destroyed', false, 1775001600000, NULL, NULL, NULL, 1775606400000, 1, NULL, 10, 19, '\x33ad0bd0ba1b499809140c7bc15b061e9ee902b031656c10b44c73b8d40fa07e', 'optional', false);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: log_keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_keys VALUES ('eaas.example/log', '\xab354f11f40dd345453f19694cf015ff8ca05493e1c3d5a1b655ae99cd581997', '\xaf524bfd02763f14', '\x010100000000eb1fad0a7d5104089e3f79a573776b76577cf8d650d8fac816aba346cfeacb61abeaba6b361d3872a518f7f4efe7c7e134d6caecc0c6446a1d3a4ce3513f62a1d1bc006d6be94377', 1767225600000, NULL, NULL);


--
-- Data for Name: log_moments; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_moments VALUES ('eaas.example/log', 0, 1775692860000, '\x1b34528eb4de515129b1f3eb08bbfe8714adba8ef9c8c42e0d5d0dbfbe458b65', 'eaas.example/log
1
SOfF/luiULwwC0CrVygZ+f0WivGHv3k5dSquzlueBnM=

— eaas.example/log mVa2bMIjAHcoffiQI50SQQx5nx4vPgMh+50t9R2YwI6P5cE18tJPoro2lD0+ntF8jcAlLOxYGRhmSSjWcjcwfq6/jw8=
— witness.example d9O+MwAAAABp1uw8kzpGSWF+ML3Xmj9Qg3EsSh5XyAT1YpcGoHQvlYNuZG5UtprRN9BZmnIihvX7R1KL3m4srZt5AWrUb9zRMqfRBg==
', true);


--
-- Data for Name: log_proofs; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_proofs VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 19, '\xace736a86f5d098ac9ab2543d754c48eb18a1832f285f0de92d0bf937830d49c', '\x339d01645d9b0dc61a513fbe266354c217bdf1579702e332f0188b8850a1dbb8', 'eaas.example/log', 0, 1775692860000, '\x2d99c912b69ddd9231a75e560046569170651c4fcbb79bc9ea9c87677a7d7df000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO eaas.log_proofs VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', 1, '\x6d85469fab798499cc0c79fcd0bd8efc5b152fadca2e07c947d9c735ce8624ff', '\x0cbacd6f6551a80496c0025b46bc5a430987be8477bd63dfd5bbe3d53973f9c5', 'eaas.example/log', 0, 1775692860000, '\xc5b29b077527e6f616ceb1b6c33eeeeef3de736ab0c740c2f4d96424315d926e00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');


--
-- Data for Name: log_tiles; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', 0, 0, '\x48e7c5fe5ba250bc300b40ab572819f9fd168af187bf7939752aaece5b9e0673');
INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', -1, 0, '\x004a656161732e6d6f6d656e742e76310a313737353639323836303030300a477a52536a7254655556457073665072434c762b68785374756f3735794d51754456304e763735466932553d0a');


--
-- Data for Name: root_checks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.root_checks VALUES ('\xaf524bfd02763f14', '\x010100000000a571718de25b007989501243ba32e40878f39f033d3002fa4c18f4e0f2cbd9c709339c553b58ecc5463b248a803691d8276907085b12913382ad5d552e56f26f0a31329dfa4c7098');


--
-- Data for Name: row_counts; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_counts VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'subjects', 'erased', 1);
INSERT INTO eaas.row_counts VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'subjects', 'null', 1);
INSERT INTO eaas.row_counts VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'keys', 'disabled', 1);
INSERT INTO eaas.row_counts VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'keys', 'active', 2);
INSERT INTO eaas.row_counts VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'keys', 'destroyed', 1);
INSERT INTO eaas.row_counts VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'keys', 'pending_destruction', 0);


--
-- Data for Name: row_records; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'de11794f-dbdb-44a5-86bc-56aa7d4c349e', 0);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '2cbbd0b2-0dcd-4ddb-b114-f5ae5a385120', 1);
INSERT INTO eaas.row_records VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', 'e7170b09-d76a-41b8-b522-a490ac9286bc', 0);
INSERT INTO eaas.row_records VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', '80fad796-8c94-4d1e-ab32-f237c8cee6db', 1);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 4);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '8c70a7ff-f4d5-9485-2a01-d5fb10e69051', 8);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 9);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 10);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 13);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 14);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 15);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '9dbe30d5-1888-40cc-8b2b-c2090a6821ca', 16);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3447affc-c386-490f-9697-dc21bce702be', 17);
INSERT INTO eaas.row_records VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 19);


--
-- Data for Name: steps; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.steps VALUES (1, '2026-11-30 18:39:17.941258+00');


--
-- Data for Name: subjects; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.subjects VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '\x5a255f49e9e5734ccecbe619b063870f18a13924f5a39cdae65beb16f918e2d8', '\x0101000000007ca7c534c3de1001a42e1ab04d8815e43e0ab5a7d8aa49f01c96fb07a309a128141da6ecbe84e5ece6ad2fcdf54d87a7e1d98a6aea5c48561bcb779b0157c02cabf9fb69e0d9d3d3', 6, 1775001600000, NULL, NULL, NULL, '\x12add007d595c9fbe06c4f3ee1ae9e095dbb1ed96ff057375564f9f285f2c28d');
INSERT INTO eaas.subjects VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '\x8c70a7fff4d594852a01d5fb10e6905195bf3b341323e2bd03f67649f4c12b48', NULL, 7, 1775001600000, 8, 1775001600000, '\xaadad6d9f88bebfcad43c13edbd93bcee67efd97731dffec5309ad708bb9f003', '\x1f3f099e0bcbb89a76cd7f9d36480cc2b71db4af7ef6ee83497c7a97f7a4d7ca');


--
-- Data for Name: tallies; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tallies VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 1, 'key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 1, 'key.wrap', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, 'key.rotate', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '00000000-0000-0000-0000-000000000000', 0, 'subject.erase', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '09e5a39b-635b-44c8-9589-095e7ba24f2a', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '9dbe30d5-1888-40cc-8b2b-c2090a6821ca', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '00000000-0000-0000-0000-000000000000', 0, 'issuer.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, 'key.wrap', '2026-04', 4, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'affa97b8-3d4d-49b8-877b-39b9449e32dd', 1, 'key.destroy', '2026-04', 2, 0, 0, 1775692800000);
INSERT INTO eaas.tallies VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', '3ac89620-1066-4a24-8136-71eb3a8a00ba', 2, 'key.export', '2026-04', 1, 0, 0, 1775692860000);


--
-- Data for Name: tenants; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tenants VALUES ('de11794f-dbdb-44a5-86bc-56aa7d4c349e', 'acme', false, NULL, 1767225600000, '\xaf524bfd02763f14', '\x0101000000003e63b0c3f2bae162078acb01779f14d80eb0546752657d3c15defdbef157badc618e8b6051402d8c9c03dbf577658d6d853992530c274d876ff591eeed36c1278bd60d3136de578e', 0, '\x5206623a5fc84abdbfe3f19061be1417220783fe53a14660fbbc20fcc74c5f20');
INSERT INTO eaas.tenants VALUES ('e7170b09-d76a-41b8-b522-a490ac9286bc', 'other', true, NULL, 1767225600000, '\xaf524bfd02763f14', '\x01010000000097685c1e0f4148565a2bb1e439bf8fc794a44d6132d6c24047da3460d4847a4f4f263e64f68d9a3b638af58560b3e63df7f9d016ccae11d72e221c4e81926530d297c69049f3a874', 0, '\x79df1e546b1ee324e1571931aadc81f4d4b85988d2891e6781c947e774712fb1');


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


