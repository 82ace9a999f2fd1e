// What the operator does with tenants. The command line calls it, and `eaas dev`.
import { parseUuid } from '@eaas/protocol';
import { escapeHidden } from '@eaas/protocol/internal';
import * as core from '@eaas/service';
import { claim } from '../root-key/root-check.ts';
import type { Service } from '../app/service.ts';
import { createTenant as insertTenant } from '../postgres/append.ts';
import { isDuplicate } from '../postgres/faults.ts';
import { databaseTime, type Pool, type Sql, type Transaction } from '../postgres/sql.ts';
import { type ImportedTenant, insertImported } from './import-tenant.ts';

export type { TenantSettings } from '@eaas/service';

/** A tenant as commands show it. */
export type TenantRecord = ReturnType<typeof core.tenantRecord>;

/** Creates a tenant, or takes it over from a key file. Throws Refusal. */
export async function createTenant(
  service: Service,
  fields: core.TenantSettings & { readonly name: string },
  imported?: ImportedTenant,
): Promise<TenantRecord> {
  const { database, roots } = service;
  const create = async (tx: Transaction): Promise<TenantRecord> => {
    // The ids of subjects depend on the tenant's secret, so a file with subjects keeps it. Any other tenant gets a new one,
    // so that an old copy of the file cannot forge its log.
    const taken = imported && {
      tenantId: imported.tenantId,
      secret: imported.subjects.length > 0 ? imported.secret : undefined,
    };
    const made = core.newTenant(roots, fields, await databaseTime(tx), taken);
    await requireFreeName(tx, made.record.tenant_id, fields.name);
    await claim(tx, roots);
    if (taken && (await findTenants(tx, taken.tenantId)).length > 0) throw existing(taken.tenantId);
    await insertTenant(tx, made.head, made.writes);
    if (imported) await insertImported(tx, service, made, imported);
    return made.record;
  };
  return database.transaction(create, imported ? 60_000 : undefined).catch((error: unknown) => {
    throw imported && isDuplicate(error) ? existing(imported.tenantId) : error;
  });
}

const existing = (tenantId: string): core.Refusal =>
  new core.Refusal(
    'conflict',
    `The tenant ${tenantId} of the key file exists already, so nothing was imported: \`eaas tenant show ${tenantId}\` shows it.`,
  );

/** Changes the settings of a tenant. Throws Refusal. */
export async function updateTenant(
  service: Service,
  tenantId: string,
  fields: core.TenantSettings,
): Promise<TenantRecord> {
  const { name } = fields;
  const change = core.changeTenant(fields);
  if (name === undefined) return decided(service, tenantId, change);
  // The name is locked until the change is committed.
  return service.database.transaction(async (tx) => {
    await requireFreeName(tx, tenantId, name);
    return decided(service, tenantId, change);
  }, 10_000);
}

/** Says in the log why a backup was restored. */
export async function acknowledgeRestore(service: Service, tenantId: string, reason: string) {
  const caller = core.insider(tenantId, 'operator');
  const part = core.acknowledgeRestore(reason);
  const { receipts } = await orNoTenant(core.settle(service, caller, part));
  return { tenant_id: tenantId, id: core.receiptIn(receipts)?.id ?? 0, reason };
}

/** Has the ledger decide what the operator changes of a tenant. */
async function decided<T>(service: Service, tenantId: string, part: core.Part<T>): Promise<T> {
  return (await orNoTenant(core.settle(service, core.insider(tenantId, 'operator'), part))).answer;
}

/** Throws Refusal for a tenant that does not exist, or no longer. */
export const orNoTenant = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof core.NoTenant ? tenantNotFound() : error;
  });

export const isNoTenant = (error: unknown): boolean =>
  error instanceof core.Refusal && error.code === 'not_found';

/** All tenants by name, each with whether its row is as the service wrote it. */
export async function listTenants(service: Service) {
  const rows = await service.database.run((sql) => findTenants(sql), 10_000);
  return rows.map((stored) => found(service, stored));
}

