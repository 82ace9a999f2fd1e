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
-- Name: destroy_tenant(uuid); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.destroy_tenant(tenant uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.api_key_uses where tenant_id = tenant;
  delete from eaas.key_version_uses where tenant_id = tenant;
  delete from eaas.usage where tenant_id = tenant;
  delete from eaas.usage_cursors where tenant_id = tenant;
  delete from eaas.audit_entries where tenant_id = tenant;
  delete from eaas.audit_anchors where tenant_id = tenant;
  delete from eaas.audit_heads where tenant_id = tenant;
  delete from eaas.key_versions where tenant_id = tenant;
  delete from eaas.keys where tenant_id = tenant;
  delete from eaas.api_keys where tenant_id = tenant;
  delete from eaas.tenants where tenant_id = tenant;
  perform set_config('eaas.erasing', '', true);
end $$;


--
-- Name: first_entry_since(uuid, bigint, bigint, bigint); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.first_entry_since(tenant uuid, moment bigint, first bigint, last bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  low bigint := first;
  high bigint := last + 1;
  middle bigint;
begin
  while low < high loop
    middle := (low + high) / 2;
    if (select created_at from eaas.audit_entries where tenant_id = tenant and id = middle) < moment then
      low := middle + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end $$;


--
-- Name: purge_entries(uuid, bigint); Type: FUNCTION; Schema: eaas; Owner: -
--

CREATE FUNCTION eaas.purge_entries(tenant uuid, through bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare gone bigint;
begin
  if through is distinct from (select id from eaas.audit_anchors where tenant_id = tenant) then
    raise exception 'entries are purged up to the recorded anchor only';
  end if;
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.audit_entries where tenant_id = tenant and id <= through;
  get diagnostics gone = row_count;
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
  if new.id < old.id then
    raise exception 'eaas.% never goes back: % after %', tg_table_name, new.id, old.id
      using errcode = 'insufficient_privilege';
  end if;
  return new;
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
    api_key_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    last_used_at bigint NOT NULL
);


--
-- Name: api_keys; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.api_keys (
    api_key_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
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
    rows_digest bytea NOT NULL,
    mac bytea NOT NULL
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
    hash bytea NOT NULL,
    mac bytea NOT NULL
);


--
-- Name: audit_heads; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.audit_heads (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    hash bytea NOT NULL,
    state_id bigint NOT NULL,
    created_at bigint NOT NULL,
    month text NOT NULL,
    encrypts bigint NOT NULL,
    mac bytea NOT NULL
)
WITH (fillfactor='50');


--
-- Name: key_version_uses; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.key_version_uses (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    key_version bigint NOT NULL,
    wraps bigint NOT NULL,
    unwraps bigint NOT NULL,
    last_unwrap_at bigint
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
    key_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    key_version bigint NOT NULL,
    status text NOT NULL,
    exportable boolean NOT NULL,
    created_at bigint NOT NULL,
    rotated_at bigint,
    interval_days integer,
    next_rotation_at bigint,
    destroy_at bigint,
    sealed_hash_key bytea,
    created_id bigint NOT NULL,
    rev bigint NOT NULL,
    mac bytea NOT NULL
);


--
-- Name: migrations; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.migrations (
    version integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: root_checks; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.root_checks (
    root_id bytea NOT NULL,
    sealed bytea NOT NULL
);


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
-- Name: usage; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.usage (
    tenant_id uuid NOT NULL,
    month text NOT NULL,
    operation text NOT NULL,
    count bigint NOT NULL
);


--
-- Name: usage_cursors; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.usage_cursors (
    tenant_id uuid NOT NULL,
    counted_through bigint NOT NULL
);


--
-- Name: verifications; Type: TABLE; Schema: eaas; Owner: -
--

CREATE TABLE eaas.verifications (
    day text NOT NULL,
    taken_at bigint NOT NULL,
    finished_at bigint,
    broken bigint
);


--
-- Data for Name: api_key_uses; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.api_key_uses VALUES ('582c0f78-3855-4f2e-900f-1df59a97f05f', '7cd81681-ec65-425f-89ec-c841e70033b3', 1788220800000);
INSERT INTO eaas.api_key_uses VALUES ('8beab4c8-d3dc-4247-8852-a0593ebfa0e3', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 1788220800000);


--
-- Data for Name: api_keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.api_keys VALUES ('582c0f78-3855-4f2e-900f-1df59a97f05f', '7cd81681-ec65-425f-89ec-c841e70033b3', 'everything', 'MhxJ', '\x07feb9fbdb0e563b94337c6901f9c34cb609b4bb46a546c89e9b457b15030d57', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read}', NULL, NULL, NULL, 1551398400000, 'operator', NULL, 1, 1, '\x1315b4923dcdc164fa2c27344f01b37dd4f4cfe8509a25b974ae0c7c0ef069b6');
INSERT INTO eaas.api_keys VALUES ('8beab4c8-d3dc-4247-8852-a0593ebfa0e3', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 'everything', '3jNq', '\xf4a884e9db3ab27cf5a8c9d128232e8c44a441fe99e0645ceef059668a7949ad', '{encrypt,decrypt,keys.read,keys.manage,keys.destroy,keys.export,audit.read,api_keys.manage,usage.read}', NULL, NULL, NULL, 1551398400000, 'operator', NULL, 1, 1, '\x2633a993d920c4c2e0c22a458dee40d5af4d348fc77136343281443ea4d626a3');
INSERT INTO eaas.api_keys VALUES ('47b64cb8-d31e-4154-893d-9b720648ebed', '7cd81681-ec65-425f-89ec-c841e70033b3', 'another', 'oy3K', '\xbf9f53f33f272367c9721bc4293050a9fdf57fb9b6f4e6cf962c903935e9272f', '{encrypt}', NULL, NULL, NULL, 1551398400000, 'operator', NULL, 7, 12, '\x582420a51a4c5fac1bb08f8013407d57406bd4caa3702a619aa98339b108d810');
INSERT INTO eaas.api_keys VALUES ('6c863564-40c6-4c39-884c-0834612349d1', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 'another', 'qm3t', '\x4bd163be608a52df7132c820b0976bf35f0c95e9a59afc45237d0ebe0c1cccb8', '{encrypt}', NULL, NULL, NULL, 1551398400000, 'operator', NULL, 7, 12, '\xafd489051ca7019e341611e1477e84aad7c611e89595c9223df3e3a69abfe018');
INSERT INTO eaas.api_keys VALUES ('35d9baa0-5492-4021-856c-3e3c06806d1a', '7cd81681-ec65-425f-89ec-c841e70033b3', 'another', 'PRPz', '\xf0d3b1ac36c95a8e3fe050cd1739526b9411bc766f42e9dc05b2f2987cf178f1', '{encrypt,api_keys.manage}', NULL, NULL, NULL, 1551398400000, 'operator', 1788220800000, 8, 20, '\xb300113df6bddf0fa86f8fdda87f0c0e102c8f7d8373b04e01f45ea51213ea46');
INSERT INTO eaas.api_keys VALUES ('26cc2ccc-1645-408f-bbff-c4fb35f2de6a', '7cd81681-ec65-425f-89ec-c841e70033b3', 'renamed', 'wol0', '\x1c90f8ce9df09ee5f0c657a2de2036649109bd7344c9c42ef16aab74bcc95954', '{encrypt,decrypt,keys.read}', '{4101d3f0-e911-4d4b-a78e-6d8f0e938fc0,ae2f1982-cec0-4d07-b5db-71dcef6edcfe}', '{https://one.example,https://two.example}', 1893456000000, 1551398400000, 'operator', NULL, 6, 21, '\x41a08d014332eb52b13852d741dda86f326e24ef2fbe202366ddf1cb4bd23c67');
INSERT INTO eaas.api_keys VALUES ('0f9ecade-ec6a-4827-bcfc-7f1a4203c8c5', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 'another', 'vAM2', '\x2ef5e2b3f9d764a3874653909540d088657f8e4c0a318a100e45b7d211cc3b2c', '{encrypt,api_keys.manage}', NULL, NULL, NULL, 1551398400000, 'operator', 1788220800000, 8, 20, '\x4f9474a1a217e2f519095b07386dbb47239e0b95e56cae28eda05abfa2af9c9e');
INSERT INTO eaas.api_keys VALUES ('fdc6f401-02b1-4921-a545-88b1a0f14f55', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 'renamed', 'LJUh', '\x9d9c4a3b7d59e6008de761f0273ec01dd861f259cc59acc22f2b37bf9d3e0519', '{encrypt,decrypt,keys.read}', '{2b355610-b081-4626-ab6d-70d465f60743,70c9ed35-b365-4cf0-b690-2ed3a79c2766}', '{https://one.example,https://two.example}', 1893456000000, 1551398400000, 'operator', NULL, 6, 21, '\x313e287bce466d46dd761aaf319562cc00868be5e0377e2dc2c12aaa8cc1f394');


--
-- Data for Name: audit_anchors; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_anchors VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 14, '\xf9e41d3add411731ec624e1c7a5ef4d100eb75d853253c755351f8a071b043d8', '\x76cd94dc1fa8f9391072142daed08553c227c8b84a72f9c9dd2fbf46fa28de01', '\x32a4ee1219015560a1493785e5ba7e074b262ae63a313d5befc896edebe65eb2');
INSERT INTO eaas.audit_anchors VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 14, '\xe06770d89c08c710852c0c97b4ffda945a1655cde68b24284cd7f3b48ae9f267', '\x0de6690fdf315bc728c126a7ec167c20125baf34e3e784130b3717fbce854cc7', '\x2b8ff3db598542f62610ccc3762acb3e424cf6c9ad231e7059085df1dc60169b');


--
-- Data for Name: audit_entries; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 26, 'key.wrap', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"context":{"nth":"1"}}', 1788220800000, '\xfbe332096f9c7b8ce642801e9bc4f0369605785035b36ad1658942a135634b7d', '\x69d401e5c1c1f4bf035ad054e2be84454a2795d3319fb1504b04fd461256f016');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 15, 'key.destroy', '6b58c100-0b31-4f6c-b5e0-45248fdff4c1', 1, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"destroy_at":"2026-09-01T00:00:00.000Z","erased":true,"previous_change":14}', 1788220800000, '\xf1c90c7eff8ff2c7f36d087c1c0eb20d9623bf81401586b974a008437b80aed4', '\x6119109d6f0fd2e1fa7ad4d6ddd4ccc32d36197dd009a9104f3fa4ae9f10fc2e');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 16, 'key.disable', '595b3d97-3458-4d45-84e9-62add341abf4', 1, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"previous_change":5}', 1788220800000, '\x58be63f25b4a4899e5de827a7cd43b0b3983a7f530d5702c34cb4ff59b130222', '\x990c0baa73a669d31260545cdf4be09a54dcf7a6b6e2b5f241da1b48a80a78be');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 17, 'key.destroy', '595b3d97-3458-4d45-84e9-62add341abf4', 1, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"destroy_at":"2026-10-01T00:00:00.000Z","previous_change":16}', 1788220800000, '\x395a01b74ea6d7a38fabdf9fd9156ee24051b431541fbc8f3004c5089846240a', '\xa036ab9117e51c4483fecc6659a1d6ad986633ce549acaf1f9d4c147324d9958');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 18, 'key.rotation_policy', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 2, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"from_interval_days":null,"interval_days":90,"previous_change":11}', 1788220800000, '\x35d724bb34b9692d08143a376cae48fc5e44a7b64b86106aa3b63826eb169830', '\x1ce96db14b51f8de16df894abc796e4d440e13a39da0b50438180ef88707b036');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 19, 'key.rotate', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"from_version":2,"key_version":3,"previous_change":18}', 1788220800000, '\xaf99fb19ab1a7c7b8ccbab9d438b0690796218fecb149d32353a56039981bda2', '\x356993a99f7f97e241aba0c9996b6a73473d466c4e6b0dd9b95db1d5490582d9');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 20, 'api_key.revoke', NULL, NULL, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"api_key_id":"35d9baa0-5492-4021-856c-3e3c06806d1a","previous_change":8}', 1788220800000, '\x8600c6295c6fd7c1fea99c61c888aec4322a0b9ebc709dcbcc16419942ad35b4', '\x09cc61ff12978f1882755b4dbb8e7432be4535897d82f978f1ee98beb9bf72e2');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 21, 'api_key.update', NULL, NULL, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"api_key_id":"26cc2ccc-1645-408f-bbff-c4fb35f2de6a","changed":["name"],"previous_change":6}', 1788220800000, '\x0567395fd44a87ac982d12f30f9bc97c5474aac567e4be3fa7e188d71055d2fe', '\x6d753c1bc071bf355063aa9ac45ca6b7ad5468fce7a0a609dae5e7a169a54e11');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 22, 'tenant.update', NULL, NULL, 'operator', NULL, '{"changed":["monthly_encrypt_quota"],"previous_change":13}', 1788220800000, '\x89eb93141192665aa49cbc7e2332d9520a426a9b271223ae9a03db13aca01b5e', '\xf0ee9033c61214b77aaf24c251ab583c7af7d747f2d07257cc23452e9c23418a');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 23, 'key.wrap', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"context":{"nth":"0"}}', 1788220800000, '\xef38cef2e39b87cac3141eab20fae13cd9c8fc665c151d44f90b2b67968d363b', '\xe3677f8ae88e6c018ae2141c76b2abf60c41d0d6c60554c9a7e42ee2e8fbcc45');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 24, 'key.unwrap', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 1, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"key_version":1}', 1788220800000, '\xb3c777ac26d7cc710b34d30929ed73c639197d1d3a93c18275e13f8f87a6aa2f', '\x69a2c71b00b3708d209db59fe2f0bfb4c4bf36797d73ad22cc0fcb77b01a487b');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 25, 'encrypt', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{}', 1788220800000, '\x9cd985c49dfbcc548a961aa98449a8083fd7b8ed78eb8b83a0eaaab288e4c1b1', '\xa729e0f8ce5338b9103d77172e919b53e35db98ab605f28977205547b904ee8d');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 26, 'key.wrap', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"context":{"nth":"1"}}', 1788220800000, '\xbc3509ff18a42cfc35c869db7f1223578941d49e2fc072894a40c3821e49a55b', '\x449e9e0184e9636fe777902eee2d9e5073122cf97fd94e5b31abcf130350a567');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 27, 'key.unwrap', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 1, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"key_version":1}', 1788220800000, '\xbc4642d51316e47cc30b2701f4713189e37fe95c866bed82385d6f0184686bf4', '\x2e36e298b676b432e6d7631b0fb2cb6b881aa94bdeed4d733b59988181766dd3');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 28, 'encrypt', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{}', 1788220800000, '\xc637059b68686eb39488485b10a1f733e6512b94d20c4840af619bf46f8d0a20', '\x32109db997a5bbb42f90482f1804fd4f2670c8c71fb899ae9a412d8cb1429539');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 29, 'key.wrap', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"context":{"nth":"2"}}', 1788220800000, '\x3a9bd37b4f7974fee56d52fd48e3d736abba22e4d6f4069010718b8e6d80ffc8', '\xee91b2597d39dc7dddbe55b3757377f1ed34969757c495a4e57aa9aca533913c');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 30, 'key.unwrap', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 1, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{"key_version":1}', 1788220800000, '\x38bfaa91481d847974505763c09a49c9ba4c4024d752f3a031494be87e64e737', '\x5b10316003482de487262f1e8e63ca8fcd3e35bc463da3c08164b51c0658c0d1');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 31, 'encrypt', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{}', 1788220800000, '\x76fa636b4fc87f4842116c955ffb67f6f5afc75642c9c39765c2a169c181de29', '\x876d380a436f955883672370846f613e81ab6e6a971aa48bf57677963c8c3dc4');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 15, 'key.destroy', '6880fea5-4e91-4e6b-b05a-468d259eed5f', 1, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"destroy_at":"2026-09-01T00:00:00.000Z","erased":true,"previous_change":14}', 1788220800000, '\xb23050f01d47a5c4d77e397a2b6e0051ea8bc6ccd4229a09c3ac27bac94c138e', '\xab1370249c4daebe1b7c08665f4df2a8f12c996a1613b360a5261d2315314e0e');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 16, 'key.disable', 'a3cd36e8-43b0-4e65-bb5c-94c9330e8634', 1, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"previous_change":5}', 1788220800000, '\x9261abf9d4a18137b51f9ea275f9b027056c54e29873e075d2fafd24902c1078', '\x1ee5c8508ce4dc3f28711bc24350a6ecd9d713e9632a4a1843aff28ab42d95de');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 17, 'key.destroy', 'a3cd36e8-43b0-4e65-bb5c-94c9330e8634', 1, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"destroy_at":"2026-10-01T00:00:00.000Z","previous_change":16}', 1788220800000, '\x4906bf5c2262e9c826b22e767a1c7458fab3afb19084cedc0c3c6b46d292ce35', '\x1ada8c48d1b62ff0d3707d6a4dcb3d8ede18d7c6cf777db462bee1497770f30e');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 18, 'key.rotation_policy', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 2, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"from_interval_days":null,"interval_days":90,"previous_change":11}', 1788220800000, '\x977fbcd9ade2a1dbbe1545fb675b0fde73910f40a9e04d88abfeba0080f17a18', '\x8be1c85e47701e6fa1ebebe93881197d5b26adcacee1334b40a128d3a9a4a7ec');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 19, 'key.rotate', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"from_version":2,"key_version":3,"previous_change":18}', 1788220800000, '\xc31c8622a58807aa0f6a35b6c2abf3e6809ec2540aacff1002a36aee6e5b28b5', '\xafa33cfd58166c1c3a362a7b5d1b973f217c32ec79ce5f23c9bf7d548aa2a7c4');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 20, 'api_key.revoke', NULL, NULL, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"api_key_id":"0f9ecade-ec6a-4827-bcfc-7f1a4203c8c5","previous_change":8}', 1788220800000, '\xd020391440ab5857e28ffbbfef0f9a04eecb312e08d4f30194b25ef3c96e84f0', '\x2f826d4ad7979fc52b1f012ecb6a6d1b5f86b453c6e089ec97bd7735c8064506');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 21, 'api_key.update', NULL, NULL, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"api_key_id":"fdc6f401-02b1-4921-a545-88b1a0f14f55","changed":["name"],"previous_change":6}', 1788220800000, '\x7f31cfc02b2787960d15950221142c165d386c8cb975105edd3f5ad707ac79d0', '\x1b41baa30cb7bb09e12d1e3624f7fac4b24eca0f42dc0f90806f9b53283922cc');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 22, 'tenant.update', NULL, NULL, 'operator', NULL, '{"changed":["monthly_encrypt_quota"],"previous_change":13}', 1788220800000, '\x49d65f91228565e4544026a572046207c2e5eca644979b474c3f8b9d41ea728d', '\xfb20124c73b4d5277c4b1cd977495d69293423e4f111ee3290e9c19a162d584b');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 23, 'key.wrap', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"context":{"nth":"0"}}', 1788220800000, '\x8018031565158ea3e47c5565b343faae3185a80b7a4f58f7ccbbf0a938b42890', '\xddec430c528476a46ef8805612b46111fae1adee428a30387160519850805f91');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 24, 'key.unwrap', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 1, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"key_version":1}', 1788220800000, '\xdaa7a96af51e6055157dab22483dda225d0906a5f2157fcce6f541099a07a254', '\xb6383babf2fa2b617986ded747691b9f5c29a5de8acdd983788b5cac71db1502');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 25, 'encrypt', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{}', 1788220800000, '\x88564ab748565c3e20a3791fb9a9ee302493861ac517010113d7ad6da06b04d3', '\xdcfd9c8dcc0d8f6d602b00df08cbace0f37d6dbb9ea02e0eea04e3912f57b00f');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 27, 'key.unwrap', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 1, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"key_version":1}', 1788220800000, '\x52c4cd701c4fe09b5318345766d156b8e909f46fae9fe0dda2ef8e28c6d11b69', '\xb12e27e8f4e9e7200afa3a2cddc1875acee18eab760f2697674f0627de0062b2');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 28, 'encrypt', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{}', 1788220800000, '\xf8a800d0d6d4ef0c9f00f2ad742db26834966720cbb9323102b1a4955a59e3c1', '\xf3644385a2c3f860629c7b46b83cb0c244d908abd6ee55ee2d110b2187949924');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 29, 'key.wrap', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"context":{"nth":"2"}}', 1788220800000, '\x492d691da51a8f473be4f69ef28900c6c9bfd8aeed351a1d47cd6df96728493c', '\xddfb33283c06874c428e67fafce079303df14d977d090ab801ccda02d3553253');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 30, 'key.unwrap', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 1, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{"key_version":1}', 1788220800000, '\x059970aefe8a6c0941b047455354f441d37213f14419bef552d3f3129189b7ed', '\xa84f8c2c1125b4fd6b020dc7a7932d0bc68f3053516857d7d488302b549a3b72');
INSERT INTO eaas.audit_entries VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 31, 'encrypt', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, '8beab4c8-d3dc-4247-8852-a0593ebfa0e3', '192.0.2.7', '{}', 1788220800000, '\xc819075ec620bd96dbb3e4b6419cf20913590ad45733116c664ea35b9a4cc2e9', '\xe5498ec8a0c22e6a770672a9aaec9f02c27a4bd14de8a3c77f31c1c0fd02b037');
INSERT INTO eaas.audit_entries VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 32, 'encrypt', '4101d3f0-e911-4d4b-a78e-6d8f0e938fc0', 2, '582c0f78-3855-4f2e-900f-1df59a97f05f', '192.0.2.7', '{}', 1788220800000, '\xa63e94012bffd2f0ded3badfc0c73ded1370263489962b2119d51501f9d0876c', '\xc2063982de69ac4da802677ec275ea877b88a693e28dc439bf8b2ba12851975c');


