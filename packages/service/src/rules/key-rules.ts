// Decides about keys: their states, versions and rotation policies.
// operations/keys.ts asks it, and whoever uses a key for its state.
import { formatTimestamp, type Input, limits, type Route } from '@eaas/protocol/wire';
import type { View } from '../ledger/decision.ts';
import type { KeyRow } from '../ledger/tables.ts';
import { type Field, type Participation, valueIn } from '../plugin.ts';
import { type Holder, whoActs } from './authorize.ts';
import { type Change, type Draft, keyDraft, timeOrNull } from './draft.ts';
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

/**
 * Returns the refusal of a call to open a wrapped key: by the key's status, a plugin, or the version that the wrapped key says it
 * is of.
 */
export function refusedToOpen(key: KeyRow, part: Participation, version: number | undefined) {
  return refusedByStatus(key, 'active', 'disabled') ?? part.refused ?? refusedByAge(key, version);
}

/** Returns the refusal of a wrapped key of a version that was closed, if it says that it is of one. */
function refusedByAge({ min_version: oldest }: KeyRow, version = 0): Refusal | undefined {
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
  { now, entryId }: Pick<View, 'now' | 'entryId'>,
  giver: Holder | null,
  made: Pick<KeyRow, 'tenant_id' | 'key_id' | 'sealed_hash_key'>,
  fields: readonly Field[],
): { readonly row: KeyRow; readonly draft: Draft } {
  const { name } = input;
  const exportable = input.exportable ?? false;
  const interval_days = input.rotation_policy?.interval_days ?? null;
  const columns = fields.map((field) => [field.column, valueIn(input, field)] as const);
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
  const told = { ...created, ...Object.fromEntries(chosen), ...whoActs(giver) };
  return { row, draft: keyDraft('key.create', row, told) };
}

type Changed = Change<KeyRow> | undefined;
type Rotation = Partial<Pick<Input<'POST /v1/keys/:key_id/rotate'>, 'key_version'>>;
type Changes = { readonly [R in Route]?: (key: KeyRow, now: number, input: Input<R>) => Changed };

/**
 * An input names the version that the caller wants to replace. Refuses any version but the current one, so that a repeated
 * request does not rotate the key twice.
 */
export function rotated(key: KeyRow, now: number, { key_version: from }: Rotation = {}): Change<KeyRow> {
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
  const set = { key_version, rotated_at: now, next_rotation_at: daysAfter(now, interval_days) };
  return ['key.rotate', set, { key_version, from_version }];
}

/** What each call that changes a key decides. Throws Refusal. */
export const changes = {
  'POST /v1/keys/:key_id/rotate': rotated,
  'POST /v1/keys/:key_id/disable'(key) {
    requireStatusToChange(key, 'active', {
      disabled: 'The key is already disabled.',
      pending_destruction:
        'The destruction of the key is pending: POST /v1/keys/:id/restore makes the key disabled.',
    });
    return ['key.disable', { status: 'disabled' }];
  },
  'POST /v1/keys/:key_id/enable'(key) {
    requireStatusToChange(key, 'disabled', { active: 'The key is already active.' });
    return ['key.enable', { status: 'active' }];
  },
  'DELETE /v1/keys/:key_id'(key, now, { grace_days = limits.graceDaysDefault }) {
    requireStatusToChange(key, 'disabled', {
      pending_destruction:
        `The destruction of the key is already pending (\`destroy_at\` is ${timeOrNull(key.destroy_at)}): to ` +
        `choose another time, restore the key first with POST /v1/keys/:id/restore.`,
      destroyed: 'The key is already destroyed.',
    });
    const destroy_at = now + grace_days * day;
    if (grace_days === 0) return destroyedNow(destroy_at);
    const set = { status: 'pending_destruction', destroy_at } as const;
    return ['key.destroy', set, { destroy_at: formatTimestamp(destroy_at) }];
  },
  'POST /v1/keys/:key_id/restore'(key, now) {
    requireStatusToChange(key, 'pending_destruction', {
      active: 'The key is active, and has no pending destruction to cancel.',
      disabled: 'The key is already disabled, and has no pending destruction to cancel.',
    });
    if (isErasureDue(key, now)) {
      throw new Refusal('key_state', 'The key cannot be restored, because its grace period is over.');
    }
    return ['key.restore', { status: 'disabled', destroy_at: null }];
  },
  'PUT /v1/keys/:key_id/rotation-policy'(key, now, { interval_days }) {
    requireStatus(key, 'active', 'disabled');
    // Some programs set the same rotation policy at each start. An unchanged interval therefore changes nothing.
    // Otherwise, each start would postpone the next rotation.
    const { interval_days: from_interval_days } = key;
    if (interval_days === from_interval_days) return undefined;
    const set = { interval_days, next_rotation_at: daysAfter(now, interval_days) };
    return ['key.rotation_policy', set, { interval_days, from_interval_days }];
  },
  'PUT /v1/keys/:key_id/min-version'(key, _, { key_version: min_version }) {
    if (min_version > key.key_version) {
      throw badRequest(`\`key_version\` must be at most ${key.key_version}, the newest version of the key`);
    }
    requireStatus(key, 'active');
    const { min_version: from_min_version } = key;
    if (min_version === from_min_version) return undefined;
    return ['key.min_version', { min_version }, { min_version, from_min_version }];
  },
} satisfies Changes;

/** Runs a due rotation or erasure of the key, if one is due. */
export function dueChange(key: KeyRow, now: number): Changed {
  if (isErasureDue(key, now)) return destroyedNow(key.destroy_at ?? now);
  const isDue = key.status === 'active' && (key.next_rotation_at ?? Infinity) <= now;
  return isDue ? rotated(key, now) : undefined;
}

/** An erasure that has begun goes on, whatever the time is: it erased the hash key first. */
const isErasureDue = ({ status, destroy_at, sealed_hash_key }: KeyRow, now: number): boolean =>
  status === 'pending_destruction' && (sealed_hash_key === null || (destroy_at ?? Infinity) <= now);

/** The same destruction while versions are left: nobody can use, restore or export the key any more. */
export const begunErasure = ([action, set]: Change<KeyRow>): Change<KeyRow> => [
  action,
  { ...set, status: 'pending_destruction' },
  { destroy_at: timeOrNull(set.destroy_at ?? null) },
];

function destroyedNow(destroy_at: number): Change<KeyRow> {
  const set = { status: 'destroyed', next_rotation_at: null, sealed_hash_key: null, destroy_at } as const;
  return ['key.destroy', set, { destroy_at: formatTimestamp(destroy_at), erased: true }];
}