export async function requireTenant(service: Service, idOrName: string) {
  const [stored] = await service.database.run((sql) => findTenants(sql, idOrName));
  if (stored) return found(service, stored);
  throw tenantNotFound();
}

/** Returns the id of a tenant, whose row perhaps is not as the service wrote it. */
export async function requireTenantId(service: Service, idOrName: string): Promise<string> {
  return (await requireTenant(service, idOrName)).tenant.tenant_id;
}

const tenantNotFound = (): core.Refusal =>
  new core.Refusal('not_found', 'Tenant not found: run `eaas tenant list` to see all tenants.');

type StoredTenant = core.Stored & { readonly row: core.TenantRow };

function found({ roots }: Service, stored: StoredTenant) {
  return { tenant: core.tenantRecord(stored.row), authentic: core.openTenant(roots, stored) !== undefined };
}

/** The rows of all tenants, or of those with an id or a name. */
export async function findTenants(sql: Sql, idOrName?: string): Promise<StoredTenant[]> {
  const id = idOrName && parseUuid(idOrName);
  const name = idOrName ?? null;
  const matching = id ? sql`where tenant_id = ${id}` : sql`where ${name}::text is null or name = ${name}`;
  const rows = await sql<(core.TenantRow & { readonly newest_rev: number | null })[]>`
    select t.*, (select max(rev) from eaas.row_records r
      where r.tenant_id = t.tenant_id and r.row_id = t.tenant_id) as newest_rev
    from eaas.tenants t ${matching} order by name`;
  return rows.map(({ newest_rev, ...row }) => ({ row, newest_rev }));
}

/** The ids of all tenants that have a row or a log, with their names. */
export async function listChains(sql: Sql): Promise<{ tenant_id: string; name: string | null }[]> {
  return sql<{ tenant_id: string; name: string | null }[]>`
    select tenant_id, name from eaas.tenants full join eaas.audit_heads using (tenant_id) order by name`;
}

/**
 * Until the transaction ends, no other one can ask for the same name. No unique index could say that it is free, because on
 * Citus each shard has its own.
 */
async function requireFreeName(tx: Transaction, tenantId: string, name: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`eaas tenant ${name}`}, 0))`;
  const { count } = await tx`select from eaas.tenants where name = ${name} and tenant_id <> ${tenantId}`;
  if (count === 0) return;
  throw new core.Refusal(
    'name_taken',
    `Another tenant already has the name ${escapeHidden(JSON.stringify(name))}: choose another name.`,
  );
}

/** Erases a tenant. `owner` connects as the role that owns the tables. */
export async function destroyTenant(owner: Pool, tenantId: string): Promise<void> {
  await owner.begin(async (tx) => {
    // While the head is locked, no replica can append to the audit log or change the tenant.
    await tx`select from eaas.audit_heads where tenant_id = ${tenantId} for update`;
    await tx`select eaas.destroy_tenant(${tenantId})`;
  });
}

interface Holdings {
  readonly keys: number;
  readonly api_keys: number;
  readonly entries: number;
  readonly last_used_at: number | null;
}

/** What is erased with a tenant. */
export async function countHoldings(sql: Sql, tenantId: string): Promise<Holdings> {
  const [row] = await sql<Holdings[]>`
    select
      (select count(*) from eaas.keys where tenant_id = ${tenantId} and status <> 'destroyed') as keys,
      (select count(*) from eaas.api_keys where tenant_id = ${tenantId} and revoked_at is null) as api_keys,
      coalesce((select id from eaas.audit_heads where tenant_id = ${tenantId}), 0)
        - coalesce((select id from eaas.audit_anchors where tenant_id = ${tenantId}), 0) as entries,
      greatest(
        (select max(last_used_at) from eaas.api_key_uses where tenant_id = ${tenantId}),
        (select created_at from eaas.audit_heads where tenant_id = ${tenantId} and id > 0)
      ) as last_used_at`;
  return row ?? { keys: 0, api_keys: 0, entries: 0, last_used_at: null };
}
