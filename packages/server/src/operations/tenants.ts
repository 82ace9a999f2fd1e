import { randomUUID } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import { genesisHash } from '@eaas/protocol/audit';
import { escapeHidden } from '@eaas/protocol/internal';
import { type Changed, changedTenant, tenantDraft, type TenantSettings } from '@eaas/protocol/service';
import { formatTimestamp, hasControlCharacter } from '@eaas/protocol/wire';
import type { Service } from '../app/service.ts';
import { Refusal, Tampered } from '../base/refusal.ts';
import { newTenantSecret, openTenantSecrets, takenTenantSecret } from '../crypto/key-hierarchy.ts';
import { claim } from '../root-key/root-check.ts';
import { change, type Change } from '../state/change.ts';
import { insider } from '../state/caller.ts';
import { monthOf } from '../state/clock.ts';
import { openTenant, seal } from '../state/integrity.ts';
import { isDuplicate } from '../store/faults.ts';
import { headTable, insertHead, lockHead } from '../store/heads.ts';
import { insertRow, type Loaded, recordRow, updateRow } from '../store/rows.ts';
import type { Pool, Transaction } from '../store/sql.ts';
import { type ImportedTenant, insertImported } from './import-tenant.ts';
import {
  destroyTenant as destroyRows,
  findTenant,
  findTenantByName,
  isNameTaken,
  listTenants as listRows,
  type TenantRow,
  tenantTable,
} from '../store/tenants.ts';

export type { TenantSettings } from '@eaas/protocol/service';

export type TenantRecord = ReturnType<typeof tenantRecord>;

const envelopeOnlySince = Date.parse('2026-08-11T00:00:00Z');

export async function createTenant(
  service: Service,
  fields: TenantSettings & { readonly name: string },
  imported?: ImportedTenant,
): Promise<TenantRecord> {
  const { name, monthly_encrypt_quota = null } = fields;
  requireUsableName(name);
  const { roots } = service.tenants;
  const now = service.clock.now();
  const created_at = fields.created_at ?? now;
  if (created_at > now) {
    throw new Refusal(
      'bad_request',
      `A tenant cannot have been created in the future: \`created_at\` is ${formatTimestamp(created_at)}, and it is ` +
        `${formatTimestamp(now)}.`,
    );
  }
  const tenantId = imported?.tenantId ?? randomUUID();
  // The ids of subjects depend on the tenant's secret, so a file with subjects keeps it. Any other tenant gets a new one,
  // so that an old copy of the file cannot forge its log.
  const sealed = imported?.subjects.size
    ? takenTenantSecret(roots[0], tenantId, imported.secret)
    : newTenantSecret(roots[0], tenantId);
  const secrets = openTenantSecrets(roots, sealed);
  if (!secrets)
    throw new Error('the root key must decrypt the secret of a new tenant (the decryption failed)');
  const row = seal(secrets, tenantTable, {
    ...sealed,
    name,
    envelope_only: fields.envelope_only ?? created_at >= envelopeOnlySince,
    monthly_encrypt_quota,
    created_at,
    rev: 0,
  });
  const hash = genesisHash(tenantId);
  const start = { tenant_id: tenantId, id: 0, hash, state_id: 0, state_hash: hash };
  const head = seal(secrets, headTable, { ...start, created_at: now, month: monthOf(now), encrypts: 0 });
  const create = async (tx: Transaction): Promise<void> => {
    await requireFreeName(tx, tenantId, name);
    await claim(tx, roots);
    if (imported && (await findTenant(tx, tenantId))) throw existing(tenantId);
    await insertRow(tx, tenantTable, row);
    await recordRow(tx, tenantTable, row);
    await insertHead(tx, head);
    if (imported) await insertImported(tx, { tenant: row, secrets }, head, imported);
  };
  const limit = imported ? 60_000 : undefined;
  await service.database.transaction(create, limit).catch((error: unknown) => {
    throw imported && isDuplicate(error) ? existing(tenantId) : error;
  });
  return tenantRecord(row);
}

const existing = (tenantId: string): Refusal =>
  new Refusal(
    'conflict',
    `The tenant ${tenantId} of the key file exists already, so nothing was imported: \`eaas tenant show ${tenantId}\` shows it.`,
  );

