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

INSERT INTO eaas.api_keys VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'c947ce44-f27c-4f50-9dd7-19a61811a64d', 'everything', 'X2pc', '\xa0126320ebfed5762e5ce6012aff1d31a95528428856168334636a8394515c7f', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\xd2862fe71b998d221983c0ce6cad852d02e37e44ec46b895c9a12b6dba5861c6');
INSERT INTO eaas.api_keys VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', 'ca6b92d6-a5b5-4ead-a827-35d5007b3d55', 'everything', '0kEL', '\x8a64119c16cb885cff9f70ca68409f14e2a6763c2d81d908b75a1bab3ea02a39', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\xaf3bf825dba4301059b63a8ba8a54fbee5522d721395abe5c30ad39712f9e87d');


--
-- Data for Name: audit_anchors; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_anchors VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', 1, '\xf615d8389956db13856a1770d16ca5980b4bef6e524d06a2da85dd19a9438e3e', '\x837ad09e81306421ac4fd0ea4da17db90e2e7c73374256ef2f456230e15a64a4');
INSERT INTO eaas.audit_anchors VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 3, '\x51f8e1f646753a6a8077668800547d359a1eb815673d3f5a3f0a8f8aee174ce2', '\xf9158dd32569486610ece3a63e5d7f3e61a653c122f8025ca3f6e77e72e5c6e0');


--
-- Data for Name: audit_blocks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_blocks VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'by c947ce44-f27c-4f50-9dd7-19a61811a64d', 0);
INSERT INTO eaas.audit_blocks VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'key.wrap', 0);
INSERT INTO eaas.audit_blocks VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'key.wrap by c947ce44-f27c-4f50-9dd7-19a61811a64d', 0);
INSERT INTO eaas.audit_blocks VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'by system', 0);


