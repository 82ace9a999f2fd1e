import { formatTimestamp, type Output } from '@eaas/protocol/wire';
import type { KeyRow } from '../store/keys.ts';

/** A key as the API shows it. */
export function keyRecord(row: KeyRow): Output<'POST /v1/keys'> {
  return {
    key_id: row.key_id,
    name: row.name,
    key_version: row.key_version,
    status: row.status,
    exportable: row.exportable,
    created_at: formatTimestamp(row.created_at),
    rotated_at: timeOrNull(row.rotated_at),
    rotation_policy: row.interval_days === null ? null : { interval_days: row.interval_days },
    next_rotation_at: timeOrNull(row.next_rotation_at),
    destroy_at: timeOrNull(row.destroy_at),
  };
}

export function timeOrNull(time: number | null): string | null {
  return time === null ? null : formatTimestamp(time);
}
