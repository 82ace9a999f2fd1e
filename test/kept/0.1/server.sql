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

INSERT INTO eaas.api_keys VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '8e6cf460-6467-4d5f-b100-29bb63b17cb4', 'everything', 'fp2J', '\x021661af9faade0aee8831827332b64127fb77f4939d96fa52830023006d1474', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\x671b48a374f163b9dec01bf52839fec0f04a3431425c7008497b285d6faf0a5f');
INSERT INTO eaas.api_keys VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', 'b11070cd-20b8-45a4-8d4e-548ac1a7b942', 'everything', 'XoL2', '\x4118fd5b3858c8f46711c6d1b6b37cf46f05989c05b594d6ecef74880dac69bf', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read,subjects.erase}', NULL, NULL, NULL, 1767225600000, 'operator', NULL, 1, 1, '\x0af0db8c00414a0b9b0882f9c56c932bb8feedd4a82992ea33cd85a7388d40eb');


--
-- Data for Name: audit_anchors; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_anchors VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', 1, '\x4116fd9969acc74678df5f5aa001fed11a90024688de631fed277bbeac28c10d', '\x4afb9000ed3a987707e53f589d99dc2b1b0c9cf4df6d4cec9fff32d53814c196');
INSERT INTO eaas.audit_anchors VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 3, '\x825a423a660ee9756c4107388f926961044e50ec430be670dbfe2f9b2c47846f', '\xeec754f84d66c4e28707401c7b8d0c078d6c47f6c59ab3667db206212c0e8743');


--
-- Data for Name: audit_blocks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_blocks VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', 'by operator', 0);
INSERT INTO eaas.audit_blocks VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'by 8e6cf460-6467-4d5f-b100-29bb63b17cb4', 0);
INSERT INTO eaas.audit_blocks VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'key.wrap', 0);
INSERT INTO eaas.audit_blocks VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'key.wrap by 8e6cf460-6467-4d5f-b100-29bb63b17cb4', 0);
INSERT INTO eaas.audit_blocks VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'by system', 0);