--
-- Data for Name: audit_heads; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.audit_heads VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 31, '\xc819075ec620bd96dbb3e4b6419cf20913590ad45733116c664ea35b9a4cc2e9', 22, 1788220800000, '2026-09', 3, '\x5052846d045bce435f9efdfe17086cdced50ed0d590e3982ec6d100b63f09142');
INSERT INTO eaas.audit_heads VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 32, '\xa63e94012bffd2f0ded3badfc0c73ded1370263489962b2119d51501f9d0876c', 22, 1788220800000, '2026-09', 4, '\xfe865420274566358c8f1b1a12d419da067920f933720062542ef16896580c86');


--
-- Data for Name: key_version_uses; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.key_version_uses VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 1, 1, 3, 1788220800000);
INSERT INTO eaas.key_version_uses VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, 6, 0, NULL);
INSERT INTO eaas.key_version_uses VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 1, 1, 3, 1788220800000);
INSERT INTO eaas.key_version_uses VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, 6, 0, NULL);


--
-- Data for Name: key_versions; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.key_versions VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', '4101d3f0-e911-4d4b-a78e-6d8f0e938fc0', 1, 1551398400000, '\x0101000000014c62e7c680dccf2f09a30cc86ced591611fdec05f5201f60745b45c635828b3968306a5871923635bbb52ab61bcce1e521ba583379d511a8c3cc1c9dbdc83a19b30ecc92e23d71f3');
INSERT INTO eaas.key_versions VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 1, 1551398400000, '\x0101000000014c982f1de51e89e6c49c4a3aa43a2d692794d67d9af605bea37c2109e61616939629fd224be3228eb4215310cb2aea1cadb6981fbea168ca2024a68d733a72448551aa2b2ff02ed3');
INSERT INTO eaas.key_versions VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', '595b3d97-3458-4d45-84e9-62add341abf4', 1, 1551398400000, '\x01010000000105fcd0cb1ab11522d13c3a848cac8bc57f2c67660cfc9499b8c41426000d2c3c1b4a0145afa83299ad0b8387d80767b657e9097293536b67e891447accd81ce9083ffa56aa90fd2c');
INSERT INTO eaas.key_versions VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '2b355610-b081-4626-ab6d-70d465f60743', 1, 1551398400000, '\x010100000001cd590820ea85e5b463f00782b1755a3be8ed05daa887fef1c280908d18ceda2fc067531e0a0234efbe9053e97cd8c0addffac2cfe3b27940a7097eb44a03d4b0d79f517edd0753fe');
INSERT INTO eaas.key_versions VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 1, 1551398400000, '\x01010000000132a56a2ea816bb7603f18347c4129d0c6a9373ceb1766be12c0588a77d4465e4bd91786ab7b9068b37393b6fc17a25890143321c64d5d1cc47c34550a617442d930b1f10a63f9dfa');
INSERT INTO eaas.key_versions VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 'a3cd36e8-43b0-4e65-bb5c-94c9330e8634', 1, 1551398400000, '\x0101000000012b75c8d8a0538ec54dd057b22bb8ddfb9f8aef25f51f30c94ae000f0708ed20675d9e98ae9580aa730f63e98aa886be08e0da04ddb4c1545afb41922c520af770f9fc672cbe61691');
INSERT INTO eaas.key_versions VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', '4101d3f0-e911-4d4b-a78e-6d8f0e938fc0', 2, 1590969600000, '\x010100000002ec15939976db96278dda90a1a3cf7c8edec5a35390cecfdf7975c886255b1c10a507618a197e621a3cd6e25663c9ee57b6617c73854b2307e5d26c1b66933f6bc2eabab570d52ee5');
INSERT INTO eaas.key_versions VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 2, 1590969600000, '\x010100000002f6b4bf4dcb12a32eedfdd9ccc3595bd4aa0ee476011b5496b14f9b847f6b892f282ca52cccd038b58a304d77ffe5782085453db8dba5cd6c88bb349126b0d3fba4d63cf683eeaa2e');
INSERT INTO eaas.key_versions VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '2b355610-b081-4626-ab6d-70d465f60743', 2, 1590969600000, '\x0101000000021d449992e06b65d6900290e2a475ac84249aef46515768cf6d09f603162f24d828b3217e41dcef2d20ab083d9d677b1449ca3ae4d176ccab643cfd9564435ff92ecf4db2ecd10c08');
INSERT INTO eaas.key_versions VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 2, 1590969600000, '\x010100000002da2bd9143b35100a11135c3b43d9028444582032fc685b5fe7748424ef9811c3fc195583aff649ebace1ee3725240db47963b0b3524327e74fa313a3a03bcef0e52d7ca65c4b1652');
INSERT INTO eaas.key_versions VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', '6b58c100-0b31-4f6c-b5e0-45248fdff4c1', 1, 1551398400000, NULL);
INSERT INTO eaas.key_versions VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 'ae2f1982-cec0-4d07-b5db-71dcef6edcfe', 3, 1788220800000, '\x0101000000032f49f361248f0bcf5ae741ca1cf18bb3d7fcd49cfb0ea0b6c6ac45368bea71020c0bd58b97a8ea6330ccbbc2cfc63e3557f99cefe176791c5ab1886c9ba39ad396a2e4af3d19cf01');
INSERT INTO eaas.key_versions VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '6880fea5-4e91-4e6b-b05a-468d259eed5f', 1, 1551398400000, NULL);
INSERT INTO eaas.key_versions VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '70c9ed35-b365-4cf0-b690-2ed3a79c2766', 3, 1788220800000, '\x01010000000340964e614c566b057235dfc34fb6ae982ae287304d5d5237afd163754f1847c79cb2e96bcda17385e032c8e1e8311344b55727a47bbe338c3f6c46b0de76670e806fc9c9ece84061');


