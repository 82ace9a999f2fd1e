import { type Input, limits, type Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { tampered } from '../refusal.ts';
import type { Service } from '../service.ts';
import { decide } from '../state/decide.ts';
import { apiKeyHolds } from '../state/integrity.ts';
import { countApiKeys, lastUse, listApiKeys as listRows } from '../store/api-keys.ts';
import { apiKeyRecord } from './api-key-record.ts';
import { requireApiKey } from './change-api-key.ts';

/** GET /v1/api-keys, newest first. */
export function listApiKeys(
  service: Service,
  caller: Caller,
  { limit = limits.pageDefault, offset = 0 }: Input<'GET /v1/api-keys'>,
): Promise<Output<'GET /v1/api-keys'>> {
  return decide(service, caller, async ({ state }) => {
    const [rows, total] = await service.database.snapshot((tx) =>
      Promise.all([listRows(tx, caller.tenantId, { limit, offset }), countApiKeys(tx, caller.tenantId)]),
    );
    if (!rows.every((row) => apiKeyHolds(state.secrets, row))) throw tampered();
    const api_keys = rows.map((row) => apiKeyRecord(row, row.last_used_at));
    return { drafts: [], answer: { api_keys, count: api_keys.length, total, limit, offset } };
  });
}

/** GET /v1/api-keys/:api_key_id. */
export function getApiKey(
  service: Service,
  caller: Caller,
  { api_key_id }: { readonly api_key_id: string },
): Promise<Output<'GET /v1/api-keys/:api_key_id'>> {
  return decide(service, caller, async ({ state }) => {
    const [row, used] = await service.database.snapshot(async (tx) => {
      const found = await requireApiKey(tx, state, api_key_id);
      return [found, await lastUse(tx, caller.tenantId, found.api_key_id)] as const;
    });
    return { drafts: [], answer: apiKeyRecord(row, used) };
  });
}
