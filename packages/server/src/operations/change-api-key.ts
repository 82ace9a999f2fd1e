import { parseUuid } from '@eaas/protocol';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { Refusal, tampered } from '../refusal.ts';
import type { Service } from '../service.ts';
import { change, type Change } from '../state/change.ts';
import { apiKeyHolds, sealApiKey } from '../state/integrity.ts';
import {
  type ApiKeyRow,
  countOtherManagers,
  findApiKey,
  lastUse,
  updateApiKey as updateRow,
} from '../store/api-keys.ts';
import type { Sql } from '../store/sql.ts';
import type { TenantState } from '../state/tenant-state.ts';
import { apiKeyRecord } from './api-key-record.ts';
import { requireAllowedReach, storedReach } from './api-key-rules.ts';
import { tenantDraft } from './draft.ts';

/** PATCH /v1/api-keys/:api_key_id: what is absent stays as it is. */
export function updateApiKey(
  service: Service,
  caller: Caller,
  { api_key_id, ...input }: Input<'PATCH /v1/api-keys/:api_key_id'>,
): Promise<Output<'PATCH /v1/api-keys/:api_key_id'>> {
  return change(service, caller, async (open) => {
    const before = await requireApiKey(open.tx, open.state, api_key_id);
    if (before.revoked_at !== null) {
      throw new Refusal('conflict', 'The API key is revoked, and stays so: create another.');
    }
    const set = { ...storedReach(input), ...(input.name !== undefined && { name: input.name }) };
    await requireAllowedReach(open, { ...before, ...set }, set);
    const changed = Object.keys(set);
    if (changed.length === 0) return { draft: null, answer: await shown(open, before) };
    const row = await write(open, { ...before, ...set });
    const metadata = { api_key_id: row.api_key_id, changed, previous_change: before.rev };
    return { draft: tenantDraft('api_key.update', metadata), answer: await shown(open, row) };
  });
}

/** DELETE /v1/api-keys/:api_key_id: revoked for good. Again: the same answer, and no second entry. */
export function revokeApiKey(
  service: Service,
  caller: Caller,
  { api_key_id }: { readonly api_key_id: string },
): Promise<Output<'DELETE /v1/api-keys/:api_key_id'>> {
  return change(service, caller, async (open) => {
    const { tx, apiKey, time } = open;
    const before = await requireApiKey(tx, open.state, api_key_id);
    if (before.revoked_at !== null) return { draft: null, answer: await shown(open, before) };
    const manages = before.permissions.includes('api_keys.manage');
    // The operator may, at the command line: there another can be made.
    if (apiKey && manages && (await countOtherManagers(tx, caller.tenantId, before.api_key_id, time)) === 0) {
      throw new Refusal(
        'conflict',
        'This is the last API key of the tenant that can manage API keys: create another first.',
      );
    }
    const row = await write(open, { ...before, revoked_at: time });
    const metadata = { api_key_id: row.api_key_id, previous_change: before.rev };
    return { draft: tenantDraft('api_key.revoke', metadata), answer: await shown(open, row) };
  });
}

/** The API key, if it is the tenant's and what the service wrote. Throws 404. */
export async function requireApiKey(sql: Sql, state: TenantState, text: string): Promise<ApiKeyRow> {
  const apiKeyId = parseUuid(text);
  const row = apiKeyId && (await findApiKey(sql, state.tenant.tenant_id, apiKeyId));
  if (!row) {
    throw new Refusal('not_found', 'API key not found: give the api_key_id that POST /v1/api-keys returned.');
  }
  if (!apiKeyHolds(state.secrets, row)) throw tampered();
  return row;
}

async function write({ tx, state, entryId }: Change, changed: ApiKeyRow): Promise<ApiKeyRow> {
  const { mac: _, ...columns } = changed;
  const row = sealApiKey(state.secrets, { ...columns, rev: entryId });
  await updateRow(tx, row);
  return row;
}

async function shown({ tx }: Change, row: ApiKeyRow): Promise<Output<'GET /v1/api-keys/:api_key_id'>> {
  return apiKeyRecord(row, await lastUse(tx, row.tenant_id, row.api_key_id));
}
