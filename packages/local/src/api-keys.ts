import { parseUuid } from '@eaas/protocol';
import { randomBytes } from '@eaas/protocol/internal';
import {
  apiKeyNotFound,
  apiKeyRecord,
  type Changed,
  isPermanentManager,
  keyIdsIn,
  newApiKey,
  patchedApiKey,
  revokedApiKey,
} from '@eaas/protocol/service';
import { formatApiKey, type Input, type Output } from '@eaas/protocol/wire';
import { type ApiKey, type TenantCall, type Operations, pageOf, record, type Tenant } from './tenant.ts';

type ApiKeyRecord = Output<'GET /v1/api-keys/:api_key_id'>;

export const apiKeyOperations = {
  'POST /v1/api-keys': createApiKey,
  'GET /v1/api-keys': ({ tenant }, query) => {
    const { items, page } = pageOf(Array.from(tenant.apiKeys.values()), query);
    return { api_keys: items.map(recordOf), ...page };
  },
  'GET /v1/api-keys/:api_key_id': ({ tenant }, { api_key_id }) => recordOf(requireApiKey(tenant, api_key_id)),
  'PATCH /v1/api-keys/:api_key_id': (call, { api_key_id, ...input }) =>
    change(call, api_key_id, (before, otherManagers) =>
      patchedApiKey(before, input, call, { ...knownTo(call, input), otherManagers }),
    ),
  'DELETE /v1/api-keys/:api_key_id': (call, { api_key_id }) =>
    change(call, api_key_id, (before, otherManagers) =>
      revokedApiKey(before, call, { giver: call.apiKey, otherManagers }),
    ),
} satisfies Partial<Operations>;

export function createApiKey(
  call: TenantCall,
  input: Input<'POST /v1/api-keys'>,
): Output<'POST /v1/api-keys'> {
  const token = formatApiKey(randomBytes(32));
  const made = { apiKeyId: crypto.randomUUID(), hint: token.slice(-4), createdBy: call.actor };
  const { row, draft } = newApiKey(input, call, { ...knownTo(call, input), ...made });
  const apiKey = { ...row, token, last_used_at: null };
  call.tenant.apiKeys.set(row.api_key_id, apiKey);
  record(call, draft);
  return { ...recordOf(apiKey), api_key: token };
}

function change(
  call: TenantCall,
  apiKeyId: string,
  rule: (before: ApiKey, otherManagers: number) => Changed<ApiKey>,
): ApiKeyRecord {
  const { apiKeys } = call.tenant;
  const before = requireApiKey(call.tenant, apiKeyId);
  const others = Array.from(apiKeys.values()).filter((one) => one !== before && isPermanentManager(one));
  const { row, draft } = rule(before, others.length);
  apiKeys.set(row.api_key_id, row);
  record(call, draft);
  return recordOf(row);
}

/** What a change of rights is judged by: who gives, and which keys the tenant has. */
export function knownTo({ tenant, apiKey: giver }: TenantCall, input: Parameters<typeof keyIdsIn>[0]) {
  return { giver, keyIds: new Set(keyIdsIn(input).filter((id) => tenant.keys.has(id))) };
}

function recordOf(apiKey: ApiKey): ApiKeyRecord {
  return apiKeyRecord(apiKey, apiKey.last_used_at);
}

function requireApiKey({ apiKeys }: Tenant, text: string): ApiKey {
  const apiKey = apiKeys.get(parseUuid(text) ?? '');
  if (!apiKey) throw apiKeyNotFound();
  return apiKey;
}
