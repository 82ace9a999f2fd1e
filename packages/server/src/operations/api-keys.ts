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
import type { Caller } from '../state/caller.ts';
import { newToken } from '../state/tokens.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import type { Service } from '../app/service.ts';
import { change, type Change } from '../state/change.ts';
import { available } from '../state/decide.ts';
import { checked, seal } from '../state/integrity.ts';
import {
  type ApiKeyRow,
  apiKeyTable,
  countApiKeys,
  countOtherManagers,
  findApiKey,
  lastUses,
  listApiKeys,
} from '../store/api-keys.ts';
import { findKeys } from '../store/keys.ts';
import { insertRow, type Loaded, updateRow } from '../store/rows.ts';
import { type Sql, together, type Transaction } from '../store/sql.ts';
import { eachRow, listing, type Operations, reading } from './operation.ts';

type ApiKeyRecord = Output<'GET /v1/api-keys/:api_key_id'>;
type Columns = Omit<ApiKeyRow, 'mac'>;

export const apiKeyOperations = {
  'POST /v1/api-keys': createApiKey,
  'GET /v1/api-keys': listing(async (tx, { state }, { limit = limits.pageDefault, offset = 0 }) => {
    const { tenant_id: tenantId } = state.tenant;
    const [loaded, total] = await Promise.all([
      listApiKeys(tx, tenantId, { limit, offset }),
      countApiKeys(tx, tenantId),
    ]);
    const uses = await lastUses(tx, tenantId, loaded);
    return eachRow(
      loaded,
      (row) => apiKeyRecord(checked(state.secrets, apiKeyTable, row), uses.get(row.api_key_id) ?? null),
      (api_keys) => ({ api_keys, count: api_keys.length, total, limit, offset }),
    );
  }),
  'GET /v1/api-keys/:api_key_id': reading(async (tx, { state }, { api_key_id }) => {
    const { found, lastUse } = await loadApiKey(tx, state.tenant.tenant_id, api_key_id);
    return apiKeyRecord(requireApiKey(state.secrets, found), lastUse);
  }),
  'PATCH /v1/api-keys/:api_key_id': changingApiKey((before, open, { keyIds, otherManagers }, input) =>
    patchedApiKey(before, input, open, { giver: open.apiKey, keyIds, otherManagers }),
  ),
  'DELETE /v1/api-keys/:api_key_id': changingApiKey((before, open, { otherManagers }) =>
    revokedApiKey(before, open, { giver: open.apiKey, otherManagers }),
  ),
} satisfies Partial<Operations>;

export function createApiKey(service: Service, caller: Caller, input: Input<'POST /v1/api-keys'>) {
  const { tenantId, actor } = caller;
  const { token, tokenHash, hint } = newToken();
  return available(() =>
    change(service, caller, {
      load: (tx) => knownKeyIds(tx, tenantId, input),
      decide(open, keyIds) {
        const { state, apiKey: giver, entryId } = open;
        const made = { giver, keyIds, apiKeyId: randomUUID(), hint, createdBy: actor };
        const { row, draft } = newApiKey(input, open, made);
        const stored = { ...row, tenant_id: tenantId, token_hash: tokenHash, created_id: entryId };
        const sealed = seal(state.secrets, apiKeyTable, stored);
        const answer = { ...apiKeyRecord(row, null), api_key: token };
        const write = (tx: Transaction) => [insertRow(tx, apiKeyTable, sealed)];
        return { draft, rowId: row.api_key_id, answer, write };
      },
    }),
  );
}

/** Makes the operation that changes an API key by a rule. */
function changingApiKey<Request extends { readonly api_key_id: string }>(
  rule: (before: Columns, open: Change, known: Known, input: Request) => Changed<Columns>,
) {
  return (service: Service, caller: Caller, input: Request): Promise<ApiKeyRecord> =>
    change(service, caller, {
      load: (tx) => loadKnown(tx, caller.tenantId, input),
      decide(open, known) {
        const { secrets } = open.state;
        const { row, draft } = rule(requireApiKey(secrets, known.found), open, known, input);
        const answer = apiKeyRecord(row, known.lastUse);
        return {
          draft,
          rowId: row.api_key_id,
          answer,
          write: (tx) => [updateRow(tx, apiKeyTable, seal(secrets, apiKeyTable, row))],
        };
      },
    });
}

interface Named {
  readonly api_key_id: string;
  readonly key_ids?: string[] | null | undefined;
}

type Known = Awaited<ReturnType<typeof loadKnown>>;

async function loadKnown(tx: Transaction, tenantId: string, input: Named) {
  const id = parseUuid(input.api_key_id);
  const [found, otherManagers, keyIds] = await together([
    loadApiKey(tx, tenantId, input.api_key_id),
    id ? countOtherManagers(tx, tenantId, id) : 0,
    knownKeyIds(tx, tenantId, input),
  ]);
  return { ...found, otherManagers, keyIds };
}

async function loadApiKey(sql: Sql, tenantId: string, id: string) {
  const apiKeyId = parseUuid(id);
  if (!apiKeyId) return { found: undefined, lastUse: null };
  const [found, uses] = await together([
    findApiKey(sql, tenantId, apiKeyId),
    lastUses(sql, tenantId, [{ api_key_id: apiKeyId }]),
  ]);
  return { found, lastUse: uses.get(apiKeyId) ?? null };
}

function requireApiKey(secrets: TenantSecrets, found: Loaded<ApiKeyRow> | undefined): ApiKeyRow {
  if (!found) throw apiKeyNotFound();
  return checked(secrets, apiKeyTable, found);
}

/** Returns which of the keys that an input names the tenant has. */
export async function knownKeyIds(tx: Transaction, tenantId: string, input: Pick<Named, 'key_ids'>) {
  const named = keyIdsIn(input);
  const rows = named.length === 0 ? [] : await findKeys(tx, tenantId, named);
  return new Set(rows.map((row) => row.key_id));
}
