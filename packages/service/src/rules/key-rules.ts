// Decides about keys: their states, versions and rotation policies.
// operations/keys.ts asks it, and whoever uses a key for its state.
import { type AuditAction, formatTimestamp, type Input, limits } from '@eaas/protocol/wire';
import type { KeyRow } from '../ledger/tables.ts';
import type { Field } from '../plugin.ts';
import { type Changed, type Draft, keyDraft, type Moment } from './draft.ts';
import { timeOrNull } from './records.ts';
import { badRequest, Refusal } from './refusal.ts';

type KeyStatus = KeyRow['status'];

const day = 24 * 60 * 60 * 1_000;
const daysAfter = (time: number, days: number | null) => (days === null ? null : time + days * day);

/** Returns the refusal for a key in a state other than the required ones, if it is in one. */
export function refusedByStatus({ status }: Pick<KeyRow, 'status'>, ...allowed: readonly KeyStatus[]) {
  if (allowed.includes(status)) return undefined;
  const advice: Record<KeyStatus, string> = {
    active: 'disable it first with POST /v1/keys/:id/disable',
    disabled: 'enable it first with POST /v1/keys/:id/enable',
    pending_destruction: 'restore it first with POST /v1/keys/:id/restore',
    destroyed: 'its key material was erased and cannot be restored',
  };
  const needs = allowed.join(' or ');
  return new Refusal(
    'key_state',
    `This call needs a key with the status ${needs} (got a key with the status ${status}): ${advice[status]}.`,
  );
}

/** Returns the refusal of a wrapped key of a version that was closed, if it says that it is of one. */
export function refusedByAge({ min_version: oldest }: KeyRow, version = 0): Refusal | undefined {
  if (version < 1 || version >= oldest) return undefined;
  const detail =
    `The wrapped_key has version ${version}, and this key opens only versions from ${oldest} on: if you still ` +
    'need the value, lower `min_version` for it.';
  return new Refusal('key_state', detail);
}

/** Throws Refusal unless the key is in the state. */
export function requireStatus(key: Pick<KeyRow, 'status'>, ...allowed: readonly KeyStatus[]): void {
  const refusal = refusedByStatus(key, ...allowed);
  if (refusal) throw refusal;
}

function requireStatusToChange(key: KeyRow, from: KeyStatus, details: Partial<Record<KeyStatus, string>>) {
  const detail = details[key.status];
  if (detail !== undefined) throw new Refusal('key_state', detail);
  requireStatus(key, from);
}

/** Throws Refusal unless the key may be exported. */
export function requireExportable(key: KeyRow): void {
  requireStatus(key, 'active', 'disabled');
  if (!key.exportable) {
    const detail =
      'The key is not exportable. Only a key that was created with `exportable` can be exported.';
    throw new Refusal('key_state', detail);
  }
}

/** Decides about a new key: its row and its audit entry. `fields` are those of all plugins. */
export function newKey(
  input: Input<'POST /v1/keys'>,
  { now, entryId }: Moment,
  made: Pick<KeyRow, 'tenant_id' | 'key_id' | 'sealed_hash_key'>,
  fields: readonly Field[],
): { readonly row: KeyRow; readonly draft: Draft } {
  const { name } = input;
  const exportable = input.exportable ?? false;
  const interval_days = input.rotation_policy?.interval_days ?? null;
  const columns = fields.map(
    ({ column, initial }) => [column, Reflect.get(input, column) ?? initial] as const,
  );
  const chosen = columns.filter(([, value], nth) => value !== fields[nth]?.initial);
  const created = { key_version: 1, name, exportable, interval_days };
  const row: KeyRow = {
    ...Object.fromEntries(columns),
    ...made,
    ...created,
    status: 'active',
    created_at: now,
    rotated_at: null,
    next_rotation_at: daysAfter(now, interval_days),
    destroy_at: null,
    min_version: 1,
    created_id: entryId,
    rev: entryId,
  };
  return { row, draft: keyDraft('key.create', row, { ...created, ...Object.fromEntries(chosen) }) };
}

/**
 * `from` is the version that the caller wants to replace. Refuses any version but the current one, so that a repeated
 * request does not rotate the key twice.
 */
export function rotated(key: KeyRow, at: Moment, from?: number): Changed<KeyRow> {
  requireStatus(key, 'active');
  const { key_version: from_version, interval_days } = key;
  if (from !== undefined && from !== from_version) {
    const detail = `The key is at version ${from_version}, not ${from}: it was rotated, or never had that version.`;
    throw new Refusal('key_state', detail);
  }
  if (from_version >= limits.keyVersions) {
    const detail = `The key has ${limits.keyVersions} versions, which is the maximum: create another key.`;
    throw new Refusal('conflict', detail);
  }
  const key_version = from_version + 1;
  const next_rotation_at = daysAfter(at.now, interval_days);
  const set = { key_version, rotated_at: at.now, next_rotation_at };
  return changed('key.rotate', key, set, at, { key_version, from_version });
}