--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 4, 'key.rotate', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"from_version":1,"key_version":2,"previous_change":2}', 1775001600000, '\xab4132fde9ad221dc5c8a398287f97cd', '\x6ce0cc4d38c0a874789f66daa5334bfa8acb9726ad6cdaf027fadecc56761713', '\xbb52b3e6198208953e43dc66254f1c971d134fb61183ffcfb26a1f69003d7e91', '\x0eda26b55001ef2ba78584b325e181aa');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 5, 'key.wrap', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '127.0.0.1', '{}', 1775001600000, '\x9184a86cc9a8dab362a72fc52f7410f6', '\x840f5154f2d10c01410c8c1b32d78fa19e5e56ace2da76895a3b35f09631543f', '\x24b71b52bce714d9ea5e3f0e8827ae4e8870fe6b486e3399698717a5e112fc8c', '\xe8037b3181df62c5ac630542a9cf71b2');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 6, 'key.wrap', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '127.0.0.1', '{"subject":"dc175eac04f3f41b2427ef45052afc04","subject_created":true}', 1775001600000, '\x72850cd10f8170e77f4646ae886fa61a', '\x5ad8b41cb08d4bd0b3df3ff9ef9b727db491e345baeb5d006bbf5224ac9326ec', '\x5e058d033fe08b7ef2e98833a8fef9cb6f0e7ac41fb92755d512de4408e52ed4', '\x55148b57d13d2cd8e5e8b106e0d3d998');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 7, 'key.wrap', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '127.0.0.1', '{"subject":"470f3e79d78e59550c330fabc56b9524","subject_created":true}', 1775001600000, '\x432078ec5e35f3e303831a08cfc4a33e', '\xa0442745f60f408529638dc12497f6eaa304620387dcc781cb78cfbf235c5a4c', '\x23ed6862ea6504d04bb0b90eddfd3ee5fdb03b9b1a9938d05d7d6af45ffc46e7', '\x0751c78b685720a663dce4fc4ebe5562');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 8, 'subject.erase', NULL, NULL, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"subject":"470f3e79d78e59550c330fabc56b9524f546d6f1cfd6af4747a7a6f013769978"}', 1775001600000, '\xe5fca4bcb87fefda7937f3e1f2fd7d7b', '\x5eb71ccc8a77e348a75f3d970d2631eb097ffdf13d337b9b4d103d846acbaa79', '\xd7466f491c9574ec10dc7fe5f1dc1651f186f51ca53fa523941d5f0b376e389d', '\xdc93dd3cd47a5ba1cdf64cc56db56867');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 9, 'key.create', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 1, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"disabled"}', 1775001600000, '\x8f26cd12494b4993981698771b7a5150', '\x0f09e3a2f7f8068ef122c544f6f5118cb9bead81f698c3f373a1be3ab0458171', '\x5db5db8adff8cb472880853032396e6f11fcd124dd59163a2a1ab6449b4d9103', '\x63a52e264d64bfbc21b8e080e47ac23f');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 10, 'key.create', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"destroyed"}', 1775001600000, '\x51a7a507f10ad2cbb1dee0f3f3e1ad60', '\x4147f8ec80f3d1b2ae04dcef5d915217e9e42678311aa3348b9f99efc7c3937e', '\x9e4e0ab0cee4c96b919d66907f20d3798381332d9653cf0aa884b87511c946c1', '\x1e3e7b68dd613722b9450e2941d87771');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 11, 'key.wrap', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 1, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '127.0.0.1', '{}', 1775001600000, '\xee9be62738aef207a6411ca709b7cb07', '\xb00a3545bb3e7dab7ff09d530f0e0e57b4edec1e0b6c9651e533e37990e505a9', '\xe786533f3a8841bf4c8c2f06fccddfa26487666386c4b8fff1fcb23de923d3ec', '\x05dac8a0935c2e189b7be38b1a62fd12');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 12, 'key.wrap', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '127.0.0.1', '{}', 1775001600000, '\xcf1a4a387ab723318dffc8908575dc35', '\xfb176f8797818b08d5b567a09d1c08437bca7f3f82bdb4fea11d838be9ce6daf', '\x3c051aed404d1d5301397c753785b0957b065262d0e276b4f626a2474595c3f2', '\xc3a52dd9245e7258d0319a38cc2e2187');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 13, 'key.disable', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 1, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"previous_change":9}', 1775001600000, '\x0bf1d666f8b9d76c071fde72b98c6b7d', '\x39ddaa55ad136ddc6e727009f9c5bbe43a24c8b37d9304fbf5d55d7a528c5260', '\xa5087a11f43c77fa4e01e5b56490e699588036e68604062a463851ad36b4738c', '\x5893b5e18a9bd513ab5dbca08e7c8cbe');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 14, 'key.disable', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"previous_change":10}', 1775001600000, '\x288c1809aac00fbc173adea4e9a2b04e', '\x03d57830d10374b763ff29806c83e472440846bf5605e96f060df071577fb5ac', '\xf105899c2b5a11e34b5f454c81f3f78aab5683187046568f7a4e6e09c17362a0', '\xdb9b02155944e068e236fce35a13a8da');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 15, 'key.destroy', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"destroy_at":"2026-04-08T00:00:00.000Z","previous_change":14}', 1775001600000, '\x366f222fda9ceba04eabb3e16aa6376e', '\xff10645570944c1730c8b4c9fee41d8517f87d35378644dd542f65ae60d88151', '\x1d92cccbc54539c7d69af15af3459fbbd1530cce70b2a8d2773de8a1001f265e', '\x798f8b9e243a34a5f0e7facc6b07d02a');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 16, 'key.create', '6ffa6543-cdcf-4972-bb84-12572061e40c', 1, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"exportable":false,"intake":true,"interval_days":null,"key_version":1,"name":"intake"}', 1775001600000, '\x6adc3e0fc816a7be703992ef3a9c53ec', '\xd0fbe5d8ae09a84c1a2684ab1c2c402c7568081b733c14ae6bd631333c959b98', '\x920c101b0f12bade9403abc1725a634060cd1a415cd4e5f989a6d21a37616697', '\x4990bede1474096aab7cd6398eb6db9a');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 17, 'issuer.create', NULL, NULL, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '192.0.2.7', '{"allowed_origins":null,"any_subject":false,"audience":"https://app.example","authorized_parties":null,"expires_at":null,"issuer":"https://sign-in.example","issuer_id":"3d808dc8-b239-406e-9b47-23d974c5bcbf","jwks":"{\"keys\":[{\"crv\":\"P-256\",\"kid\":\"a81415ba-a077-4491-b547-02ce5ebe8238\",\"kty\":\"EC\",\"x\":\"4Y4caPWZoyqPTZIaIqE2DScxjo0zxJGGToY74IsL6OA\",\"y\":\"nCI8WMLZIwI6CfKGgJ1Ad98NgDmFGNQT54s_MfxixAk\"}]}","jwks_uri":null,"key_ids":[],"kind":"people","max_age_seconds":3600,"name":"sign-in","permissions":["decrypt"],"require":null,"subject_claim":"sub","subject_prefix":""}', 1775001600000, '\xaaa0a37a5855f6de7a055337ad25ce56', '\x0d31169bd4f3384e957072d74b2310538911adeafba0d5653b4153ba11f940b8', '\x3ab6d411c67595b3f9651a41ba07d9d3def888262a700cf00829b6bcae2bd7e4', '\x258f4ec77947ee534e336ae3dacd159d');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 18, 'key.wrap', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '127.0.0.1', '{}', 1775001600000, '\xc85409ea267e7ead81f86f9e9d114e0a', '\xf51e56955745bf49471fc4d7157fd96197012e8aec0bdba5b1d89178fcb4ea92', '\xbffcb3facac1ed8acef9a0892ddb765e3794823c806c3262c72d9e5f1fa1a073', '\x888856e48d49d6c6baa741f971e7db5c');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 19, 'key.destroy', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'system', NULL, '{"destroy_at":"2026-04-08T00:00:00.000Z","erased":true,"previous_change":15}', 1775692800000, '\x97b720bd42a73d6aedf200903a7b7424', '\x307bae643531dead9200c6c9f38ad41d29d53f2eb410cd1d720dc07d00c61780', '\xb510073b055a62dc0b51251f68135022fdc7c43d873bb982fe7f427e68f2f55d', '\x9981b05ea8d4dbd02e4d2eec70b74fba');
INSERT INTO eaas.audit_entries VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 20, 'key.export', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', '127.0.0.1', '{"jwk_thumbprint":"ZytDB9hpOSF2Q8JkBqRXlidUnQwEKZE1U6_PtAkUUrU","subjects":1}', 1775692860000, '\x96c9e6c0e2291c83bead220cc296b559', '\x5bc45649142134d81371117b72f5a307ac0de5bdae333bbaef5b9d0727e82dec', '\x9c6760b362940e121b5e2f329c86132b5ac90a930958542b253df125ae22e89a', '\x9b2a2bc1ca2ab90e39c797121038d439');