--
-- Data for Name: keys; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.keys VALUES ('4101d3f0-e911-4d4b-a78e-6d8f0e938fc0', '7cd81681-ec65-425f-89ec-c841e70033b3', 'quiet', 2, 'active', false, 1551398400000, 1590969600000, NULL, NULL, NULL, '\x0101000000002f357167660c8dae73d91a526fef32bf6b960dafa9c07c32aefebe40b92b6990c5888b80c06b452d46c70d8314b5c06d3d214385d29c9abc8efe79fad1598f9a250ecab4c9a343b7', 2, 10, '\xac47d82da028e57425bb47d873fa1edec2fbcb002a025ea6dd998bc4204e225e');
INSERT INTO eaas.keys VALUES ('2b355610-b081-4626-ab6d-70d465f60743', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 'quiet', 2, 'active', false, 1551398400000, 1590969600000, NULL, NULL, NULL, '\x01010000000076485dfd116758571d4400f13010344513cbb21b276f10d17fd33c2787b85f2aaba269f93dd6458db6221c4bbb05c21684e022d284f71e59c0ebfa11f0235cfdbeb9ea5dff957537', 2, 10, '\x16fe8c58c343581c95d86868f20a9b2f826373a6e0c47df600be6c7cb117c5f3');
INSERT INTO eaas.keys VALUES ('6b58c100-0b31-4f6c-b5e0-45248fdff4c1', '7cd81681-ec65-425f-89ec-c841e70033b3', 'destroyed', 1, 'destroyed', false, 1551398400000, NULL, NULL, NULL, 1788220800000, NULL, 4, 15, '\xda61008d342c58245110280bf0887fa3f9c0731eb10431f4c94f04b9cfb9c0b1');
INSERT INTO eaas.keys VALUES ('595b3d97-3458-4d45-84e9-62add341abf4', '7cd81681-ec65-425f-89ec-c841e70033b3', 'pending', 1, 'pending_destruction', false, 1551398400000, NULL, NULL, NULL, 1790812800000, '\x010100000000cee3243979518761e562551fce59d1d1824dcf3719f3b265f582ef28b48a1d0f473bc83b3e7cf5916765df0570c31dfd2bffa6e7b9c7f9ca87c58d9a251ca41c4ba401d705e5ab98', 5, 17, '\x1dbc2dda7fccfe08e840bd1d54a441f1540bed8b4ede575639d344f7673a7684');
INSERT INTO eaas.keys VALUES ('ae2f1982-cec0-4d07-b5db-71dcef6edcfe', '7cd81681-ec65-425f-89ec-c841e70033b3', 'busy', 3, 'active', false, 1551398400000, 1788220800000, 90, 1795996800000, NULL, '\x0101000000000090846bbcfe754ba04ce8bbf0a54f1f0d75fc1ab5a8de079b573b3913042c002b33a774b6c6d787370c50922ff0e1b455854e67b20e756434a9f1372791d9083641396344db3c98', 3, 19, '\x2abc413f0f2f8c037ecaee519d67d29aa2f0a0d915e20ae5e0f27e0ff86b2ba3');
INSERT INTO eaas.keys VALUES ('6880fea5-4e91-4e6b-b05a-468d259eed5f', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 'destroyed', 1, 'destroyed', false, 1551398400000, NULL, NULL, NULL, 1788220800000, NULL, 4, 15, '\xa7e3e763812206629d8c12d241381b9041d7f363363b9e2ea736e6acca9f2e10');
INSERT INTO eaas.keys VALUES ('a3cd36e8-43b0-4e65-bb5c-94c9330e8634', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 'pending', 1, 'pending_destruction', false, 1551398400000, NULL, NULL, NULL, 1790812800000, '\x010100000000eb3d749ff3bbf65a6d8fccd2c9fae2544ede54f21db4cf17f9aff11415bd24f82d03a9e58d5c509618e1ac4aedfaeed3d5411841e3e9fa2b820affa88828b7dbc2683c5b2e730d69', 5, 17, '\x095ef197ec9e3d1fe0d270b5ca39a47b87a112d4fdb4bf73132664dbf3988150');
INSERT INTO eaas.keys VALUES ('70c9ed35-b365-4cf0-b690-2ed3a79c2766', 'd6082f9c-2f97-4fcb-bcf2-3ef723399069', 'busy', 3, 'active', false, 1551398400000, 1788220800000, 90, 1795996800000, NULL, '\x010100000000dcf490f0a8e693f8404af3755adc711ef0307b0f7c854174a67f873ef55813727dc09cd56cb8dfb28924f151037c6ef0195d4876efaeb74f0b35b6f7e6ed24d54bc0b2cdabe94725', 3, 19, '\xb77a2250775e8f0b554d93ae22b55793f386d55e68372b072ad9c233c480202e');


