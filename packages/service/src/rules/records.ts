// Rows as the API shows them.
// Operations answer with these records.
import { type Output, formatTimestamp } from '@eaas/protocol/wire';
import type { ApiKeyRow, KeyRow } from '../ledger/tables.ts';
import type { Field } from '../plugin.ts';

/** Returns a key as the API shows it, with those columns of plugins that it shows. */
export function keyRecord(key: KeyRow, fields: readonly Field[]): Output<'POST /v1/keys'> {
  const shown = fields.filter(({ isShown }) => isShown);
  const columns = shown.map(({ column, initial }) => [column, Reflect.get(key, column) ?? initial]);
  const record = {
    key_id: key.key_id,
    name: key.name,
    key_version: key.key_version,
    status: key.status,
    exportable: key.exportable,
    created_at: formatTimestamp(key.created_at),
    rotated_at: timeOrNull(key.rotated_at),
    rotation_policy: key.interval_days === null ? null : { interval_days: key.interval_days },
    next_rotation_at: timeOrNull(key.next_rotation_at),
    destroy_at: timeOrNull(key.destroy_at),
  };
  return { ...record, ...Object.fromEntries(columns) } as Output<'POST /v1/keys'>;
}

/** Returns an API key as the API shows it. */
export function apiKeyRecord(
  apiKey: ApiKeyRow,
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