--
-- Data for Name: audit_heads; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_heads VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', 1, '\xf615d8389956db13856a1770d16ca5980b4bef6e524d06a2da85dd19a9438e3e', '\xe7ed643e543f148b4145a9eb3deab011bbc1da653e60923188d2f7f599a1d522', '\x2aac36cd7b6b38788a93f75aae67a18a', 1767225600000, '2026-01', 0, '\x1be61e3bce80d8d641dbf383d1f8eebdde3087ef469b5ec29976e42c7c8729dd');
INSERT INTO eaas.audit_heads VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 20, '\x5bc45649142134d81371117b72f5a307ac0de5bdae333bbaef5b9d0727e82dec', '\x2a77d5c27ae260f37e4d38f41d906b30795d23ab25e84f5b8241632752f5d0f5', '\x9b2a2bc1ca2ab90e39c797121038d439', 1775692860000, '2026-04', 0, '\xfe7219184d2377cfa400da9b1fe8eb4a21035e793a20a2e063b3dded6a142a2d');


--
-- Data for Name: issuers; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.issuers VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '3d808dc8-b239-406e-9b47-23d974c5bcbf', 'sign-in', 'people', 'https://sign-in.example', 'https://app.example', NULL, '{"keys":[{"crv":"P-256","kid":"a81415ba-a077-4491-b547-02ce5ebe8238","kty":"EC","x":"4Y4caPWZoyqPTZIaIqE2DScxjo0zxJGGToY74IsL6OA","y":"nCI8WMLZIwI6CfKGgJ1Ad98NgDmFGNQT54s_MfxixAk"}]}', NULL, '{decrypt}', '{}', NULL, 'sub', '', false, NULL, 3600, NULL, 1775001600000, 'c947ce44-f27c-4f50-9dd7-19a61811a64d', NULL, 17, 17, '\x4965835cdb641c4272fe4e405791a097cb5b6d9d83070f8190d2195af357fc27');