--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 4, 'key.rotate', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"from_version":1,"key_version":2,"previous_change":2}', 1775001600000, '\xabf09397657273f75616fc5a7d9b9251', '\x6fbd21e93c05a6cac0405c0b0e144e4a229298dfa2a9f26e094e9c0f24706e41', '\xe716aa4a9eac024e174c88faebc407e4f9f3967f053c5a4762373fcaa866214e', '\x7cc60e7c962d5e945acf4f6e30a2d251');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 5, 'key.wrap', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '127.0.0.1', '{}', 1775001600000, '\xb91635a46af15c09e618e00362114580', '\x774186602c30476c8e90bbb544b0a53a40d6b91d47075e0bdd1d4005ca3725bf', '\x4d7df9b6bda830abbc5e5689609968b0f11961f42351a3f80f91011f6afc60d0', '\x757afac435d9ec885a03db6f6d9b6a98');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 6, 'key.wrap', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '127.0.0.1', '{"subject":"73f5dbb5189f70c87ec498580702d3a9","subject_created":true}', 1775001600000, '\x1b476664a095b5b7473915165a84c568', '\x382c541ac360223d9cc1ea46ef1398cc6dd99b662100795757f32f3f08f460dc', '\xf75fbd7d3016f83cca072c701c29c45f362e70587e7380d072d2dae2026422b0', '\xdb8c6abafd5f6b97d97d7f2445ef4b7b');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 7, 'key.wrap', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '127.0.0.1', '{"subject":"915a5be0de1ad83fd72fed53162a68ef","subject_created":true}', 1775001600000, '\x3552454e654044c4010530322e570f0a', '\x08cef184728f8b787ebfdf248220b9886c98cd441b427110171cf7a56a4fd310', '\x4803794c7cf36f2ffae9c383ba7f950ce4712bf373e8f1364be8ce540f5bd1b9', '\x7a93b0dbd55db519ebfbed45a8284d89');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 8, 'subject.erase', NULL, NULL, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"subject":"915a5be0de1ad83fd72fed53162a68ef4440625645bbc25e7b34d952a11685a7"}', 1775001600000, '\x680065104a67f6f6bf1a43d0c8d07d70', '\x4a54555782198fcee7a1b5784a2c1f16978851a2605bc2fe6fecfa85f7e0c237', '\x4a327e06e739044959d5ff1c58982f3c717b4255f693c2a2e7af4840727cc1ab', '\xca65663a8cecaffeac890360d7015686');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 9, 'key.create', '5b39cf62-d592-4ba8-8209-2ad480452eca', 1, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"disabled"}', 1775001600000, '\xe88d8fd2f564114e4280867c48512e2a', '\x85b75d8b2c67fef626770bc53e8f3fca88f20c4a89f96e1fbe968949f4edf41f', '\xa1898c19699bf87632baa26b37256059b6baeec1a5ea85e703d9d5eb51702bef', '\xa8060ad8592c1e807431287e8f6cdde0');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 10, 'key.create', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"exportable":false,"interval_days":null,"key_version":1,"name":"destroyed"}', 1775001600000, '\x9090899ec21790a65abef0f9f8ce4e73', '\xc4c52951d4918618af4c9bb43d373ac6993d1f3cb1a21c299841501c4b97eb2c', '\x02acd7e7aa18728d51ce035ab306917d38ce3a0315f68cd269efe6e2375fbf2e', '\xde33562eb9639e10ec7e49686dbbdd8a');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 11, 'key.wrap', '5b39cf62-d592-4ba8-8209-2ad480452eca', 1, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '127.0.0.1', '{}', 1775001600000, '\x00925c8ffb51598ad2113a6e5f4a9567', '\x090d313248b1b250a62f185dd9ce2af650f218cbe39438e277965405a240f1b9', '\xbc3b79f18aa1296d0cafaff1b117cebf001e089184d8b1b5d8578ff0ea141e7e', '\x8a1760f624d898ee3aaa8b78454220f7');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 12, 'key.wrap', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '127.0.0.1', '{}', 1775001600000, '\xafda4a73f3c87dbbab61c93a51fc323b', '\x742665ba60425d27cba21578d9ef6f8b3779cb8bb8503d623356b314c0553dc5', '\x6327d1e5cc056e281e6e0427e5a5cad129a2b82941365afafa079160f40cf807', '\x07b47e7f4f1ac20d23ed59ea0a84f5a0');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 13, 'key.disable', '5b39cf62-d592-4ba8-8209-2ad480452eca', 1, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"previous_change":9}', 1775001600000, '\x8dc26617418c3abce7d25648120cf749', '\xb324a55b117593df6ed047e1be674da91070ceb9a2c2d63e71222a6fa1459499', '\xa2279988b63a6caf61d39de416cae9a2f1494a63dea4fbef759276a5444bc00e', '\x68322fa20d092b641b9ce9dc8dc5bd90');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 14, 'key.disable', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"previous_change":10}', 1775001600000, '\x794a8276b448d62c8c623f25fae28b84', '\x97cb590bbdbccfb2cc0684ebe34c76b20af1229184c2006fee1387bde058315a', '\xbfb422981d631b52a337e4c06bb396c82ab1e0ad7d0c4c74a1e9ba8b404f30aa', '\x230683c903edfee6d30b1cfe62bfde6d');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 15, 'key.destroy', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"destroy_at":"2026-04-08T00:00:00.000Z","previous_change":14}', 1775001600000, '\x8296281b1c439d680d3bf5bfd7fd5157', '\x9446af899bcc658ff9720ce747fa47f2bba728fbc62ac3d451f702903af71dc5', '\x0ad5d067bf34bce5b45b24fdc5b1ba3a984f17e6a3a260ddc0e699c56623b214', '\xcc3099a77af997846abb8b3e4a9b3ef5');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 16, 'key.create', '7ce62fc1-0525-4a14-a340-a64c0eab0939', 1, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"exportable":false,"intake":true,"interval_days":null,"key_version":1,"name":"intake"}', 1775001600000, '\xe6f1897eebd331c60632222ac8a5b20e', '\x30f1ae90e1135e3c73dfaac4124e0f908257d70f01f6060d8ace1420b10f16f0', '\x215e3ff8ed6b7b31212d2c39c3b00008830c8a07899a6194dfea4757cfdd7593', '\x0562258e013d88db9d7f48d6fea0eb77');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 17, 'issuer.create', NULL, NULL, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '192.0.2.7', '{"allowed_origins":null,"any_subject":false,"audience":"https://app.example","authorized_parties":null,"expires_at":null,"issuer":"https://sign-in.example","issuer_id":"0e1ca2e3-187a-4bcf-a69f-9cb20c160c99","jwks":"{\"keys\":[{\"crv\":\"P-256\",\"kid\":\"1d1ca2fa-0146-4db3-a87c-a4ca66bd2689\",\"kty\":\"EC\",\"x\":\"M2uYst7XNzn8d7Lw54hcefbhVUDLHscnjau2jU6xCBE\",\"y\":\"GYdlcydbCaVn-H_CicytQaa-VvhiBVepENISAGCAUhM\"}]}","jwks_uri":null,"key_ids":[],"kind":"people","max_age_seconds":3600,"name":"sign-in","permissions":["decrypt"],"require":null,"subject_claim":"sub","subject_prefix":""}', 1775001600000, '\xd5057baf21c3cccf3c04c704db9e8701', '\x4120afb8ecba49a7e6c33808c018b29a662c6641885c6af3614bbec77e73f078', '\x2f7c1861516b6b7c4444e521f806a982eba263f3f793d0eb2aef936d9c770273', '\x00a7f44ed65df6aaee3809db30d0ff9e');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 18, 'key.wrap', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '127.0.0.1', '{}', 1775001600000, '\x215a5b2f04b6b457edea16565ae310de', '\x4ab99d1d35f7393b6076d7f8c618ebcf352499d3b2fd200cc3f191024a2c3605', '\xf271156fb6a48a6111a5656812b9a55d28837b3412782c9acaf18b718e52a6b9', '\x6e57f01d835c5f66f113fbc01b6a0717');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 19, 'key.destroy', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, 'system', NULL, '{"destroy_at":"2026-04-08T00:00:00.000Z","erased":true,"previous_change":15}', 1775692800000, '\x876471309107b8ddccc8e08cd0479630', '\xf81f3d68d8992c722bb24adc5b7c53eac8eaaef58e5a4e07f57c1298bbb5755e', '\x9e256fab6426dd40caba492d6a5bee42584700a2e207d3d1a32df3ec38b9140f', '\x6b92f43a9866b16af7406cff19a0ec04');
INSERT INTO eaas.audit_entries VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 20, 'key.export', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', '127.0.0.1', '{"jwk_thumbprint":"jSkQE-7BgKTRJPZ1itHmb67XDT6pNXE67KS_FYkyFcw","subjects":1}', 1775692860000, '\xea98d0e530caa11cb92348d1bbc42894', '\x79c24a3fc51ea873f42945962396ac1a3e7220379b2137acb3024da3a596520d', '\xe9c7ac5a76420a1ed6f5b75894d12dddce4279e2d69be68d15c7c7ad4a1f7905', '\x371ae6b7f734c438926ac43fc28dac43');


