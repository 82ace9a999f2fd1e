import { ROLES } from '@eaas/test-kit/dev';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { migrate } from '../../src/postgres/migrate.ts';
import { openPool } from '../../src/postgres/sql.ts';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';

const privileges: Readonly<Record<string, string>> = {
  'database template': 'CONNECT',
  'schema eaas': 'USAGE',
  'table api_key_uses': 'INSERT, SELECT, UPDATE',
  'table api_keys': 'INSERT, SELECT, UPDATE',
  'table audit_anchors': 'INSERT, SELECT, UPDATE',
  'table audit_blocks': 'INSERT, SELECT',
  'table audit_entries': 'INSERT, SELECT',
  'table audit_heads': 'INSERT, SELECT, UPDATE',
  'table issuers': 'INSERT, SELECT, UPDATE',
  'table key_sets': 'INSERT, SELECT, UPDATE',
  'table key_versions': 'INSERT, SELECT',
  'table keys': 'INSERT, SELECT, UPDATE',
  'table leases': 'INSERT, SELECT, UPDATE',
  'table root_checks': 'DELETE, INSERT, SELECT',
  'table schema_records': 'INSERT, SELECT, UPDATE',
  'table row_records': 'INSERT, SELECT',
  'table tallies': 'DELETE, INSERT, SELECT, UPDATE',
  'table row_counts': 'INSERT, SELECT, UPDATE',
  'table tenants': 'INSERT, SELECT, UPDATE',
  'table verifications': 'INSERT, SELECT, UPDATE',
  'table steps': 'SELECT',
  'table subjects': 'INSERT, SELECT',
  'table log_keys': 'INSERT, SELECT',
  'table log_tiles': 'INSERT, SELECT',
  'table log_moments': 'DELETE, INSERT, SELECT',
  'table log_proofs': 'DELETE, INSERT, SELECT',
  ...Object.fromEntries(
    [
      'log_keys.root_id',
      'log_keys.sealed',
      'log_keys.ended_at',
      'log_keys.halted',
      'log_tiles.bytes',
      'log_moments.note',
      'log_moments.witnessed',
    ].map((name) => [`column eaas.${name}`, 'UPDATE']),
  ),
  ...Object.fromEntries(
    ['sealed', 'erased_id', 'erased_at', 'erased_hash', 'mac'].map((name) => [
      `column eaas.subjects.${name}`,
      'UPDATE',
    ]),
  ),
  'column eaas.key_versions.sealed': 'UPDATE',
  'function append': 'EXECUTE',
  'function append_all': 'EXECUTE',
  'function create_tenant': 'EXECUTE',
  'function purge_entries': 'EXECUTE',
};

const everybodys: Readonly<Record<string, string>> = {
  'function blocks_of': 'EXECUTE',
  'function now_ms': 'EXECUTE',
  'function refuse_backwards': 'EXECUTE',
  'function refuse_change': 'EXECUTE',
  'function refuse_rewrite': 'EXECUTE',
  'function refuse_truncate': 'EXECUTE',
};

const connect = (role: 'server' | 'owner' | 'superuser') =>
  closing(postgres({ ...world.database.connection(role), max: 1, onnotice: () => {} }), (it) => it.end());

const world = await testWorld();
const service = world.replica();
const ann = await settle(service, 'ann');
const api = apiOf(service, ann.token);
const { key_id } = await api('POST /v1/keys', { name: 'key' });
await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
const [server, owner] = [await connect('server'), await connect('owner')];
const superuser = await connect('superuser');
// The MAC is empty, because an attacker does not have the key that computes MACs.
await superuser`insert into eaas.audit_anchors values (${ann.tenantId}, 1, '', '')`;
await superuser`insert into eaas.log_keys values ('old', '', '', '', 1, 1, 'halted')`;
await superuser`insert into eaas.log_tiles values ('old', 0, 0, 'ab')`;
await superuser`insert into eaas.log_moments values ('old', 0, 1, '', 'note', true)`;
await superuser`insert into eaas.log_proofs values (${ann.tenantId}, 1, '', '', 'old', 0, 1, '')`;

