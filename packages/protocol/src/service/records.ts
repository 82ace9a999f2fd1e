import type { Output } from '../wire/endpoints.ts';
import { formatTimestamp } from '../wire/timestamp.ts';
import type { ApiKeyFields } from './api-key-rules.ts';
import type { KeyFields } from './key-rules.ts';

/** Returns a key as the API shows it. */
export function keyRecord(key: KeyFields): Output<'POST /v1/keys'> {
  return {
    key_id: key.key_id,
    name: key.name,
    key_version: key.key_version,
    status: key.status,
    exportable: key.exportable,
    intake: key.intake,
    created_at: formatTimestamp(key.created_at),
    rotated_at: timeOrNull(key.rotated_at),
    rotation_policy: key.interval_days === null ? null : { interval_days: key.interval_days },
    next_rotation_at: timeOrNull(key.next_rotation_at),
    destroy_at: timeOrNull(key.destroy_at),
  };
}

/** Returns an API key as the API shows it. */
export function apiKeyRecord(
  apiKey: ApiKeyFields,
  lastUsedAt: number | null,
): Output<'GET /v1/api-keys/:api_key_id'> {
  return {
    api_key_id: apiKey.api_key_id,
    name: apiKey.name,
    hint: apiKey.hint,
    permissions: [...apiKey.permissions],
    key_ids: apiKey.key_ids && [...apiKey.key_ids],
    allowed_origins: apiKey.allowed_origins && [...apiKey.allowed_origins],
    expires_at: timeOrNull(apiKey.expires_at),
    created_at: formatTimestamp(apiKey.created_at),
    created_by: apiKey.created_by,
    revoked_at: timeOrNull(apiKey.revoked_at),
    last_used_at: timeOrNull(lastUsedAt),
  };
}

/** Writes a time as the API does, or null. */
export const timeOrNull = (time: number | null): string | null =>
  time === null ? null : formatTimestamp(time);
