import type { Input, Output } from '../wire/endpoints.ts';
import { limits } from '../wire/limits.ts';
import { formatTimestamp } from '../wire/timestamp.ts';
import type { Changed, Moment } from './changes.ts';
import { type Draft, keyDraft } from './draft.ts';
import { timeOrNull } from './records.ts';
import { Refusal } from './refusal.ts';

/** The states of a key. */
export type KeyStatus = Output<'POST /v1/keys'>['status'];

/** A stored key. Its times are milliseconds since 1970. */
export interface KeyFields {
  readonly key_id: string;
  readonly name: string;
  readonly key_version: number;
  readonly status: KeyStatus;
  readonly exportable: boolean;
  /** Whether the key has a public key, with which anyone can make ciphertexts that decrypt under this key. */
  readonly intake: boolean;
  /** Whether every new data key must name a subject. */
  readonly subjects: 'optional' | 'required';
  readonly created_at: number;
  readonly rotated_at: number | null;
  readonly interval_days: number | null;
  readonly next_rotation_at: number | null;
  readonly destroy_at: number | null;
  /** The id of the audit entry that records the last change of the key. */
  readonly rev: number;
}

const day = 24 * 60 * 60 * 1_000;
const daysAfter = (time: number, days: number | null) => (days === null ? null : time + days * day);

