import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { addressIn, type PostgresAddress } from '@eaas/test-kit/database';
import { whereAvailable } from '@eaas/test-kit/available';
import { citusIsInstalled } from '@eaas/test-kit/citus';
import { requested } from '@eaas/test-kit/on-demand';
import { allowSchemaChanges, distribute } from '../src/postgres/citus.ts';
import { openPool } from '../src/postgres/sql.ts';
import { apiOf, dek, openWorld, type Resident, settle, type World } from '@eaas/test-kit/world';

const denied = { code: '42501' };

whereAvailable('Citus', await citusIsInstalled(), () => {
  let citus: PostgresAddress;
  let world: World;
  let ann: Resident;
  let owner: postgres.Sql;
  let superuser: postgres.Sql;
  let nodes: postgres.Sql[];

  const connect = (address: PostgresAddress, role: 'owner' | 'superuser'): postgres.Sql => {
    const { connection } = addressIn(address, world.database.name);
    // Citus hides the tables of the shards from queries unless `citus.override_table_visibility` is off.
    const settings = { 'citus.override_table_visibility': 'off' };
    const sql = postgres({ ...connection(role), max: 1, onnotice: () => {}, connection: settings });
    world.onClose(() => sql.end());
    return sql;
  };

  beforeAll(async () => {
    citus = await requested<PostgresAddress>(inject('citus'));
    world = await openWorld('2026-09-01T00:00:00Z', Promise.resolve(citus));
    const service = world.replica();
    ann = await settle(service, 'ann');
    const api = apiOf(service, ann.token);
    const { key_id } = await api('POST /v1/keys', { name: 'key' });
    await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
    owner = connect(citus, 'owner');
    superuser = connect(citus, 'superuser');
    nodes = (citus.workers ?? []).map((worker) => connect(worker, 'superuser'));
  });
  afterAll(() => world.close());

  async function onShards(query: string): Promise<Set<string>> {
    const rows = await Promise.all(nodes.map((node) => node.unsafe<{ found: string }[]>(query)));
    return new Set(rows.flat().map(({ found }) => found));
  }

  test('`eaas migrate` distributes every table with rows of tenants', async () => {
    const names = async (condition: string) =>
      (
        await superuser.unsafe<{ name: string }[]>(
          `select relname as name from pg_class c where relnamespace = 'eaas'::regnamespace and relkind = 'r'
             and relname !~ '_[0-9]{6,}$' and ${condition} order by 1`,
        )
      ).map(({ name }) => name);
    const distributed = await names('exists (select from pg_dist_partition where logicalrelid = c.oid)');
    expect(distributed).toEqual(
      await names(`exists (select from pg_attribute where attrelid = c.oid and attname = 'tenant_id')`),
    );
    expect(distributed).toContain('audit_entries');
    expect(await names('not exists (select from pg_dist_partition where logicalrelid = c.oid)')).toEqual([
      'leases',
      'log_keys',
      'log_moments',
      'log_tiles',
      'root_checks',
      'schema_records',
      'steps',
    ]);
  });

  test('a table that a later step makes is distributed beside tenants', async () => {
    await owner`create table eaas.made_up (tenant_id uuid not null references eaas.tenants, fact text)`;
    const pool = openPool(addressIn(citus, world.database.name).connection('owner'), 1);
    await pool.begin(async (tx) => {
      await allowSchemaChanges(tx);
      await distribute(tx, false);
    });
    await pool.end();
    const [row] = await superuser<{ with_tenants: boolean }[]>`
      select colocationid = (select colocationid from pg_dist_partition where logicalrelid = 'eaas.tenants'::regclass)
        as with_tenants from pg_dist_partition where logicalrelid = 'eaas.made_up'::regclass`;
    await owner`drop table eaas.made_up`;
    expect(row).toEqual({ with_tenants: true });
  });

  const shards = `pg_class c where relnamespace = 'eaas'::regnamespace and relkind = 'r' and relname ~ '_[0-9]{6,}$'`;
  const table = `regexp_replace(relname, '_[0-9]{6,}$', '')`;
  const isDistributed = `relname = any (array(select relname from pg_dist_partition join pg_class d on d.oid = logicalrelid))`;

  test('each shard has the same triggers as its table, enabled in the same way', async () => {
    const triggers = (name: string, from: string) => `
      select ${name} || ' ' || regexp_replace(tgname, '_[0-9]{6,}$', '') || ' ' || tgenabled::text as found
      from pg_trigger t join ${from} and tgrelid = c.oid and not tgisinternal`;
    const local = await superuser.unsafe<{ found: string }[]>(
      triggers(
        'relname',
        `pg_class c on true where relnamespace = 'eaas'::regnamespace and ${isDistributed}`,
      ),
    );
    const expected = local.map(({ found }) => found);
    expect(expected).toContain('audit_entries audit_entries_immutable A');
    const found = await onShards(triggers(table, shards.replace('where', 'on true where')));
    expect([...found].toSorted()).toEqual(expected.toSorted());
  });

  test('the workers grant the same rights on shards and functions as the coordinator', async () => {
    const rights = (name: string, acl: string, from: string) => `
      select ${name} || ' ' || coalesce(grantee, 'everyone') || ' ' || privilege_type as found
      from (select *, ${acl} as acl from ${from}) o cross join lateral (
        select case grantee when 0 then null else pg_get_userbyid(grantee) end as grantee, privilege_type
        from aclexplode(acl)) granted`;
    const relacl = `coalesce(relacl, acldefault('r', relowner))`;
    const proacl = `coalesce(proacl, acldefault('f', proowner))`;
    const functions = rights('proname', proacl, `pg_proc where pronamespace = 'eaas'::regnamespace`);
    const tables = rights(
      'relname',
      relacl,
      `pg_class c where relnamespace = 'eaas'::regnamespace and ${isDistributed}`,
    );
    const setOf = async (query: string) =>
      [...(await superuser.unsafe<{ found: string }[]>(query))].map(({ found }) => found).toSorted();
    expect([...(await onShards(rights(table, relacl, shards)))].toSorted()).toEqual(await setOf(tables));
    expect([...(await onShards(functions))].toSorted()).toEqual(await setOf(functions));
  });

  test('a superuser on a worker cannot change a shard by setting session_replication_role', async () => {
    const refusals = nodes.map(async (node) => {
      const found = await node.unsafe<{ name: string }[]>(
        `select oid::regclass::text as name from ${shards} and ${table} = 'audit_entries'`,
      );
      for (const { name } of found) {
        const { count } = await node.unsafe(`select from ${name} where tenant_id = '${ann.tenantId}'`);
        if (count === 0) continue;
        const change = node.begin(async (tx) => {
          await tx`set local session_replication_role = replica`;
          await tx.unsafe(`update ${name} set actor = actor`);
        });
        await expect(change).rejects.toMatchObject(denied);
        return 1;
      }
      return 0;
    });
    expect((await Promise.all(refusals)).reduce<number>((sum, one) => sum + one, 0)).toBe(1);
  });

  test('an owner who sets `eaas.erasing` still cannot delete entries through the coordinator', async () => {
    const erasing = owner.begin(async (tx) => {
      await tx`select set_config('eaas.erasing', ${ann.tenantId}, true)`;
      await tx`delete from eaas.audit_entries where tenant_id = ${ann.tenantId}`;
    });
    await expect(erasing).rejects.toMatchObject(denied);
  });
});