export async function updateTenant(
  service: Service,
  tenantId: string,
  fields: TenantSettings,
): Promise<TenantRecord> {
  const { name } = fields;
  if (name !== undefined) requireUsableName(name);
  return changeTenant(
    service,
    tenantId,
    (open) => {
      const { row, draft } = changedTenant(open.state.tenant, fields, open);
      return { row, draft, answer: tenantRecord(row) };
    },
    async (tx) => {
      if (name !== undefined) await requireFreeName(tx, tenantId, name);
    },
  );
}

async function requireFreeName(tx: Transaction, tenantId: string, name: string): Promise<void> {
  if (!(await isNameTaken(tx, tenantId, name))) return;
  throw new Refusal(
    'name_taken',
    `Another tenant already has the name ${escapeHidden(JSON.stringify(name))}: choose another name.`,
  );
}

export async function acknowledgeRestore(service: Service, tenantId: string, reason: string) {
  requireText('A reason', reason, reason.trim() === '' ? 0 : reason.length, 1_024);
  return changeTenant(service, tenantId, ({ state: { tenant }, entryId }) => {
    const metadata = { restored: true, reason, previous_change: tenant.rev };
    return {
      row: { ...tenant, rev: entryId },
      draft: tenantDraft('tenant.update', metadata),
      answer: { tenant_id: tenantId, id: entryId, reason },
    };
  });
}

export async function listTenants(service: Service) {
  const rows = await service.database.run(listRows, 10_000);
  return rows.map((row) => found(service, row));
}

export async function requireTenant(service: Service, idOrName: string) {
  const tenantId = parseUuid(idOrName);
  const row = await service.database.run((sql) =>
    tenantId === undefined ? findTenantByName(sql, idOrName) : findTenant(sql, tenantId),
  );
  if (row) return found(service, row);
  throw new Refusal('not_found', 'Tenant not found: run `eaas tenant list` to see all tenants.');
}

/** The caller must check the MAC of the tenant's row. */
export async function requireTenantId(service: Service, idOrName: string): Promise<string> {
  return (await requireTenant(service, idOrName)).tenant.tenant_id;
}

export async function destroyTenant(owner: Pool, tenantId: string): Promise<void> {
  await owner.begin(async (tx) => {
    // While the head is locked, no replica can append to the audit log or change the tenant.
    await lockHead(tx, tenantId);
    await destroyRows(tx, tenantId);
  });
}

function found(service: Service, row: Loaded<TenantRow>) {
  const tenant = tenantRecord(row);
  try {
    openTenant(service.tenants.roots, row);
    return { tenant, authentic: true };
  } catch (error) {
    if (error instanceof Tampered) return { tenant, authentic: false };
    throw error;
  }
}

function tenantRecord(row: Omit<TenantRow, 'mac'>) {
  const { tenant_id, name, envelope_only, monthly_encrypt_quota, created_at } = row;
  return { tenant_id, name, envelope_only, monthly_encrypt_quota, created_at: formatTimestamp(created_at) };
}

function requireUsableName(name: string): void {
  requireText("A tenant's name", name, Array.from(name).length, 128);
  if (parseUuid(name) !== undefined) {
    throw new Refusal(
      'bad_request',
      "A tenant's name must not be a UUID, because commands accept an id or a name: choose another name.",
    );
  }
}

function requireText(what: string, text: string, length: number, most: number): void {
  if (length >= 1 && length <= most && !hasControlCharacter(text) && text.isWellFormed()) return;
  throw new Refusal('bad_request', `${what} must have 1 to ${most} characters and no control characters.`);
}

interface Decided<Answer extends object | string> extends Changed<Omit<TenantRow, 'mac'>> {
  readonly answer: Answer;
}

/** Runs a change that the operator makes. The change writes only the tenant's row. */
export function changeTenant<Answer extends object | string>(
  service: Service,
  tenantId: string,
  decide: (open: Change) => Decided<Answer>,
  load: (tx: Transaction) => Promise<void> = async () => {},
): Promise<Answer> {
  return change(service, insider(tenantId, 'operator'), {
    load,
    decide(open) {
      const { row, draft, answer } = decide(open);
      const { secrets } = open.state;
      return {
        draft,
        rowId: tenantId,
        answer,
        write: (tx) => [updateRow(tx, tenantTable, seal(secrets, tenantTable, row))],
      };
    },
  });
}