--
-- Data for Name: migrations; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.migrations VALUES (1, '2026-11-20 17:42:48.171693+00');
INSERT INTO eaas.migrations VALUES (2, '2026-11-20 17:42:48.171693+00');


--
-- Data for Name: root_checks; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.root_checks VALUES ('\x797a65c32719d0f0', '\x010100000000ed939193426e9f27a7d3206e3db0dbdd2fccc61175bb4aaa9f29168767c7187f12b97223efbfce44ad310d544b6d3fd4b3cff03526070f5ddda3ed976169746ef30919e32de20fea');


--
-- Data for Name: tenants; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.tenants VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 'ann', false, 500, 1551398400000, '\x797a65c32719d0f0', '\x010100000000e7186105c89164174a2c771f2785e37464f109710051617d5924c1efc76c5b772707388d2940f058ee9edc2fa5ca280da318651cd547a857a0424df8bec1972fe0d59e194e2e2447', 22, '\x740f8f20b519de7108c6ceef6d3bce5c2c1dd62393d1785647ac66b0dac37110');
INSERT INTO eaas.tenants VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 'ben', false, 500, 1551398400000, '\x797a65c32719d0f0', '\x0101000000002f1bd217446f65d9ec7ab6862d64a1c5a28bee32456f6fe41f4ce1265a0a9fcc7d4233c2fefe877df84954f4bf73e764d0c64d1f348d5b21dab2c8690f9d8609378da3a94440c66a', 22, '\x9ad27bab1ffc5e725ff597bca7b1cc43b4289494a049b2dacedf9b7c8cc6985e');