--
-- Data for Name: audit_heads; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_heads VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', 1, '\x4116fd9969acc74678df5f5aa001fed11a90024688de631fed277bbeac28c10d', '\x948397fe6a5bdab08ca28fbbcc3eacd7121d35bdacdd54c9d7efc05944b00599', '\x45d73952e0b52bd2ca3e1e34f05dc995', 1767225600000, '2026-01', 0, '\x8d8cb082a3f7e93745cbffefbf7175a1533ea0eb31d71f7519217495bd432f0e');
INSERT INTO eaas.audit_heads VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 20, '\x79c24a3fc51ea873f42945962396ac1a3e7220379b2137acb3024da3a596520d', '\xfea53f0f403887cfb865013ad1e114250839110a63000070903a0de0fa4197e6', '\x371ae6b7f734c438926ac43fc28dac43', 1775692860000, '2026-04', 0, '\xb024f923fb2a62c10e3b47e454f9d38eb965c2915a6065fd7479fb1f467b629c');


--
-- Data for Name: issuers; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.issuers VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '0e1ca2e3-187a-4bcf-a69f-9cb20c160c99', 'sign-in', 'people', 'https://sign-in.example', 'https://app.example', NULL, '{"keys":[{"crv":"P-256","kid":"1d1ca2fa-0146-4db3-a87c-a4ca66bd2689","kty":"EC","x":"M2uYst7XNzn8d7Lw54hcefbhVUDLHscnjau2jU6xCBE","y":"GYdlcydbCaVn-H_CicytQaa-VvhiBVepENISAGCAUhM"}]}', NULL, '{decrypt}', '{}', NULL, 'sub', '', false, NULL, 3600, NULL, 1775001600000, '8e6cf460-6467-4d5f-b100-29bb63b17cb4', NULL, 17, 17, '\x522c068617cbf812ff555b76a7c870e73723a530aed4eb8599f61f339d4c1d13');


