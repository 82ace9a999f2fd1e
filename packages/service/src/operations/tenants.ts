// What the operator does with a tenant: creates it, changes its settings, says why a backup was restored, and seals its secret
// under another root key. The commands of a server and the local service call it; no endpoint does.
import { randomBytes, sameBytes } from '#platform';
import { parseUuid } from '@eaas/protocol';
import { genesisHash } from '@eaas/protocol/audit';
import { toHex, using } from '@eaas/protocol/internal';
import { hasControlCharacter } from '@eaas/protocol/internal-service';
import { formatTimestamp } from '@eaas/protocol/wire';
import * as secrets from '../crypto/tenant-secrets.ts';
import { monthOf } from '../ledger/judge.ts';
import { masked, rowInSum, macHead, withMac } from '../ledger/row-macs.ts';
import type { SealedWrite } from '../ledger/store.ts';
import { put } from '../ledger/table.ts';
import { type HeadRow, type TenantRow, tenants } from '../ledger/tables.ts';
import type { Part } from '../operation.ts';
import { changesOf, defined, tenantDraft } from '../rules/draft.ts';
import { Refusal } from '../rules/refusal.ts';

type TenantRecord = ReturnType<typeof tenantRecord>;

/** The settings of a tenant. Absent ones stay as they are. Times are milliseconds since 1970. */
export type TenantSettings = { readonly [Name in Setting]?: TenantRow[Name] | undefined };

type Setting = 'name' | 'envelope_only' | 'monthly_encrypt_quota' | 'created_at';

/** From this day on, new tenants encrypt in their clients unless the operator says otherwise. */
const envelopeOnlySince = Date.parse('2026-08-11T00:00:00Z');

/**
 * Makes the row of a new tenant and the head of its log, for `Store.create`. `now` is the store's time. A tenant from elsewhere
 * keeps its id, and its secret if the ids of its subjects depend on it; the caller wipes the secret. Throws Refusal.
 */
export function newTenant(
  roots: secrets.Roots,
  fields: TenantSettings & { readonly name: string },
  now: number,
  taken?: { readonly tenantId: string; readonly secret?: Uint8Array | undefined },
): { readonly head: HeadRow; readonly writes: readonly SealedWrite[]; readonly record: TenantRecord } {
  const { name, created_at = now, monthly_encrypt_quota = null } = fields;
  requireUsableName(name);
  if (created_at > now) {
    throw new Refusal(
      'bad_request',
      `A tenant cannot have been created in the future: \`created_at\` is ${formatTimestamp(created_at)}, and it is ` +
        `${formatTimestamp(now)}.`,
    );
  }
  const tenant_id = taken?.tenantId ?? crypto.randomUUID();
  const sealed = using(taken?.secret ? new Uint8Array(taken.secret) : randomBytes(32), (secret) =>
    secrets.sealTenantSecret(roots[0], tenant_id, secret),
  );
  const row: TenantRow = {
    ...sealed,
    name,
    envelope_only: fields.envelope_only ?? created_at >= envelopeOnlySince,
    monthly_encrypt_quota,
    created_at,
    rev: 0,
  };
  const opened = secrets.openTenantSecrets(roots, sealed);
  const genesis = { id: 0, hash: genesisHash(tenant_id), nonce: randomBytes(16) };
  const head = macHead(opened, {
    ...genesis,
    tenant_id,
    sum: masked(opened, genesis, rowInSum(opened, tenants, row)),
    created_at: now,
    month: monthOf(now),
    encrypts: 0,
  });
  const record = { row_id: tenant_id, rev: 0 };
  const write = { ...put(tenants, row), row: withMac(opened, tenants, row), record };
  return { head, writes: [write], record: tenantRecord(row) };
}

/** Changes the settings of a tenant. That no other tenant has its name is for the caller to see to. */
export function changeTenant(fields: TenantSettings): Part<TenantRecord> {
  if (fields.name !== undefined) requireUsableName(fields.name);
  return onTenant((tenant) => {
    const changes = changesOf(tenant, fields);
    return changes && [{ changes }, defined(fields)];
  });
}

/** Says in the log that the tenant's data come from a backup, and why. */
export function acknowledgeRestore(reason: string): Part<TenantRecord> {
  requireText('A reason', reason, reason.trim() === '' ? 0 : reason.length, 1_024);
  return onTenant(() => [{ restored: true, reason }]);
}

/** Seals the tenant's secret under the current root key. Where it is already, nothing is written. Throws Tampered. */
export function resealTenant(roots: secrets.Roots): Part<TenantRecord> {
  const { rootId } = roots[0];
  return onTenant((tenant) => {
    if (sameBytes(tenant.root_id, rootId)) return undefined;
    const changes = { root_id: { old: toHex(tenant.root_id), new: toHex(rootId) } };
    return [{ changes }, secrets.resealTenantSecret(roots, tenant)];
  });
}

/** What an entry says of a change, and the columns that it sets. */
type Change = readonly [told: object, set?: Partial<TenantRow>];

const onTenant = (change: (tenant: TenantRow) => Change | undefined): Part<TenantRecord> => ({
  changes: true,
  judge({ tenant, entryId: rev }) {
    const decided = change(tenant);
    if (!decided) return { entries: [], answer: tenantRecord(tenant) };

    const [told, set] = decided;
    const row = { ...tenant, ...set, rev };
    const draft = tenantDraft('tenant.update', { ...told, previous_change: tenant.rev });
    return { entries: [draft], writes: [put(tenants, row)], answer: tenantRecord(row) };
  },
});

/** Returns a tenant as commands show it. */
export function tenantRecord(row: TenantRow) {
  const { tenant_id, name, envelope_only, monthly_encrypt_quota, created_at } = row;
  return { tenant_id, name, envelope_only, monthly_encrypt_quota, created_at: formatTimestamp(created_at) };
}

/** Throws Refusal for a name that no tenant can have. */
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