/** Returns the refusal for a key in a state other than the required ones, if it is in one. */
export function refusedByStatus({ status }: Pick<KeyFields, 'status'>, ...allowed: readonly KeyStatus[]) {
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

/** Throws Refusal unless the key is in the state. */
export function requireStatus(key: Pick<KeyFields, 'status'>, ...allowed: readonly KeyStatus[]): void {
  const refusal = refusedByStatus(key, ...allowed);
  if (refusal) throw refusal;
}

function requireStatusToChange(
  key: Pick<KeyFields, 'status'>,
  from: KeyStatus,
  details: Readonly<Partial<Record<KeyStatus, string>>>,
): void {
  const detail = details[key.status];
  if (detail !== undefined) throw new Refusal('key_state', detail);
  requireStatus(key, from);
}

/** Throws Refusal unless the key may be exported. */
export function requireExportable(key: KeyFields): void {
  requireStatus(key, 'active', 'disabled');
  if (!key.exportable) {
    const detail =
      'The key is not exportable. Only a key that was created with `exportable` can be exported.';
    throw new Refusal('key_state', detail);
  }
}

/** Decides about a new key: its row and its audit entry. Throws Refusal. */
export function newKey(
  { name, exportable, intake, subjects, rotation_policy }: Input<'POST /v1/keys'>,
  { time, entryId }: Moment,
  known: { readonly keyId: string; readonly nameIsTaken: boolean },
): { readonly row: KeyFields; readonly draft: Draft } {
  if (known.nameIsTaken) {
    throw new Refusal('name_taken', 'A key already has this name: choose another name, or use the key.');
  }
  const interval_days = rotation_policy?.interval_days ?? null;
  const row = {
    key_id: known.keyId,
    name,
    key_version: 1,
    status: 'active' as const,
    exportable: exportable ?? false,
    intake: intake ?? false,
    subjects: subjects ?? ('optional' as const),
    created_at: time,
    rotated_at: null,
    interval_days,
    next_rotation_at: daysAfter(time, interval_days),
    destroy_at: null,
    rev: entryId,
  };
  const created = { key_version: 1, name, exportable: row.exportable, interval_days };
  const metadata = {
    ...created,
    ...(row.intake && { intake: true }),
    ...(row.subjects === 'required' && { subjects: row.subjects }),
  };
  return { row, draft: keyDraft('key.create', row, metadata) };
}

/**
 * `from` is the version that the caller wants to replace. Refuses any version but the current one, so that a repeated
 * request does not rotate the key twice.
 */
export function rotated<Key extends KeyFields>(key: Key, at: Moment, from?: number): Changed<Key> {
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
  const next_rotation_at = daysAfter(at.time, interval_days);
  const set = { key_version, rotated_at: at.time, next_rotation_at };
  return changed('key.rotate', key, set, at, { key_version, from_version });
}

/** Decides about disabling a key. Throws Refusal. */
export function disabled<Key extends KeyFields>(key: Key, at: Moment): Changed<Key> {
  requireStatusToChange(key, 'active', {
    disabled: 'The key is already disabled.',
    pending_destruction:
      'The destruction of the key is pending: POST /v1/keys/:id/restore makes the key disabled.',
  });
  return changed('key.disable', key, { status: 'disabled' }, at);
}

/** Decides about enabling a disabled key. Throws Refusal. */
export function enabled<Key extends KeyFields>(key: Key, at: Moment): Changed<Key> {
  requireStatusToChange(key, 'disabled', { active: 'The key is already active.' });
  return changed('key.enable', key, { status: 'active' }, at);
}

/** Decides about the destruction of a disabled key after its grace days. Throws Refusal. */
export function destroyed<Key extends KeyFields>(
  key: Key,
  at: Moment,
  graceDays: number = limits.graceDaysDefault,
): Changed<Key> {
  requireStatusToChange(key, 'disabled', {
    pending_destruction:
      `The destruction of the key is already pending (\`destroy_at\` is ${timeOrNull(key.destroy_at)}): to ` +
      `choose another time, restore the key first with POST /v1/keys/:id/restore.`,
    destroyed: 'The key is already destroyed.',
  });
  const destroy_at = at.time + graceDays * day;
  if (graceDays === 0) return erased({ ...key, destroy_at }, at);
  const metadata = { destroy_at: formatTimestamp(destroy_at) };
  return changed('key.destroy', key, { status: 'pending_destruction', destroy_at }, at, metadata);
}

/** Decides about the end of a pending destruction. Throws Refusal. */
export function restored<Key extends KeyFields>(key: Key, at: Moment): Changed<Key> {
  requireStatusToChange(key, 'pending_destruction', {
    active: 'The key is active, and has no pending destruction to cancel.',
    disabled: 'The key is already disabled, and has no pending destruction to cancel.',
  });
  if (isErasureDue(key, at.time)) {
    throw new Refusal('key_state', 'The key cannot be restored, because its grace period is over.');
  }
  return changed('key.restore', key, { status: 'disabled', destroy_at: null }, at);
}

/** Decides about the rotation policy of a key. Throws Refusal. */
export function rescheduled<Key extends KeyFields>(key: Key, at: Moment, days: number | null): Changed<Key> {
  requireStatus(key, 'active', 'disabled');
  // Some programs set the same rotation policy at each start. An unchanged interval therefore changes nothing.
  // Otherwise, each start would postpone the next rotation.
  if (days === key.interval_days) return { row: key, draft: null };
  const set = { interval_days: days, next_rotation_at: daysAfter(at.time, days) };
  const metadata = { interval_days: days, from_interval_days: key.interval_days };
  return changed('key.rotation_policy', key, set, at, metadata);
}

/** Runs a due rotation or erasure of the key. Returns the key unchanged if nothing is due. */
export function settled<Key extends KeyFields>(key: Key, at: Moment): Changed<Key> {
  if (isErasureDue(key, at.time)) return erased(key, at);
  const { status, next_rotation_at } = key;
  const isDue = status === 'active' && next_rotation_at !== null && next_rotation_at <= at.time;
  return isDue ? rotated(key, at) : { row: key, draft: null };
}

const isErasureDue = ({ status, destroy_at }: KeyFields, time: number): boolean =>
  status === 'pending_destruction' && destroy_at !== null && destroy_at <= time;

function erased<Key extends KeyFields>(key: Key, at: Moment): Changed<Key> {
  const metadata = { destroy_at: formatTimestamp(key.destroy_at ?? at.time), erased: true };
  return changed('key.destroy', key, { status: 'destroyed', next_rotation_at: null }, at, metadata);
}

function changed<Key extends KeyFields>(
  action: Draft['action'],
  before: Key,
  set: Partial<KeyFields>,
  { entryId }: Moment,
  metadata: Readonly<Record<string, unknown>> = {},
): Changed<Key> {
  const row = { ...before, ...set, rev: entryId };
  return { row, draft: keyDraft(action, row, { ...metadata, previous_change: before.rev }) };
}