--
-- Data for Name: key_sets; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: key_versions; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.key_versions VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 1, 1767225600000, '\x010100000001e0fc4c8ac8106574eb9edf66c5009d1f461cc56883c5f53b403cee6c86f3387ed4b4774d4ba1ea1453686fc36f5ce10c71470ec1c2f16a89e64190c2d19859cfee78348424f0ce09');
INSERT INTO eaas.key_versions VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, 1775001600000, '\x010100000002b4f8525c77ffc740128c9d39eacae4d6a66a9172ca97b2b9bcf262616ada07cde018622a4edc99edbdcfe244e455391bf3b9b30f17da134f6a2b77cd53874155702179efbe7bd4f5');
INSERT INTO eaas.key_versions VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '5b39cf62-d592-4ba8-8209-2ad480452eca', 1, 1775001600000, '\x0101000000010014ad29debd1dc3e2059f16a4a4311f22eb04c50da38d6d6f1a20fd874aa61410218d6a9d182c2e2e75faa3455916e3a5bb5f3839865a9dae0ae347ac5b1aeca1e9f31be1551b16');
INSERT INTO eaas.key_versions VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '7ce62fc1-0525-4a14-a340-a64c0eab0939', 1, 1775001600000, '\x01010000000183d9a48dcb8de369ef6234b0b00872a811e29e9f83f42cab0e3ea942d113d23b5bbc4961aea04851278e1ef2354c2d72692370319f36e1770d8a0a62a67bca5ab765df1cd5851cfe');
INSERT INTO eaas.key_versions VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, 1775001600000, NULL);


--
-- Data for Name: keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.keys VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 'first', 2, 'active', true, 1767225600000, 1775001600000, NULL, NULL, NULL, 1, '\x0101000000000022f31f17b454d0b30697b258eb49751d8d56def40f469a47deb1572f4b875c436cf76efe7a05c96b8ddb13067342d11f80cd3e955b4fc0f7d60741e29ab4f5fd80c8e678723ec4', 2, 4, '\xa2349c6c0345b5918a0e3832bd4dfd799539b901810652ac7d62e956b9a11c02', 'optional', false);
INSERT INTO eaas.keys VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '5b39cf62-d592-4ba8-8209-2ad480452eca', 'disabled', 1, 'disabled', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x010100000000a1b3dd6d42039f571021cfe71d0076486950e450afb13e116b91a4e48546b423764bf08f333cd2eff75541a2669bbb2a8f676efa1e8246d0b4602d2f626222c7e5346a084ff33d4e', 9, 13, '\xcbc9f2a7b53b0a9db5a69edd976039724f8698076b4629d20b21f467e220016a', 'optional', false);
INSERT INTO eaas.keys VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '7ce62fc1-0525-4a14-a340-a64c0eab0939', 'intake', 1, 'active', false, 1775001600000, NULL, NULL, NULL, NULL, 1, '\x010100000000548036e763a64d096a537fb4c3f1220eb78996f32e34622bd6ef6c448d7bd17893df6fdbdccf11fdfa26d3e19a1f514bc2f181d5cbbe69d2e3acb43b2a3e0baad64e844c19f1947b', 16, 16, '\xc2985803a899f13b321c1ed0711bdd6d6fee8bbfb231b3b717caf6c386910bf0', 'optional', true);
INSERT INTO eaas.keys VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 'destroyed', 1, 'destroyed', false, 1775001600000, NULL, NULL, NULL, 1775606400000, 1, NULL, 10, 19, '\xa8612779dc1f34b6879a76f81604652b5d21ae80cb047dcfe6c65c857475bb2a', 'optional', false);


