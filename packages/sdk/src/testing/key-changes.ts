import { type AuditAction, formatTimestamp, type Input, limits, type Output } from '@eaas/protocol/wire';
import { type Call, callBy, keyDraft, nextId, record } from './call.ts';
import { daysAfter, keyRecord } from './keys.ts';
import { Refusal } from './refusal.ts';
import { requireKey, requireStatus } from './require-key.ts';
import { type Key, randomBytes, type Tenant, versionOf } from './tenant.ts';

type KeyRecord = Output<'POST /v1/keys'>;
type OfKey = { readonly key_id: string };
type Metadata = Readonly<Record<string, unknown>>;

/** Records what a change says of itself. The entry names the one that changed the key before. */
function changed(call: Call, action: AuditAction, key: Key, metadata: Metadata = {}): KeyRecord {
  const previous_change = key.rev;
  key.rev = nextId(call.tenant);
  record(call, keyDraft(action, key, { ...metadata, previous_change }));
  return keyRecord(key);
}

/** POST /v1/keys/:key_id/rotate. */
export function rotateKey(call: Call, input: Input<'POST /v1/keys/:key_id/rotate'>): KeyRecord {
  const key = requireKey(call, input.key_id);
  requireStatus(key, 'active');
  if (input.key_version !== undefined && input.key_version !== versionOf(key)) {
    throw new Refusal('key_state', `The key is at version ${versionOf(key)}, not ${input.key_version}.`);
  }
  return rotate(call, key);
}

function rotate(call: Call, key: Key): KeyRecord {
  const { time } = call;
  const from_version = versionOf(key);
  key.versions.push({ created_at: time, secret: randomBytes(32) });
  key.rotated_at = time;
  key.next_rotation_at = daysAfter(time, key.interval_days);
  return changed(call, 'key.rotate', key, { key_version: versionOf(key), from_version });
}

/** POST /v1/keys/:key_id/disable. */
export function disableKey(call: Call, { key_id }: OfKey): KeyRecord {
  const key = requireKey(call, key_id);
  requireStatus(key, 'active');
  key.status = 'disabled';
  return changed(call, 'key.disable', key);
}

/** POST /v1/keys/:key_id/enable. */
export function enableKey(call: Call, { key_id }: OfKey): KeyRecord {
  const key = requireKey(call, key_id);
  requireStatus(key, 'disabled');
  key.status = 'active';
  return changed(call, 'key.enable', key);
}

/** DELETE /v1/keys/:key_id. */
export function destroyKey(
  call: Call,
  { key_id, grace_days = limits.graceDaysDefault }: Input<'DELETE /v1/keys/:key_id'>,
): KeyRecord {
  const key = requireKey(call, key_id);
  requireStatus(key, 'disabled');
  key.destroy_at = daysAfter(call.time, grace_days) ?? call.time;
  if (grace_days === 0) return erase(call, key);
  key.status = 'pending_destruction';
  return changed(call, 'key.destroy', key, { destroy_at: formatTimestamp(key.destroy_at) });
}

function erase(call: Call, key: Key): KeyRecord {
  key.status = 'destroyed';
  key.hash_key = null;
  key.next_rotation_at = null;
  for (const version of key.versions) version.secret = null;
  const destroy_at = formatTimestamp(key.destroy_at ?? call.time);
  return changed(call, 'key.destroy', key, { destroy_at, erased: true });
}

/** POST /v1/keys/:key_id/restore. */
export function restoreKey(call: Call, { key_id }: OfKey): KeyRecord {
  const key = requireKey(call, key_id);
  requireStatus(key, 'pending_destruction');
  key.status = 'disabled';
  key.destroy_at = null;
  return changed(call, 'key.restore', key);
}

/** PUT /v1/keys/:key_id/rotation-policy. The first interval begins now. */
export function setRotationPolicy(
  call: Call,
  { key_id, interval_days }: Input<'PUT /v1/keys/:key_id/rotation-policy'>,
): KeyRecord {
  const key = requireKey(call, key_id);
  requireStatus(key, 'active', 'disabled');
  const from_interval_days = key.interval_days;
  key.interval_days = interval_days;
  key.next_rotation_at = daysAfter(call.time, interval_days);
  return changed(call, 'key.rotation_policy', key, { interval_days, from_interval_days });
}

/** Rotates the keys whose time has come, and erases those whose grace is over, as the real service's jobs do. */
export function settleDueKeys(tenant: Tenant): void {
  for (const key of tenant.keys.values()) {
    const call = callBy(tenant, 'system');
    const isDue = (time: number | null) => time !== null && time <= call.time;
    if (key.status === 'active' && isDue(key.next_rotation_at)) rotate(call, key);
    if (key.status === 'pending_destruction' && isDue(key.destroy_at)) erase(call, key);
  }
}
