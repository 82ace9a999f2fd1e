// The operations of API keys. A token is shown once: the row has only its hash, by which it is found.
// A service puts them together with others; the operator makes the first API key of a tenant with them. Services inside a
// process take its token from the part itself, because they show it before anything is decided.
import { toUtf8 } from '@eaas/protocol';
import { using } from '@eaas/protocol/internal';
import { formatApiKey } from '@eaas/protocol/wire';
import { randomBytes, sha256 } from '#platform';
import type { View } from '../ledger/decision.ts';
import { add, allOf } from '../ledger/table.ts';
import { type ApiKeyRow, apiKeys, uses } from '../ledger/tables.ts';
import type { Operations } from '../operation.ts';
import * as rules from '../rules/api-key-rules.ts';
import { apiKeyRecord, keyNeedsOf, listing, recordsOf } from './records.ts';

const records = /* @__PURE__ */ recordsOf(
  apiKeys,
  'API key not found: pass the api_key_id that POST /v1/api-keys returned.',
  (row, view) => apiKeyRecord(row, view.find(uses, row.api_key_id)?.last_used_at ?? null),
  [uses],
);

/** Apart, because a service inside a process makes its own API key, and answers no calls about API keys. */
export const apiKeyCreation = {
  'POST /v1/api-keys'(_, { tenantId, actor }, input) {
    const api_key = using(randomBytes(32), formatApiKey);
    const named = { tenant_id: tenantId, api_key_id: crypto.randomUUID(), created_by: actor };
    const made = { ...named, token_hash: sha256(toUtf8(api_key)), hint: api_key.slice(-4) };
    return {
      api_key,
      api_key_id: named.api_key_id,
      needs: ({ now }) => [...keyNeedsOf(input), ...rules.live(now).map(allOf)],
      judge(view, giver) {
        const { row, draft } = rules.newApiKey(input, view, giver, made);
        const answer = { ...apiKeyRecord(row, null), api_key };
        return { entries: [draft], writes: [add(apiKeys, row)], answer };
      },
    };
  },
} satisfies Partial<Operations>;

export const apiKeyOperations = {
  'GET /v1/api-keys': (_, __, page) => listing(apiKeys, () => [], page, showApiKeys),
  'GET /v1/api-keys/:api_key_id': (_, __, { api_key_id }) => records.show(api_key_id),
  'PATCH /v1/api-keys/:api_key_id': (_, __, { api_key_id, ...fields }) =>
    records.change(api_key_id, (...of) => rules.patchedApiKey(fields, ...of), fields),
  'DELETE /v1/api-keys/:api_key_id': (_, __, { api_key_id }) =>
    records.change(api_key_id, rules.revokedApiKey),
} satisfies Partial<Operations>;

function showApiKeys<Page>(rows: readonly ApiKeyRow[], page: Page, view: View) {
  const ids = rows.map((row) => row.api_key_id);
  const found = view.all({ table: uses, where: [['api_key_id', 'in', ids]] }).rows;
  const lastUses = new Map(found.map((use) => [use.api_key_id, use.last_used_at]));
  return { api_keys: rows.map((row) => apiKeyRecord(row, lastUses.get(row.api_key_id) ?? null)), ...page };
}