--
-- Data for Name: leases; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Data for Name: log_keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_keys VALUES ('eaas.example/log', '\x741689b9e878d78e18507fcfd074c5c4e98352a98f1d8b3af01716af9bd10267', '\xba9fd2bc99ac9ee4', '\x0101000000004abd32aec658c49de2c7c517133da553a3969e4a7e99edd8869972793aa4885e3eb32e6bf6159630472e2cc67326a375c03b8182bf1867ff7bb250af525fbae2104a69b24ae76ba9', 1767225600000, NULL, NULL);


--
-- Data for Name: log_moments; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_moments VALUES ('eaas.example/log', 0, 1775692860000, '\xcedf6733e44616f58759871ab9d3b6319a2c51bf695c25e461183cdc3e6abcd2', 'eaas.example/log
1
seKnrMOfVPXaF5XVMvKEsOh8747yQp3qhoaUpcUHHzM=

— eaas.example/log DHmBClbZJM915PM7hi3Nj3Lu4A5OZWoe/Ds0L661tjnAONlLDbplUNIzop2bjI0+6ocWImCobbjC0QF3lHomkbTsgAw=
— witness.example q+4BCAAAAABp1uw8pHKD/YUoxu1rt6gowVuPGMH4jy8c+6cZGIICi3LU2XgHfqq/Hopg8tEmHf1HrhNzsYNoETt7VXpH7NWXiYc/Cg==
', true);


--
-- Data for Name: log_proofs; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_proofs VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 19, '\xf81f3d68d8992c722bb24adc5b7c53eac8eaaef58e5a4e07f57c1298bbb5755e', '\x53e843223e2b3df5a4c3f592b05eecb986e6880f61eda43c6ef4f9148c488191', 'eaas.example/log', 0, 1775692860000, '\x470c3439c66b31a173fcba29597fad554881ea3a3e9f76eb386b87d6de8e0638');
INSERT INTO eaas.log_proofs VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', 1, '\x4116fd9969acc74678df5f5aa001fed11a90024688de631fed277bbeac28c10d', '\xdf711313ce384b9bc0a4d854dbb7041269d2acd078514e7a5367dcd0a290ab6b', 'eaas.example/log', 0, 1775692860000, '\x46d849ed26007dd04b19d34b0ecd6607817340aaacc7b67ecebb2151b34552d2');


--
-- Data for Name: log_tiles; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', 0, 0, '\xb1e2a7acc39f54f5da1795d532f284b0e87cef8ef2429dea868694a5c5071f33');
INSERT INTO eaas.log_tiles VALUES ('eaas.example/log', -1, 0, '\x004a656161732e6d6f6d656e742e76310a313737353639323836303030300a7a74396e4d2b5247467657485759636175644f324d5a6f73556239705843586b5952673833443571764e493d0a');


--
-- Data for Name: root_checks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.root_checks VALUES ('\xba9fd2bc99ac9ee4', '\x01010000000031a80ae424471cb11561b2c678dc4c180c3724d9e21c8d15ae3d133cc59cf57fdc4d73fd976ab06a5a8dc62993d2d7dc2ea4f452fa8011cf8f46e15ad2a86c157ffd5d58b28376c2');


--
-- Data for Name: row_counts; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_counts VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'subjects', 'erased', 1);
INSERT INTO eaas.row_counts VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'subjects', 'null', 1);
INSERT INTO eaas.row_counts VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'keys', 'disabled', 1);
INSERT INTO eaas.row_counts VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'keys', 'active', 2);
INSERT INTO eaas.row_counts VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'keys', 'destroyed', 1);
INSERT INTO eaas.row_counts VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'keys', 'pending_destruction', 0);


