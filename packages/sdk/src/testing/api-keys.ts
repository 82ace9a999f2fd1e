import { parseUuid } from '@eaas/protocol';
import { formatApiKey, formatTimestamp, type Input, limits, type Output } from '@eaas/protocol/wire';
import { keptReach, requireAllowedReach } from './api-key-rules.ts';
import { type Call, nextId, record, tenantDraft } from './call.ts';
import { timeOrNull } from './keys.ts';
import { Refusal } from './refusal.ts';
import { type ApiKey, randomBytes, type Tenant } from './tenant.ts';

type ApiKeyRecord = Output<'GET /v1/api-keys/:api_key_id'>;

function apiKeyRecord(apiKey: ApiKey): ApiKeyRecord {
  return {
    api_key_id: apiKey.api_key_id,
    name: apiKey.name,
    hint: apiKey.token.slice(-4),
    permissions: [...apiKey.permissions],
    key_ids: apiKey.key_ids && [...apiKey.key_ids],
    allowed_origins: apiKey.allowed_origins && [...apiKey.allowed_origins],
    expires_at: timeOrNull(apiKey.expires_at),
    created_at: formatTimestamp(apiKey.created_at),
    created_by: apiKey.created_by,
    revoked_at: timeOrNull(apiKey.revoked_at),
    last_used_at: timeOrNull(apiKey.last_used_at),
  };
}

/** POST /v1/api-keys. */
export function createApiKey(call: Call, input: Input<'POST /v1/api-keys'>): Output<'POST /v1/api-keys'> {
  const { tenant, actor, time } = call;
  // What is absent is null, and null is the widest: the giver must have that too.
  const set = keptReach({ expires_at: null, key_ids: null, allowed_origins: null, ...input });
  const { permissions = [], key_ids = null, allowed_origins = null, expires_at = null } = set;
  const reach = { permissions, key_ids, allowed_origins, expires_at };
  requireAllowedReach(call, reach, set);
  const apiKey: ApiKey = {
    api_key_id: crypto.randomUUID(),
    name: input.name,
    token: formatApiKey(randomBytes(32)),
    ...reach,
    created_at: time,
    created_by: actor,
    revoked_at: null,
    last_used_at: null,
    rev: nextId(tenant),
  };
  tenant.apiKeys.set(apiKey.api_key_id, apiKey);
  const { api_key_id, name, token } = apiKey;
  const metadata = { api_key_id, name, ...reach, expires_at: timeOrNull(expires_at) };
  record(call, tenantDraft('api_key.create', metadata));
  return { ...apiKeyRecord(apiKey), api_key: token };
}

/** GET /v1/api-keys, newest first. */
export function listApiKeys(
  { tenant }: Call,
  { limit = limits.pageDefault, offset = 0 }: Input<'GET /v1/api-keys'>,
): Output<'GET /v1/api-keys'> {
  const all = [...tenant.apiKeys.values()].toReversed();
  const api_keys = all.slice(offset, offset + limit).map(apiKeyRecord);
  return { api_keys, count: api_keys.length, total: all.length, limit, offset };
}

/** GET /v1/api-keys/:api_key_id. */
export function getApiKey(
  { tenant }: Call,
  { api_key_id }: Input<'GET /v1/api-keys/:api_key_id'>,
): ApiKeyRecord {
  return apiKeyRecord(requireApiKey(tenant, api_key_id));
}

/** PATCH /v1/api-keys/:api_key_id: what is absent stays as it is. */
export function updateApiKey(
  call: Call,
  { api_key_id, ...input }: Input<'PATCH /v1/api-keys/:api_key_id'>,
): ApiKeyRecord {
  const before = requireApiKey(call.tenant, api_key_id);
  if (before.revoked_at !== null) throw new Refusal('conflict', 'The API key is revoked, and stays so.');
  const set = { ...keptReach(input), ...(input.name !== undefined && { name: input.name }) };
  requireAllowedReach(call, { ...before, ...set }, set);
  const changed = Object.keys(set);
  if (changed.length === 0) return apiKeyRecord(before);
  const draft = { api_key_id: before.api_key_id, changed, previous_change: before.rev };
  const after = replace(call.tenant, { ...before, ...set });
  record(call, tenantDraft('api_key.update', draft));
  return apiKeyRecord(after);
}

/** DELETE /v1/api-keys/:api_key_id: revoked for good. Again: the same answer, and no second entry. */
export function revokeApiKey(
  call: Call,
  { api_key_id }: Input<'DELETE /v1/api-keys/:api_key_id'>,
): ApiKeyRecord {
  const { tenant, time } = call;
  const before = requireApiKey(tenant, api_key_id);
  if (before.revoked_at !== null) return apiKeyRecord(before);
  const managers = [...tenant.apiKeys.values()].filter((apiKey) => manages(apiKey, time));
  const others = managers.filter((apiKey) => apiKey.api_key_id !== before.api_key_id);
  if (before.permissions.includes('api_keys.manage') && others.length === 0) {
    throw new Refusal('conflict', 'This is the last API key that can manage API keys: create another first.');
  }
  const after = replace(tenant, { ...before, revoked_at: time });
  const metadata = { api_key_id: before.api_key_id, previous_change: before.rev };
  record(call, tenantDraft('api_key.revoke', metadata));
  return apiKeyRecord(after);
}

/** Whether an API key can be used at a time. */
export function isValid({ revoked_at, expires_at }: ApiKey, time: number): boolean {
  return revoked_at === null && (expires_at === null || expires_at > time);
}

function manages(apiKey: ApiKey, time: number): boolean {
  return apiKey.permissions.includes('api_keys.manage') && isValid(apiKey, time);
}

function requireApiKey({ apiKeys }: Tenant, text: string): ApiKey {
  const apiKey = apiKeys.get(parseUuid(text) ?? '');
  if (apiKey) return apiKey;
  throw new Refusal('not_found', 'API key not found: give the api_key_id that POST /v1/api-keys returned.');
}

function replace(tenant: Tenant, changed: ApiKey): ApiKey {
  const apiKey = { ...changed, rev: nextId(tenant) };
  tenant.apiKeys.set(apiKey.api_key_id, apiKey);
  return apiKey;
}