--
-- Data for Name: key_sets; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: key_versions; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.key_versions VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 1, 1767225600000, '\x010100000001bf90bbd03e6764b6b3d3fe1e05860b60f1e462c3e2e7ac27b30f5397cdd1b949d6de059d6ec266bc07aef1046c771ace9e0ec58d4d076435dd07d091272dd477814027c6e81b34af');
INSERT INTO eaas.key_versions VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 1775001600000, '\x010100000002c4573ad1d1cc8b483dac7e695db1e5b64a9ff441a84cfb3c10cd5ca0cd22c9867d64458a6162dd277b3e3d345f256d810ac26832fec80f4ceb5444c52eaa7e32efbb55664e06dcab');
INSERT INTO eaas.key_versions VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 1, 1775001600000, '\x010100000001d3832c15c379c1d99fd7753ee2f07709e4c43de79adda7f63a8f162ba3c365f710535c5c4cbe7ef8ae1dbd9da10673d8dd341cd2cd50ed58117d4237500585a576c063360bc06705');
INSERT INTO eaas.key_versions VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '6ffa6543-cdcf-4972-bb84-12572061e40c', 1, 1775001600000, '\x0101000000015b8f310bda09141b9e65101448173f872f254042ba0ecf6d9b19c1a5d07273442ef7db48f18c1d7f25b6abb43f1d22a2c62a02c92c31f49862232304a81b781df2f7f90487ac0a3f');
INSERT INTO eaas.key_versions VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 1775001600000, NULL);


--
-- Data for Name: keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.keys VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 'first', 2, 'active', true, 1767225600000, 1775001600000, NULL, NULL, NULL, 1, '\x010100000000be117ecefa273acd887f7dab19c78d95bc67cbb0ae1bd72f0efd3333d54e3707019dfb8997fae28640760d7c4b4f82eaf2af7bcfab96fc2ffab8ef85a65a408d056c7761fc7482a7', 2, 4, '\xcaa834bdb8c239994f9a2352a90da34821e8172ea8feae7156428dea4ca0e71f', 'optional', false);
INSERT INTO eaas.keys VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 'disabled', 1, 'disabled', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x01010000000019ec86f8e7b8589e0b941e68281f574c886f66961ff59b4de7ebbe95a667bf42df87f1bec0afef2e953cf5dd2fcb1d5fe0148d4cbfbaf07597475e0943d722038663a71cfaafc240', 9, 13, '\x8f9e15040cf3e30696949a19bc43652a06a0c20fc703e3f8bdc9f5ac1c493a62', 'optional', false);
INSERT INTO eaas.keys VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '6ffa6543-cdcf-4972-bb84-12572061e40c', 'intake', 1, 'active', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x0101000000004a35086f03931cc461c36c24ee5f568199dc77f577e703bd704fdfb7607b00fc374661e08c3cd50d60a59cb40bbea99a6296e8e8d3cd95b20920d704d68da962f8fa962c211ba4bf', 16, 16, '\xa2784e59f2dd505ae469511d6269c632c4fb4a83ed75ad2939ce9b765951536b', 'optional', true);
INSERT INTO eaas.keys VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 'destroyed', 1, 'destroyed', false, 1775001600000, NULL, NULL, NULL, 1775606400000, 1, NULL, 10, 19, '\x5b939ee9154104637c72f646f02a4fcf606bfd313aac2579184fe73352ece0dd', 'optional', false);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: log_keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_keys VALUES ('eaas.example/log', '\x7226fc389d650006936da78846bdce20a8879affa79974fdc6d5a22a105a82e2', '\x8b5cd0067cf86152', '\x010100000000ee01205f77fa01a8dcf2842e12c963a27f97f15c85c6ead6efac1283fc1d6eb3af0d4a3676394fcdfbdf03aaf30ea3196fc807c90464fc5b5dda2dc8a86cabb301143f240bec6167', 1767225600000, NULL, NULL);