--
-- Data for Name: usage; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.usage VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '2019-03', 'key.wrap', 1);
INSERT INTO eaas.usage VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '2026-09', 'encrypt', 3);
INSERT INTO eaas.usage VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '2026-09', 'key.unwrap', 3);
INSERT INTO eaas.usage VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', '2026-09', 'key.wrap', 3);
INSERT INTO eaas.usage VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', '2019-03', 'key.wrap', 1);
INSERT INTO eaas.usage VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', '2026-09', 'encrypt', 3);
INSERT INTO eaas.usage VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', '2026-09', 'key.unwrap', 3);
INSERT INTO eaas.usage VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', '2026-09', 'key.wrap', 3);


--
-- Data for Name: usage_cursors; Type: TABLE DATA; Schema: eaas; Owner: -
--

INSERT INTO eaas.usage_cursors VALUES ('d6082f9c-2f97-4fcb-bcf2-3ef723399069', 31);
INSERT INTO eaas.usage_cursors VALUES ('7cd81681-ec65-425f-89ec-c841e70033b3', 31);


--
-- Data for Name: verifications; Type: TABLE DATA; Schema: eaas; Owner: -
--



--
-- Name: api_key_uses api_key_uses_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_key_uses
    ADD CONSTRAINT api_key_uses_pkey PRIMARY KEY (api_key_id);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (api_key_id);