async function granted(role: string | null): Promise<Record<string, string>> {
  const rows = await superuser<{ object: string; granted: string }[]>`
    select object, string_agg(distinct privilege_type, ', ' order by privilege_type) as granted
    from (
      select 'table ' || relname as object, acl.* from pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner))) acl
        where relnamespace = 'eaas'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'f', 'S')
      union all
      select 'column ' || attrelid::regclass || '.' || attname, acl.* from pg_attribute, aclexplode(attacl) acl
      union all
      select 'function ' || proname, acl.* from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) acl
        where pronamespace = 'eaas'::regnamespace
      union all
      select 'schema ' || nspname, acl.* from pg_namespace, aclexplode(coalesce(nspacl, acldefault('n', nspowner))) acl
        where nspname = 'eaas'
      union all
      select 'database template', acl.* from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) acl
        where datname = current_database()
    ) objects
    where grantee = coalesce((select oid from pg_roles where rolname = ${role}), 0)
      and (${role}::text is not null or object not like 'column pg_%')
    group by object`;
  return Object.fromEntries(rows.map((row) => [row.object, row.granted]));
}

describe('privileges', () => {
  test('the server’s role has exactly the listed privileges', async () => {
    expect(await granted(ROLES.server)).toEqual(privileges);
    expect(await granted(null)).toEqual(everybodys);
  });

  test('the server’s role has no special attributes and owns no objects', async () => {
    const [role] = await superuser`
      select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
        (select count(*)::int from pg_auth_members where member = r.oid) as member_of,
        (select count(*)::int from pg_class where relowner = r.oid) as owns
      from pg_roles r where rolname = ${ROLES.server}`;
    expect(role).toEqual({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      member_of: 0,
      owns: 0,
    });
  });

  test('a second migration does not change the privileges', async () => {
    const pool = openPool(world.database.connection('owner'), 1);
    // The clock of the world is another function, as a later step may make.
    await superuser`insert into eaas.steps values (2)`;
    expect(await migrate(pool, ROLES.server)).toBe(0);
    await pool.end();
    expect(await granted(ROLES.server)).toEqual(privileges);
  });
});

const denied = { code: '42501' };

test.each([
  "begin; set local eaas.erasing = '00000000-0000-0000-0000-000000000000'; delete from eaas.audit_entries",
  'insert into eaas.audit_entries select * from eaas.audit_entries on conflict (tenant_id, id) do update set actor = $$x$$',
  'alter table eaas.audit_entries disable trigger all',
  "create or replace function eaas.refuse_change() returns trigger language plpgsql as 'begin return new; end'",
  'alter function eaas.purge_entries(uuid, bigint) security invoker',
  'select eaas.destroy_tenant($$00000000-0000-0000-0000-000000000000$$)',
  'set session_replication_role = replica',
  'set role eaas_owner',
  'begin; lock table eaas.audit_entries in access exclusive mode',
  'copy eaas.audit_entries to program $$true$$',
  'create table public.mine ()',
  'create temporary table mine ()',
  'update eaas.audit_heads set id = id - 1',
  'update eaas.audit_anchors set id = id - 1',
])('the server’s role cannot run: %s', async (statement) => {
  await expect(server.unsafe(statement)).rejects.toMatchObject(denied);
  await server.unsafe('rollback');
});