/** Decides about disabling a key. Throws Refusal. */
export function disabled(key: KeyRow, at: Moment): Changed<KeyRow> {
  requireStatusToChange(key, 'active', {
    disabled: 'The key is already disabled.',
    pending_destruction:
      'The destruction of the key is pending: POST /v1/keys/:id/restore makes the key disabled.',
  });
  return changed('key.disable', key, { status: 'disabled' }, at);
}

/** Decides about enabling a disabled key. Throws Refusal. */
export function enabled(key: KeyRow, at: Moment): Changed<KeyRow> {
  requireStatusToChange(key, 'disabled', { active: 'The key is already active.' });
  return changed('key.enable', key, { status: 'active' }, at);
}

/** Decides about the destruction of a disabled key after its grace days. Throws Refusal. */
export function destroyed(key: KeyRow, at: Moment, graceDays: number = limits.graceDaysDefault) {
  requireStatusToChange(key, 'disabled', {
    pending_destruction:
      `The destruction of the key is already pending (\`destroy_at\` is ${timeOrNull(key.destroy_at)}): to ` +
      `choose another time, restore the key first with POST /v1/keys/:id/restore.`,
    destroyed: 'The key is already destroyed.',
  });
  const destroy_at = at.now + graceDays * day;
  if (graceDays === 0) return erased({ ...key, destroy_at }, at);
  const metadata = { destroy_at: formatTimestamp(destroy_at) };
  return changed('key.destroy', key, { status: 'pending_destruction', destroy_at }, at, metadata);
}

/** Decides about the end of a pending destruction. Throws Refusal. */
export function restored(key: KeyRow, at: Moment): Changed<KeyRow> {
  requireStatusToChange(key, 'pending_destruction', {
    active: 'The key is active, and has no pending destruction to cancel.',
    disabled: 'The key is already disabled, and has no pending destruction to cancel.',
  });
  if (isErasureDue(key, at.now)) {
    throw new Refusal('key_state', 'The key cannot be restored, because its grace period is over.');
  }
  return changed('key.restore', key, { status: 'disabled', destroy_at: null }, at);
}

/** Decides about the rotation policy of a key. Throws Refusal. */
export function rescheduled(key: KeyRow, at: Moment, days: number | null): Changed<KeyRow> {
  requireStatus(key, 'active', 'disabled');
  // Some programs set the same rotation policy at each start. An unchanged interval therefore changes nothing.
  // Otherwise, each start would postpone the next rotation.
  if (days === key.interval_days) return { row: key, draft: null };
  const set = { interval_days: days, next_rotation_at: daysAfter(at.now, days) };
  const metadata = { interval_days: days, from_interval_days: key.interval_days };
  return changed('key.rotation_policy', key, set, at, metadata);
}

/** Decides about the oldest version whose wrapped keys open. Throws Refusal. */
export function limited(key: KeyRow, at: Moment, { key_version }: Pick<KeyRow, 'key_id' | 'key_version'>) {
  if (key_version > key.key_version)
    throw badRequest(`\`key_version\` must be at most ${key.key_version}, the newest version of the key`);
  requireStatus(key, 'active');
  if (key_version === key.min_version) return { row: key, draft: null };
  const metadata = { min_version: key_version, from_min_version: key.min_version };
  return changed('key.min_version', key, { min_version: key_version }, at, metadata);
}

/** Runs a due rotation or erasure of the key. Returns the key unchanged if nothing is due. */
export function settled(key: KeyRow, at: Moment): Changed<KeyRow> {
  if (isErasureDue(key, at.now)) return erased(key, at);
  const { status, next_rotation_at } = key;
  const isDue = status === 'active' && next_rotation_at !== null && next_rotation_at <= at.now;
  return isDue ? rotated(key, at) : { row: key, draft: null };
}

const isErasureDue = ({ status, destroy_at }: KeyRow, time: number): boolean =>
  status === 'pending_destruction' && destroy_at !== null && destroy_at <= time;

function erased(key: KeyRow, at: Moment): Changed<KeyRow> {
  const metadata = { destroy_at: formatTimestamp(key.destroy_at ?? at.now), erased: true };
  const set = { status: 'destroyed', next_rotation_at: null, sealed_hash_key: null } as const;
  return changed('key.destroy', key, set, at, metadata);
}

function changed(action: AuditAction, before: KeyRow, set: Partial<KeyRow>, at: Moment, told: object = {}) {
  const row = { ...before, ...set, rev: at.entryId };
  return { row, draft: keyDraft(action, row, { ...told, previous_change: before.rev }) };
}