--
-- Name: api_keys api_keys_token_hash_key; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_keys
    ADD CONSTRAINT api_keys_token_hash_key UNIQUE (token_hash);


--
-- Name: audit_anchors audit_anchors_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.audit_anchors
    ADD CONSTRAINT audit_anchors_pkey PRIMARY KEY (tenant_id);


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
-- Name: key_version_uses key_version_uses_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.key_version_uses
    ADD CONSTRAINT key_version_uses_pkey PRIMARY KEY (tenant_id, key_id, key_version);


--
-- Name: key_versions key_versions_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.key_versions
    ADD CONSTRAINT key_versions_pkey PRIMARY KEY (key_id, key_version);


--
-- Name: keys keys_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.keys
    ADD CONSTRAINT keys_pkey PRIMARY KEY (key_id);


--
-- Name: migrations migrations_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (version);


--
-- Name: root_checks root_checks_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.root_checks
    ADD CONSTRAINT root_checks_pkey PRIMARY KEY (root_id);


--
-- Name: tenants tenants_name_key; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.tenants
    ADD CONSTRAINT tenants_name_key UNIQUE (name);


--
-- Name: tenants tenants_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);


--
-- Name: usage_cursors usage_cursors_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.usage_cursors
    ADD CONSTRAINT usage_cursors_pkey PRIMARY KEY (tenant_id);


