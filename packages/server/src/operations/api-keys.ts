import { randomUUID } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import {
  apiKeyNotFound,
  apiKeyRecord,
  type Changed,
  keyIdsIn,
  newApiKey,
  patchedApiKey,
  revokedApiKey,
} from '@eaas/protocol/service';
import { type Input, limits, type Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { newApiKey as newToken } from '../crypto/api-key-token.ts';
import type { Service } from '../service.ts';
import { announced } from '../state/announced.ts';
import { change, type Change } from '../state/change.ts';
import { available } from '../state/decide.ts';
import { checked, seal } from '../state/integrity.ts';
import type { TenantState } from '../state/tenant-state.ts';
import {
  type ApiKeyRow,
  apiKeyTable,
  countApiKeys,
  countOtherManagers,
  findApiKey,
  lastUses,
  listApiKeys,
} from '../store/api-keys.ts';
import { enterToken, removeToken } from '../store/directories.ts';
import { findKeys } from '../store/keys.ts';
import { insertRow, updateRow } from '../store/rows.ts';
import type { Sql } from '../store/sql.ts';
import { type Operations, reading } from './operation.ts';

type ApiKeyRecord = Output<'GET /v1/api-keys/:api_key_id'>;
type Columns = Omit<ApiKeyRow, 'mac'>;

export const apiKeyOperations = {
  'POST /v1/api-keys': createApiKey,
  'GET /v1/api-keys': reading(async (tx, { state }, { limit = limits.pageDefault, offset = 0 }) => {
    const { tenant_id: tenantId } = state.tenant;
    const [loaded, total] = await Promise.all([
      listApiKeys(tx, tenantId, { limit, offset }),
      countApiKeys(tx, tenantId),
    ]);
    const uses = await lastUses(tx, tenantId, loaded);
    const api_keys = loaded.map((row) =>
      apiKeyRecord(checked(state.secrets, apiKeyTable, row), uses.get(row.api_key_id) ?? null),
    );
    return { api_keys, count: api_keys.length, total, limit, offset };
  }),
  'GET /v1/api-keys/:api_key_id': reading(async (tx, { state }, { api_key_id }) => {
    return recordOf(tx, await requireApiKey(tx, state, api_key_id));
  }),
  'PATCH /v1/api-keys/:api_key_id': changing(async (before, open, otherManagers, input) => {
    const known = { giver: open.apiKey, keyIds: await knownKeyIds(open, input), otherManagers };
    return patchedApiKey(before, input, open, known);
  }),
  'DELETE /v1/api-keys/:api_key_id': changing(async (before, open, otherManagers) =>
    revokedApiKey(before, open, { giver: open.apiKey, otherManagers }),
  ),
} satisfies Partial<Operations>;

export function createApiKey(service: Service, caller: Caller, input: Input<'POST /v1/api-keys'>) {
  const { tenantId, actor } = caller;
  const { token, tokenHash, hint } = newToken();
  const directory = {
    enter: (sql: Sql) => enterToken(sql, tenantId, tokenHash),
    withdraw: (sql: Sql) => removeToken(sql, tokenHash),
  };
  const write = () =>
    change(service, caller, async (open) => {
      const { tx, state, apiKey: giver, entryId } = open;
      const keyIds = await knownKeyIds(open, input);
      const made = { giver, keyIds, apiKeyId: randomUUID(), hint, createdBy: actor };
      const { row, draft } = newApiKey(input, open, made);
      const stored = { ...row, tenant_id: tenantId, token_hash: tokenHash, created_id: entryId };
      await insertRow(tx, apiKeyTable, seal(state.secrets, apiKeyTable, stored));
      return { draft, answer: { ...apiKeyRecord(row, null), api_key: token } };
    });
  return available(() => announced(service.database, directory, write));
}

function changing<Request extends { readonly api_key_id: string }>(
  rule: (before: Columns, open: Change, otherManagers: number, input: Request) => Promise<Changed<Columns>>,
) {
  return (service: Service, caller: Caller, input: Request): Promise<ApiKeyRecord> =>
    change(service, caller, async (open) => {
      const { tx, state } = open;
      const before = await requireApiKey(tx, state, input.api_key_id);
      const otherManagers = await countOtherManagers(tx, caller.tenantId, before.api_key_id);
      const { row, draft } = await rule(before, open, otherManagers, input);
      if (draft) await updateRow(tx, apiKeyTable, seal(state.secrets, apiKeyTable, row));
      return { draft, answer: await recordOf(tx, row) };
    });
}

async function requireApiKey(sql: Sql, { secrets, tenant }: TenantState, id: string): Promise<ApiKeyRow> {
  const apiKeyId = parseUuid(id);
  const loaded = apiKeyId && (await findApiKey(sql, tenant.tenant_id, apiKeyId));
  if (!loaded) throw apiKeyNotFound();
  return checked(secrets, apiKeyTable, loaded);
}

async function recordOf(sql: Sql, row: Columns): Promise<ApiKeyRecord> {
  const uses = await lastUses(sql, row.tenant_id, [row]);
  return apiKeyRecord(row, uses.get(row.api_key_id) ?? null);
}

async function knownKeyIds({ tx, state }: Change, input: { readonly key_ids?: string[] | null | undefined }) {
  const named = keyIdsIn(input);
  const rows = named.length === 0 ? [] : await findKeys(tx, state.tenant.tenant_id, named);
  return new Set(rows.map((row) => row.key_id));
}