--
-- Data for Name: row_records; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '0efa3a37-7d76-42b8-92b0-b33695c861c5', 0);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '8e6cf460-6467-4d5f-b100-29bb63b17cb4', 1);
INSERT INTO eaas.row_records VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', 'fe52bd64-5bd2-4538-93a7-58965c953265', 0);
INSERT INTO eaas.row_records VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', 'b11070cd-20b8-45a4-8d4e-548ac1a7b942', 1);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 4);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '915a5be0-de1a-d83f-d72f-ed53162a68ef', 8);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '5b39cf62-d592-4ba8-8209-2ad480452eca', 9);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 10);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '5b39cf62-d592-4ba8-8209-2ad480452eca', 13);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 14);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 15);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '7ce62fc1-0525-4a14-a340-a64c0eab0939', 16);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '0e1ca2e3-187a-4bcf-a69f-9cb20c160c99', 17);
INSERT INTO eaas.row_records VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 19);


--
-- Data for Name: steps; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.steps VALUES (1, '2026-11-30 18:57:20.870449+00');


--
-- Data for Name: subjects; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.subjects VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '\x73f5dbb5189f70c87ec498580702d3a916544bdc28575a55203b7dc0da2dbac3', '\x010100000000b830fe2c389df59d86dcb207e4db377451a25eeb5f6e8910a289480a4887b472bd0a1cf1885dcae4a01f0896c77bbf462e9dd1515f5262f9a4dc2f5be0c671e404c11d801c29d5ee', 6, 1775001600000, NULL, NULL, NULL, '\xf53f841fa1f13adc4de1394294e05f0e440ea01be229caa69d7eec3dad81a71a');
INSERT INTO eaas.subjects VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '\x915a5be0de1ad83fd72fed53162a68ef4440625645bbc25e7b34d952a11685a7', NULL, 7, 1775001600000, 8, 1775001600000, '\x4a54555782198fcee7a1b5784a2c1f16978851a2605bc2fe6fecfa85f7e0c237', '\x1dba2adacfc841d27935bb2b2a405e10732c4aa4333881ca8a4c55aeccb6c66d');


--
-- Data for Name: tallies; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tallies VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '00000000-0000-0000-0000-000000000000', 0, 'api_key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 1, 'key.create', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 1, 'key.wrap', '2026-01', 1, 0, 1, 1767225600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, 'key.rotate', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '00000000-0000-0000-0000-000000000000', 0, 'subject.erase', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '5b39cf62-d592-4ba8-8209-2ad480452eca', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '5b39cf62-d592-4ba8-8209-2ad480452eca', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, 'key.wrap', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '5b39cf62-d592-4ba8-8209-2ad480452eca', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, 'key.disable', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '7ce62fc1-0525-4a14-a340-a64c0eab0939', 1, 'key.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '00000000-0000-0000-0000-000000000000', 0, 'issuer.create', '2026-04', 1, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, 'key.wrap', '2026-04', 4, 0, 0, 1775001600000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', '148b0c9c-df35-4e46-a2b0-444b44a14b99', 1, 'key.destroy', '2026-04', 2, 0, 0, 1775692800000);
INSERT INTO eaas.tallies VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'd977ade7-f41a-4a3c-bad1-5ee280e7083f', 2, 'key.export', '2026-04', 1, 0, 0, 1775692860000);


--
-- Data for Name: tenants; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tenants VALUES ('0efa3a37-7d76-42b8-92b0-b33695c861c5', 'acme', false, NULL, 1767225600000, '\xba9fd2bc99ac9ee4', '\x0101000000004de164362f72952f8e6a593e6b97977eeb742ead36adf89dbf76c48e2c2256eec327695e5544d0c379d293e801bdf45a837ed23599d1ddf07bbcf34ff2096b1798d69fb687c3bd8b', 0, '\x742ca2bdc039e1596d62926215e37e2298a0423862544c6289f56884436a9332');
INSERT INTO eaas.tenants VALUES ('fe52bd64-5bd2-4538-93a7-58965c953265', 'other', true, NULL, 1767225600000, '\xba9fd2bc99ac9ee4', '\x010100000000185ec0126a79b8f22961fe6522683fde4312719367d567c811278ad1fa6cfe0d7192af70b3ab27080689a392c6f888ada445470ed611b90c9c2252805efcd37869b5ebe86b8a5c14', 0, '\xff3d13a884095344486492b2bc112eaf46c0ffac16789719c18e31d01cb7eb04');


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


