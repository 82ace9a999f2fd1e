import { randomUUID } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import { genesisHash } from '@eaas/protocol/audit';
import { formatTimestamp, hasControlCharacter } from '@eaas/protocol/wire';
import { insider } from '../caller.ts';
import { newTenantSecret, openTenantSecrets } from '../crypto/key-hierarchy.ts';
import { Refusal } from '../refusal.ts';
import { claim } from '../root-check.ts';
import type { Service } from '../service.ts';
import { change } from '../state/change.ts';
import { openTenant, sealHead, sealTenant } from '../state/integrity.ts';
import { monthOf } from '../state/time.ts';
import { isDuplicate } from '../store/faults.ts';
import { insertHead, lockHead } from '../store/heads.ts';
import type { Pool } from '../store/sql.ts';
import {
  destroyTenant as destroyRow,
  findTenant,
  findTenantByName,
  insertTenant,
  listTenants as listRows,
  type TenantRow,
  updateTenant as updateRow,
} from '../store/tenants.ts';
import { tenantDraft } from './draft.ts';

/** A tenant as the operator sees it. */
export interface TenantRecord {
  readonly tenant_id: string;
  readonly name: string;
  readonly envelope_only: boolean;
  readonly monthly_encrypt_quota: number | null;
  readonly created_at: string;
}

/** What of a tenant can be set. */
export interface TenantFields {
  readonly name?: string | undefined;
  readonly envelope_only?: boolean | undefined;
  readonly monthly_encrypt_quota?: number | null | undefined;
  /** Milliseconds since 1970. */
  readonly created_at?: number | undefined;
}

/** From here on a new tenant encrypts locally unless told otherwise. */
const envelopeOnlySince = Date.parse('2026-08-11T00:00:00Z');

/** Makes a tenant and starts its chain, which has no entry yet. */
export async function createTenant(
  service: Service,
  fields: TenantFields & { readonly name: string },
): Promise<TenantRecord> {
  const { name, monthly_encrypt_quota = null } = fields;
  requireUsableName(name);
  const { roots } = service.tenants;
  const now = service.clock();
  const created_at = fields.created_at ?? now;
  const tenantId = randomUUID();
  const sealed = newTenantSecret(roots[0], tenantId);
  const secrets = openTenantSecrets(roots, { tenantId, ...sealed });
  if (!secrets) throw new Error('a secret that was just sealed does not open');
  const row = sealTenant(secrets, {
    tenant_id: tenantId,
    name,
    envelope_only: fields.envelope_only ?? created_at >= envelopeOnlySince,
    monthly_encrypt_quota,
    created_at,
    root_id: sealed.rootId,
    sealed_secret: sealed.sealedSecret,
    rev: 0,
  });
  const hash = genesisHash(tenantId);
  const head = { id: 0, hash, state_id: 0, created_at: now, month: monthOf(now), encrypts: 0 };
  try {
    await service.database.transaction(async (tx) => {
      await claim(tx, roots);
      await insertTenant(tx, row);
      await insertHead(tx, tenantId, sealHead(secrets, tenantId, head));
    });
  } catch (error) {
    throw isDuplicate(error) ? nameTaken(name) : error;
  }
  return tenantRecord(row);
}

/** Sets what is given. What is as it was already is no change, and writes no entry. */
export async function updateTenant(
  service: Service,
  tenantId: string,
  fields: TenantFields,
): Promise<TenantRecord> {
  if (fields.name !== undefined) requireUsableName(fields.name);
  return change(service, insider(tenantId, 'operator'), async ({ tx, state, entryId }) => {
    const { mac: _, ...before } = state.tenant;
    const set = Object.entries(fields).filter(
      ([name, value]) => value !== undefined && value !== before[name as keyof TenantFields],
    );
    if (set.length === 0) return { draft: null, answer: tenantRecord(before) };
    const next = { ...before, ...(Object.fromEntries(set) as Partial<TenantRow>), rev: entryId };
    const namesake = next.name !== before.name && (await findTenantByName(tx, next.name));
    if (namesake) throw nameTaken(next.name);
    await updateRow(tx, sealTenant(state.secrets, next));
    const metadata = { changed: set.map(([name]) => name), previous_change: before.rev };
    return { draft: tenantDraft('tenant.update', metadata), answer: tenantRecord(next) };
  });
}

/** A tenant, and whether its row is what the service wrote. */
export interface FoundTenant {
  readonly tenant: TenantRecord;
  readonly authentic: boolean;
}

/** All tenants, by name. */
export async function listTenants(service: Service): Promise<FoundTenant[]> {
  const rows = await service.database.run(listRows, 10_000);
  return rows.map((row) => found(service, row));
}

/** The tenant of this id or, else, of this name. Throws Refusal where there is none. */
export async function requireTenant(service: Service, idOrName: string): Promise<FoundTenant> {
  const tenantId = parseUuid(idOrName);
  const row = await service.database.run((sql) =>
    tenantId === undefined ? findTenantByName(sql, idOrName) : findTenant(sql, tenantId),
  );
  if (row) return found(service, row);
  throw new Refusal('not_found', 'There is no such tenant; `eaas tenant list` shows them all.');
}

/** Its id alone, for what makes sure of the row itself. */
export async function requireTenantId(service: Service, idOrName: string): Promise<string> {
  const { tenant } = await requireTenant(service, idOrName);
  return tenant.tenant_id;
}

/** Erases a tenant with all it has, for good. Needs the role that owns the tables. */
export async function destroyTenant(owner: Pool, tenantId: string): Promise<void> {
  await owner.begin(async (tx) => {
    // Nothing is appended or changed meanwhile.
    await lockHead(tx, tenantId);
    await destroyRow(tx, tenantId);
  });
}

function found(service: Service, row: TenantRow): FoundTenant {
  return { tenant: tenantRecord(row), authentic: isAuthentic(service, row) };
}

function isAuthentic(service: Service, row: TenantRow): boolean {
  try {
    openTenant(service.tenants.roots, row);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function tenantRecord(row: Omit<TenantRow, 'mac'>): TenantRecord {
  const { tenant_id, name, envelope_only, monthly_encrypt_quota, created_at } = row;
  return { tenant_id, name, envelope_only, monthly_encrypt_quota, created_at: formatTimestamp(created_at) };
}

function requireUsableName(name: string): void {
  const length = Array.from(name).length;
  if (length < 1 || length > 128 || hasControlCharacter(name) || !name.isWellFormed()) {
    throw new Refusal(
      'bad_request',
      "A tenant's name has 1 to 128 characters, none of them a control character.",
    );
  }
  if (parseUuid(name) !== undefined) {
    throw new Refusal('bad_request', "A tenant's name cannot look like an id: commands take either.");
  }
}

function nameTaken(name: string): Refusal {
  return new Refusal('name_taken', `There is a tenant named ${JSON.stringify(name)} already.`);
}
