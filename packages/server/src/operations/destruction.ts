import { formatTimestamp, type Input, limits, type Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { eraseKeyVersions, type KeyRow } from '../store/keys.ts';
import { changeKey } from './change-key.ts';
import { requireStatus } from './require-key.ts';
import { daysAfter } from './rotation.ts';

const erased: Partial<KeyRow> = { status: 'destroyed', sealed_hash_key: null, next_rotation_at: null };

/** DELETE /v1/keys/:key_id: after the days of grace, or at once for none, its material is erased for good. */
export function destroyKey(
  service: Service,
  caller: Caller,
  { key_id, grace_days = limits.graceDaysDefault }: Input<'DELETE /v1/keys/:key_id'>,
): Promise<Output<'DELETE /v1/keys/:key_id'>> {
  return changeKey(service, caller, key_id, 'key.destroy', async ({ tx, time }, row) => {
    requireStatus(row, 'disabled');
    const destroy_at = daysAfter(time, grace_days) ?? time;
    const metadata = { destroy_at: formatTimestamp(destroy_at) };
    if (grace_days > 0) return { columns: { status: 'pending_destruction', destroy_at }, metadata };
    await eraseKeyVersions(tx, row.tenant_id, row.key_id);
    return { columns: { ...erased, destroy_at }, metadata: { ...metadata, erased: true } };
  });
}

/** Erases a key whose grace is over; another replica may have done so before. */
export async function eraseDueKey(service: Service, caller: Caller, keyId: string): Promise<void> {
  await changeKey(service, caller, keyId, 'key.destroy', async ({ tx, time }, row) => {
    if (row.status !== 'pending_destruction' || row.destroy_at === null || row.destroy_at > time) return null;
    await eraseKeyVersions(tx, row.tenant_id, row.key_id);
    return { columns: erased, metadata: { destroy_at: formatTimestamp(row.destroy_at), erased: true } };
  });
}

/** POST /v1/keys/:key_id/restore: until its time has come, a destruction can be taken back. */
export function restoreKey(
  service: Service,
  caller: Caller,
  { key_id }: Input<'POST /v1/keys/:key_id/restore'>,
): Promise<Output<'POST /v1/keys/:key_id/restore'>> {
  return changeKey(service, caller, key_id, 'key.restore', async ({ time }, row) => {
    requireStatus(row, 'pending_destruction');
    if (row.destroy_at !== null && row.destroy_at <= time) {
      throw new Refusal('key_state', 'The time of destruction has passed: the key is being erased.');
    }
    return { columns: { status: 'disabled', destroy_at: null } };
  });
}
