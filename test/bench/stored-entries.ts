import { seal } from '../../packages/server/src/state/integrity.ts';
import { findHead, headTable, purgeThrough } from '../../packages/server/src/store/heads.ts';
import { openPool, type Pool } from '../../packages/server/src/store/sql.ts';
import type { Operator, Tenant } from '@eaas/test-kit/faults/place';
import type { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { apiOf, dek } from '@eaas/test-kit/world';
import type { Defer } from './compare.ts';
import { operateDeferred } from './open-operator.ts';

const keysPerTenant = 20;

export interface Store {
  readonly operator: Operator;
  readonly sql: Pool;
  readonly tenants: readonly Tenant[];
  /** The id of the last audit entry before the inserts. All tenants have the same last id. */
  readonly before: number;
}

export async function openStore(postgres: OwnPostgres, count: number, defer: Defer): Promise<Store> {
  const sql = openPool(postgres.connection('superuser'), 1);
  defer(() => sql.end());
  await sql`drop schema if exists eaas cascade`;
  const operator = await operateDeferred(defer, postgres);
  const tenants: Tenant[] = [];
  for (let nth = 0; nth < count; nth++) {
    const tenant = await operator.newTenant();
    const api = apiOf(operator.service, tenant.token);
    const { key_id } = await api('POST /v1/keys', { name: 'bench' });
    await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
    tenants.push(tenant);
  }
  const [row] = await sql<{ id: number }[]>`select max(id) as id from eaas.audit_entries`;
  return { operator, sql, tenants, before: row?.id ?? 0 };
}

/** The hash and the MAC of each entry are arbitrary bytes. */
export async function addEntries(
  { sql, tenants, before }: Store,
  first: number,
  count: number,
  size: number,
): Promise<void> {
  const ids = tenants.map(({ tenantId }) => tenantId);
  await sql`
    insert into eaas.audit_entries
      (tenant_id, id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac)
    select e.tenant, ${before} + 1 + append / ${ids.length}::bigint * ${size}::bigint + n % ${size}::bigint,
      case when random_of_append % 100 = 0 then 'key.rotate' when random_of_append % 3 = 0 then 'key.unwrap'
        else 'key.wrap' end,
      md5(e.tenant || ' ' || random_of_append / 100 % ${keysPerTenant}::bigint)::uuid,
      real.key_version, real.actor, real.ip_address, real.metadata, real.created_at + 60000 + append,
      sha256(n::text::bytea), sha256((-n)::text::bytea)
    from (
      select n, append, (${ids}::uuid[])[1 + append % ${ids.length}::bigint] as tenant,
        abs(hashint8(append)::bigint) as random_of_append
      from generate_series(${first}::bigint, ${first + count - 1}::bigint) as n, div(n, ${size}) as quotient,
        cast(quotient as bigint) as append) as e,
      (select * from eaas.audit_entries where action = 'key.wrap' order by created_at limit 1) as real`;
}

export async function coverEntries({ operator, sql, tenants, before }: Store, count: number): Promise<void> {
  for (const { tenantId } of tenants) {
    const view = await operator.service.tenants.view(tenantId);
    const head = await findHead(sql, tenantId);
    if (!view || !head) throw new Error(`expected an audit log of the tenant ${tenantId} (got none)`);
    const { secrets } = view.state;
    const { mac, created_at } = seal(secrets, headTable, { ...head, id: before + count });
    await sql`update eaas.audit_heads set id = ${before + count}, mac = ${mac}, created_at = ${created_at}
      where tenant_id = ${tenantId}`;
  }
}

/** `count` includes the entries that earlier purges deleted. */
export async function purgeEntries({ sql, tenants, before }: Store, count: number): Promise<void> {
  for (const { tenantId } of tenants) {
    const id = before + count / tenants.length;
    const noBytes = Buffer.alloc(32);
    const anchor = { tenant_id: tenantId, id, hash: noBytes, rows_digest: noBytes, mac: noBytes };
    await sql.begin((tx) => purgeThrough(tx, anchor));
  }
}

export interface Sizes {
  readonly table: number;
  readonly primaryKey: number;
  readonly byKey: number;
  readonly byAction: number;
}

export async function sizesOf({ sql }: Store): Promise<Sizes> {
  await sql`vacuum analyze eaas.audit_entries`;
  const [row] = await sql<Sizes[]>`
    select pg_table_size('eaas.audit_entries') as table,
      pg_relation_size('eaas.audit_entries_pkey') as "primaryKey",
      pg_relation_size('eaas.audit_entries_by_key_and_time') as "byKey",
      pg_relation_size('eaas.audit_entries_by_action_and_time') as "byAction"`;
  if (!row) throw new Error('PostgreSQL returned no sizes of the audit entries');
  return row;
}
