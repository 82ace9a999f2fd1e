import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { newKeyVersion } from '../crypto/key-material.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import type { Change } from '../state/change.ts';
import { insertKeyVersion, type KeyRow } from '../store/keys.ts';
import { changeKey, type KeyChange } from './change-key.ts';
import { requireStatus } from './require-key.ts';

const day = 24 * 60 * 60 * 1000;

/** The time so many days later; null for no days. */
export function daysAfter(time: number, days: number | null): number | null {
  return days === null ? null : time + days * day;
}

/** POST /v1/keys/:key_id/rotate. With a key_version only from that one, so that a retry rotates once. */
export function rotateKey(
  service: Service,
  caller: Caller,
  input: Input<'POST /v1/keys/:key_id/rotate'>,
): Promise<Output<'POST /v1/keys/:key_id/rotate'>> {
  return changeKey(service, caller, input.key_id, 'key.rotate', async (open, row) => {
    requireStatus(row, 'active');
    if (input.key_version !== undefined && input.key_version !== row.key_version) {
      throw new Refusal(
        'key_state',
        `The key is at version ${row.key_version}, not ${input.key_version}: it has been rotated, or never had that version.`,
      );
    }
    return rotate(open, row);
  });
}

/** Rotates a key whose time has come; another replica may have done so before. */
export async function rotateDueKey(service: Service, caller: Caller, keyId: string): Promise<void> {
  await changeKey(service, caller, keyId, 'key.rotate', async (open, row) => {
    const isDue = row.next_rotation_at !== null && row.next_rotation_at <= open.time;
    return row.status === 'active' && isDue ? rotate(open, row) : null;
  });
}

async function rotate({ tx, state, time }: Change, row: KeyRow): Promise<KeyChange> {
  const key_version = row.key_version + 1;
  const sealed = newKeyVersion(state.secrets.sealing, row.tenant_id, row.key_id, key_version);
  await insertKeyVersion(tx, row.tenant_id, { key_id: row.key_id, key_version, created_at: time, sealed });
  return {
    columns: { key_version, rotated_at: time, next_rotation_at: daysAfter(time, row.interval_days) },
    metadata: { key_version, from_version: row.key_version },
  };
}

/** PUT /v1/keys/:key_id/rotation-policy. The first interval begins now. */
export function setRotationPolicy(
  service: Service,
  caller: Caller,
  input: Input<'PUT /v1/keys/:key_id/rotation-policy'>,
): Promise<Output<'PUT /v1/keys/:key_id/rotation-policy'>> {
  const { key_id, interval_days } = input;
  return changeKey(service, caller, key_id, 'key.rotation_policy', async ({ time }, row) => {
    requireStatus(row, 'active', 'disabled');
    return {
      columns: { interval_days, next_rotation_at: daysAfter(time, interval_days) },
      metadata: { interval_days, from_interval_days: row.interval_days },
    };
  });
}