describe.each(['owner', 'superuser under session_replication_role'])(
  'a trigger refuses statements of the %s',
  (who) => {
    const run = async (statement: string): Promise<unknown> => {
      if (who === 'owner') return owner.unsafe(statement);
      return superuser.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx.unsafe(statement);
      });
    };

    test.each<readonly [statement: string, message: string]>([
      ['update eaas.audit_entries set actor = actor', 'append-only: UPDATE is refused'],
      ['delete from eaas.audit_entries', 'append-only: DELETE is refused'],
      ['update eaas.row_records set rev = rev', 'append-only: UPDATE is refused'],
      ['delete from eaas.row_records', 'append-only: DELETE is refused'],
      ['update eaas.audit_heads set id = id - 1', 'never goes back'],
      ['update eaas.audit_anchors set id = id - 1', 'never goes back'],
      ['update eaas.log_keys set public_key = $$x$$', 'only grows: UPDATE is refused'],
      ['update eaas.log_keys set ended_at = null', 'only grows: UPDATE is refused'],
      ['update eaas.log_keys set halted = null', 'only grows: UPDATE is refused'],
      ['delete from eaas.log_keys', 'only grows: DELETE is refused'],
      ['update eaas.log_tiles set bytes = $$a$$', 'only grows: UPDATE is refused'],
      ['update eaas.log_tiles set bytes = $$acb$$', 'only grows: UPDATE is refused'],
      ['update eaas.log_tiles set n = 1', 'only grows: UPDATE is refused'],
      ['delete from eaas.log_tiles', 'only grows: DELETE is refused'],
      ['update eaas.log_moments set note = $$not$$', 'only grows: UPDATE is refused'],
      ['update eaas.log_moments set witnessed = false', 'only grows: UPDATE is refused'],
      ['update eaas.log_proofs set hash = hash', 'only grows: UPDATE is refused'],
      ['truncate eaas.keys cascade', 'must not be truncated'],
    ])('a trigger refuses: %s', async (statement, message) => {
      await expect(run(statement)).rejects.toMatchObject({
        ...denied,
        message: expect.stringContaining(message),
      });
    });

    test('the setting that allows erasing one tenant does not allow erasing another tenant', async () => {
      const statement = `set local eaas.erasing = '00000000-0000-0000-0000-000000000000'; delete from eaas.audit_entries`;
      await expect(run(`begin; ${statement}`)).rejects.toMatchObject(denied);
      if (who === 'owner') await owner`rollback`;
    });
  },
);

describe('purging', () => {
  test.each([0, 2, 3, null])('the database refuses to purge the entries up to the id %s', async (id) => {
    const purging = server`select eaas.purge_entries(${ann.tenantId}, ${id})`;
    await expect(purging).rejects.toThrow('up to the recorded anchor only');
  });

  test('the database refuses a purge if no record says where the purge ends', async () => {
    const purging = server`select eaas.purge_entries('7d3a5b0e-9d7f-4f0e-8f0a-2b1c3d4e5f60', 1)`;
    await expect(purging).rejects.toThrow('up to the recorded anchor only');
  });

  test('a purge does not run code in a temporary type that the caller created', async () => {
    await superuser`grant temporary on database ${superuser(world.database.name)} to ${superuser(ROLES.server)}`;
    await server`create temporary table ran_as (name pg_catalog.text)`;
    await server`create function pg_temp.run(pg_catalog.text) returns boolean language plpgsql as
      'begin insert into pg_temp.ran_as values (current_user); return true; end'`;
    await server`create domain pg_temp.text as pg_catalog.text check (pg_temp.run(value))`;
    await server`select eaas.purge_entries(${ann.tenantId}, 1::bigint)`;
    expect([...(await server`select * from pg_temp.ran_as`)]).toEqual([]);
    const [row] = await superuser`select min(id)::int as first from eaas.audit_entries`;
    expect(row).toEqual({ first: 2 });
  });
});

test('two audit entries cannot follow the same entry', async () => {
  const [head] = await superuser<{ id: string }[]>`select id from eaas.audit_heads`;
  const fork = server`insert into eaas.audit_entries select tenant_id, ${head?.id ?? ''}, action, key_id, key_version, actor,
    ip_address, metadata, created_at, salt, hash, mac from eaas.audit_entries where id = 2`;
  await expect(fork).rejects.toMatchObject({ code: '23505' });
});