--
-- Data for Name: log_moments; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_moments VALUES ('eaas.example/log', 0, 1775692860000, '\x19c3915eef78ea4fe4a889ab9fa0235f7240e5b231d2a1938adb28c61c96227b', 'eaas.example/log
1
m62lWFM/f9/Jw1zCqGaRuI+RYjntapGH+NKt/ZYm2Kw=

— eaas.example/log jByjxf79ZqtMag3itGtFOOFAldceoD+fQe0eMFT92QU+Fxan7ABuQrW0tFjiPplxM34y8CIcJNwpHoKmeEGpyK/jpAQ=
— witness.example jZZMHwAAAABp1uw8P5wvyoXBUszUZQaVZyKlpCdTRx7GqUsQYCKWFUHi7tzQEpHKiRmfpQd+EYae62hTkcVRUvwPZ8ltvvj/GA9WBA==
', true);


--
-- Data for Name: log_proofs; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_proofs VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 19, '\x307bae643531dead9200c6c9f38ad41d29d53f2eb410cd1d720dc07d00c61780', '\x41f7b7cda14d6342386ee7b7fc557a009bd09a769808f21ca7244106a9ab888c', 'eaas.example/log', 0, 1775692860000, '\x673027423beb1c1d7b2b303416b754e4582669f6eb1420be844a8d9743e2cd9c0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO eaas.log_proofs VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', 1, '\xf615d8389956db13856a1770d16ca5980b4bef6e524d06a2da85dd19a9438e3e', '\xe77ef24ef18f882a5ec41362f068cd7dd4d31b975b35f6f19c54abd1ebbf4135', 'eaas.example/log', 0, 1775692860000, '\x2d56e8309a48c5c0e9b44433b1c315896d86c84b604cc5071b66545bb6d871410000000000000000000000000000000000000000000000000000000000000000');


--
-- Data for Name: log_tiles; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', 0, 0, '\x9bada558533f7fdfc9c35cc2a86691b88f916239ed6a9187f8d2adfd9626d8ac');
INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', -1, 0, '\x004a656161732e6d6f6d656e742e76310a313737353639323836303030300a47634f5258753934366b2f6b71496d726e36416a58334a4135624978307147546974736f78687957496e733d0a');


--
-- Data for Name: root_checks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.root_checks VALUES ('\x8b5cd0067cf86152', '\x010100000000bc987e175b5a3ff666fbd898d8bcb4277755e2d5acf016085fc7b23c352ef63914b1fb52bd4b429b06ab8156a710402e31ff6daa58895bef5f361f0d7df5b9fa985f72e51c6b39d8');


--
-- Data for Name: row_counts; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_counts VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'subjects', 'erased', 1);
INSERT INTO eaas.row_counts VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'subjects', 'null', 1);
INSERT INTO eaas.row_counts VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'keys', 'disabled', 1);
INSERT INTO eaas.row_counts VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'keys', 'active', 2);
INSERT INTO eaas.row_counts VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'keys', 'destroyed', 1);
INSERT INTO eaas.row_counts VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'keys', 'pending_destruction', 0);


