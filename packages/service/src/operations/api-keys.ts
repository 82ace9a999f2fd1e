// The operations of API keys. A token is shown once: the row has only its hash, by which it is found.
// The table of operations has them; the operator makes the first API key of a tenant with them.
import { parseUuid, toUtf8 } from '@eaas/protocol';
import { using } from '@eaas/protocol/internal-service';
import { formatApiKey, type Input, type Output } from '@eaas/protocol/wire';
import { randomBytes, sha256 } from '#platform';
import type { View } from '../ledger/decision.ts';
import { add, type Need, put, refTo } from '../ledger/table.ts';
import { type ApiKeyRow, apiKeys, keys, uses } from '../ledger/tables.ts';
import type { Caller, Operations, Part } from '../operation.ts';
import * as rules from '../rules/api-key-rules.ts';
import type { Holder } from '../rules/authorize.ts';
import type { Changed } from '../rules/changes.ts';
import { apiKeyRecord } from '../rules/records.ts';
import { apiKeyNotFound } from '../rules/refusal.ts';
import type { Service } from '../service.ts';
import { listing } from './reading.ts';

type ApiKeyRecord = Output<'GET /v1/api-keys/:api_key_id'>;
type Fields = Parameters<typeof rules.keyIdsIn>[0];

export const apiKeyOperations = {
  'POST /v1/api-keys': createApiKey,
  'GET /v1/api-keys': (_, __, page) => listing(apiKeys, () => [], page, showApiKeys),
  'GET /v1/api-keys/:api_key_id': (_, __, { api_key_id }) => ({
    by: 'snapshot',
    needs: () => apiKeyNeeds(api_key_id),
    judge: (view) => ({ entries: [], answer: recordOf(view, requireApiKey(view, api_key_id)) }),
  }),
  'PATCH /v1/api-keys/:api_key_id': (_, __, input) =>
    changeApiKey(input, (before, view, giver) => rules.patchedApiKey(before, input, view, giver)),
  'DELETE /v1/api-keys/:api_key_id': (_, __, input) => changeApiKey(input, rules.revokedApiKey),
} satisfies Partial<Operations>;

function createApiKey(
  _: Service,
  { tenantId, actor }: Caller,
  input: Input<'POST /v1/api-keys'>,
): Part<Output<'POST /v1/api-keys'>> {
  const api_key = using(randomBytes(32), formatApiKey);
  const named = { tenant_id: tenantId, api_key_id: crypto.randomUUID(), created_by: actor };
  const made = { ...named, token_hash: sha256(toUtf8(api_key)), hint: api_key.slice(-4) };
  return {
    by: 'append',
    needs: () => keyNeedsOf(input),
    judge(view, giver) {
      const { row, draft } = rules.newApiKey(input, view, giver, made);
      const answer = { ...apiKeyRecord(row, null), api_key };
      return { entries: [draft], writes: [add(apiKeys, row)], answer };
    },
  };
}

/** Changes an API key by a rule. */
function changeApiKey(
  input: Fields & { readonly api_key_id: string },
  rule: (before: ApiKeyRow, view: View, giver: Holder | null) => Changed<ApiKeyRow>,
): Part<ApiKeyRecord> {
  return {
    by: 'append',
    needs: () => [...apiKeyNeeds(input.api_key_id), ...keyNeedsOf(input)],
    judge(view, giver) {
      const before = requireApiKey(view, input.api_key_id);
      const { row, draft } = rule(before, view, giver);
      const writes = draft ? [put(apiKeys, row)] : [];
      return { entries: draft ? [draft] : [], writes, answer: recordOf(view, row) };
    },
  };
}

function apiKeyNeeds(text: string): Need[] {
  const id = parseUuid(text);
  return id === undefined ? [] : [refTo(apiKeys, id), refTo(uses, id)];
}

function requireApiKey(view: View, text: string): ApiKeyRow {
  const id = parseUuid(text);
  const row = id === undefined ? null : view.find(apiKeys, id);
  if (!row) throw apiKeyNotFound();
  return row;
}

const recordOf = (view: View, row: ApiKeyRow): ApiKeyRecord =>
  apiKeyRecord(row, view.find(uses, row.api_key_id)?.last_used_at ?? null);

function showApiKeys<Page>(rows: readonly ApiKeyRow[], page: Page, view: View) {
  const ids = rows.map((row) => row.api_key_id);
  const found = view.all({ table: uses, where: [['api_key_id', 'in', ids]] }).rows;
  const lastUses = new Map(found.map((use) => [use.api_key_id, use.last_used_at]));
  return { api_keys: rows.map((row) => apiKeyRecord(row, lastUses.get(row.api_key_id) ?? null)), ...page };
}

/** The rows of the keys that an input restricts rights to. */
export const keyNeedsOf = (input: Fields): Need[] => rules.keyIdsIn(input).map((id) => refTo(keys, id));
