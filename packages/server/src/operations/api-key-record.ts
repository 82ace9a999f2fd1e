import { formatTimestamp, type Output } from '@eaas/protocol/wire';
import type { ApiKeyRow } from '../store/api-keys.ts';
import { timeOrNull } from './key-record.ts';

/** An API key as the API shows it. */
export function apiKeyRecord(
  row: ApiKeyRow,
  lastUsedAt: number | null,
): Output<'GET /v1/api-keys/:api_key_id'> {
  return {
    api_key_id: row.api_key_id,
    name: row.name,
    hint: row.hint,
    permissions: [...row.permissions],
    key_ids: row.key_ids && [...row.key_ids],
    allowed_origins: row.allowed_origins && [...row.allowed_origins],
    expires_at: timeOrNull(row.expires_at),
    created_at: formatTimestamp(row.created_at),
    created_by: row.created_by,
    revoked_at: timeOrNull(row.revoked_at),
    last_used_at: timeOrNull(lastUsedAt),
  };
}