--
-- Data for Name: row_records; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '1dd9bf2c-e846-4554-9891-d6cb162be202', 0);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'c947ce44-f27c-4f50-9dd7-19a61811a64d', 1);
INSERT INTO eaas.row_records VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', '93747a3c-8e79-4bda-8e29-aa504b84564b', 0);
INSERT INTO eaas.row_records VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', 'ca6b92d6-a5b5-4ead-a827-35d5007b3d55', 1);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 4);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '470f3e79-d78e-5955-0c33-0fabc56b9524', 8);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 9);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 10);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 13);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 14);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 15);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '6ffa6543-cdcf-4972-bb84-12572061e40c', 16);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '3d808dc8-b239-406e-9b47-23d974c5bcbf', 17);
INSERT INTO eaas.row_records VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 19);


--
-- Data for Name: steps; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.steps VALUES (1, '2026-11-30 19:36:56.589992+00');


--
-- Data for Name: subjects; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.subjects VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '\xdc175eac04f3f41b2427ef45052afc04901dd98b43ec13d18235dd06a294b324', '\x010100000000786ee6d4c0dd222827961136f12cb798b6b397a6281455df03e0002b835d230f4571a21f19c91b7309ea6b2eedf062a8a64ce246aa397f65623ae0ab135edaa4f3a524accc3a7148', 6, 1775001600000, NULL, NULL, NULL, '\x356deba309ed615ebd9d729c30c856f38d4783158f61b6b98c1dddc57bab24e6');
INSERT INTO eaas.subjects VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '\x470f3e79d78e59550c330fabc56b9524f546d6f1cfd6af4747a7a6f013769978', NULL, 7, 1775001600000, 8, 1775001600000, '\x5eb71ccc8a77e348a75f3d970d2631eb097ffdf13d337b9b4d103d846acbaa79', '\xc5305fb144552c62727e8e0a663a272d231d6986640f91b1436179dd9991669a');


--
-- Data for Name: tallies; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tallies VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 1, 'key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 1, 'key.wrap', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'key.rotate', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '00000000-0000-0000-0000-000000000000', 0, 'subject.erase', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '7d335f00-b01b-4c4f-a016-e99948e7a6d5', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '6ffa6543-cdcf-4972-bb84-12572061e40c', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '00000000-0000-0000-0000-000000000000', 0, 'issuer.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'key.wrap', '2026-04', 4, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', '4701650b-057d-4767-a2f0-98130c4ee9f8', 1, 'key.destroy', '2026-04', 2, 0, 0, 1775692800000);
INSERT INTO eaas.tallies VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'e73b19e3-cfe6-424b-9b14-9d4fb34ef85a', 2, 'key.export', '2026-04', 1, 0, 0, 1775692860000);


--
-- Data for Name: tenants; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tenants VALUES ('1dd9bf2c-e846-4554-9891-d6cb162be202', 'acme', false, NULL, 1767225600000, '\x8b5cd0067cf86152', '\x01010000000090f5ce504c75ff1fc9d158cd81885615d1cb718f0f3929a815d5e35a8a02172facde049fe57539e794380d6edd49087c316bf1ac7cc0dcf8f36ab71afc158d2a8ba15e4bf7f64e3d', 0, '\x50889c41f7c92bec3672fa90a4f39e83dbef15499d75116bd4e8f5336df420c4');
INSERT INTO eaas.tenants VALUES ('93747a3c-8e79-4bda-8e29-aa504b84564b', 'other', true, NULL, 1767225600000, '\x8b5cd0067cf86152', '\x0101000000001ad5e7da45340dcb7cc8dec9428486f09fc98fa45c0a381b4a5589aa19f0e45786d286723645989aaee6470b4e297b5d72bd276a03714f87a39e177911031321179aa4c2e50c4cdc', 0, '\x0b5a66176500eb3db2b94e7214dcf0f1c6bb01b7189d2e29a095f7aa64a0901a');


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