--
-- Name: usage usage_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (tenant_id, month, operation);


--
-- Name: verifications verifications_pkey; Type: CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (day);


--
-- Name: api_keys_by_age; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX api_keys_by_age ON eaas.api_keys USING btree (tenant_id, created_id);


--
-- Name: audit_entries_by_action; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX audit_entries_by_action ON eaas.audit_entries USING btree (tenant_id, action, id);


--
-- Name: audit_entries_by_key; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX audit_entries_by_key ON eaas.audit_entries USING btree (tenant_id, key_id, id);


--
-- Name: keys_by_age; Type: INDEX; Schema: eaas; Owner: -
--

CREATE INDEX keys_by_age ON eaas.keys USING btree (tenant_id, created_id);


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
-- Name: api_keys api_keys_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER api_keys_no_truncate BEFORE TRUNCATE ON eaas.api_keys FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.api_keys ENABLE ALWAYS TRIGGER api_keys_no_truncate;


--
-- Name: audit_anchors audit_anchors_forward; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER audit_anchors_forward BEFORE UPDATE ON eaas.audit_anchors FOR EACH ROW EXECUTE FUNCTION eaas.refuse_backwards();

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

CREATE TRIGGER audit_heads_forward BEFORE UPDATE ON eaas.audit_heads FOR EACH ROW EXECUTE FUNCTION eaas.refuse_backwards();

ALTER TABLE eaas.audit_heads ENABLE ALWAYS TRIGGER audit_heads_forward;


--
-- Name: audit_heads audit_heads_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER audit_heads_no_truncate BEFORE TRUNCATE ON eaas.audit_heads FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.audit_heads ENABLE ALWAYS TRIGGER audit_heads_no_truncate;


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
-- Name: tenants tenants_no_truncate; Type: TRIGGER; Schema: eaas; Owner: -
--

CREATE TRIGGER tenants_no_truncate BEFORE TRUNCATE ON eaas.tenants FOR EACH STATEMENT EXECUTE FUNCTION eaas.refuse_truncate();

ALTER TABLE eaas.tenants ENABLE ALWAYS TRIGGER tenants_no_truncate;


--
-- Name: api_key_uses api_key_uses_api_key_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_key_uses
    ADD CONSTRAINT api_key_uses_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES eaas.api_keys(api_key_id);


--
-- Name: api_key_uses api_key_uses_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_key_uses
    ADD CONSTRAINT api_key_uses_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- Name: api_keys api_keys_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- Name: audit_anchors audit_anchors_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.audit_anchors
    ADD CONSTRAINT audit_anchors_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- Name: audit_heads audit_heads_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.audit_heads
    ADD CONSTRAINT audit_heads_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- Name: key_version_uses key_version_uses_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.key_version_uses
    ADD CONSTRAINT key_version_uses_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- Name: key_versions key_versions_key_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.key_versions
    ADD CONSTRAINT key_versions_key_id_fkey FOREIGN KEY (key_id) REFERENCES eaas.keys(key_id);


--
-- Name: key_versions key_versions_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.key_versions
    ADD CONSTRAINT key_versions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- Name: keys keys_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.keys
    ADD CONSTRAINT keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- Name: usage_cursors usage_cursors_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.usage_cursors
    ADD CONSTRAINT usage_cursors_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- Name: usage usage_tenant_id_fkey; Type: FK CONSTRAINT; Schema: eaas; Owner: -
--

ALTER TABLE ONLY eaas.usage
    ADD CONSTRAINT usage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES eaas.tenants(tenant_id);


--
-- PostgreSQL database dump complete
--


