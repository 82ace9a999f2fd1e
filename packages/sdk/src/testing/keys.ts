import { formatTimestamp, type Input, limits, type Output } from '@eaas/protocol/wire';
import { type Call, keyDraft, nextId, record } from './call.ts';
import { Refusal } from './refusal.ts';
import { requireKey } from './require-key.ts';
import { type Entry, type Key, randomBytes, versionOf } from './tenant.ts';

type KeyRecord = Output<'POST /v1/keys'>;

const day = 24 * 60 * 60 * 1_000;

/** The time so many days later; null for no days. */
export function daysAfter(time: number, days: number | null): number | null {
  return days === null ? null : time + days * day;
}

/** A key as the API shows it. */
export function keyRecord(key: Key): KeyRecord {
  return {
    key_id: key.key_id,
    name: key.name,
    key_version: versionOf(key),
    status: key.status,
    exportable: key.exportable,
    created_at: formatTimestamp(key.created_at),
    rotated_at: timeOrNull(key.rotated_at),
    rotation_policy: key.interval_days === null ? null : { interval_days: key.interval_days },
    next_rotation_at: timeOrNull(key.next_rotation_at),
    destroy_at: timeOrNull(key.destroy_at),
  };
}

export function timeOrNull(time: number | null): string | null {
  return time === null ? null : formatTimestamp(time);
}

/** POST /v1/keys. */
export function createKey(call: Call, input: Input<'POST /v1/keys'>): KeyRecord {
  const { tenant, apiKey, time } = call;
  if (apiKey?.key_ids) {
    throw new Refusal(
      'permission_missing',
      'This API key is limited to some keys, so it cannot create others.',
    );
  }
  const taken = [...tenant.keys.values()].some(
    ({ name, status }) => name === input.name && status !== 'destroyed',
  );
  if (taken) throw new Refusal('name_taken', 'Another key has this name already.');
  const interval_days = input.rotation_policy?.interval_days ?? null;
  const key: Key = {
    key_id: crypto.randomUUID(),
    name: input.name,
    exportable: input.exportable ?? false,
    created_at: time,
    status: 'active',
    rotated_at: null,
    interval_days,
    next_rotation_at: daysAfter(time, interval_days),
    destroy_at: null,
    hash_key: randomBytes(32),
    versions: [{ created_at: time, secret: randomBytes(32) }],
    rev: nextId(tenant),
  };
  tenant.keys.set(key.key_id, key);
  const { name, exportable } = key;
  record(call, keyDraft('key.create', key, { key_version: 1, name, exportable, interval_days }));
  return keyRecord(key);
}

/** GET /v1/keys, newest first. */
export function listKeys(
  { tenant, apiKey }: Call,
  { limit = limits.pageDefault, offset = 0, status, name }: Input<'GET /v1/keys'>,
): Output<'GET /v1/keys'> {
  const matching = [...tenant.keys.values()]
    .filter((key) => status === undefined || key.status === status)
    .filter((key) => name === undefined || key.name === name)
    .filter((key) => !apiKey?.key_ids || apiKey.key_ids.includes(key.key_id))
    .toReversed();
  const keys = matching.slice(offset, offset + limit).map(keyRecord);
  return { keys, count: keys.length, total: matching.length, limit, offset };
}

/** GET /v1/keys/:key_id, with what still uses each version: read off the log. */
export function getKey(
  call: Call,
  { key_id }: Input<'GET /v1/keys/:key_id'>,
): Output<'GET /v1/keys/:key_id'> {
  const key = requireKey(call, key_id);
  const entries = call.tenant.log.filter((entry) => entry.key_id === key.key_id && wasDone(entry));
  const versions = key.versions.map(({ created_at }, index) => {
    const key_version = index + 1;
    const of = (...actions: readonly string[]) =>
      entries.filter((entry) => entry.key_version === key_version && actions.includes(entry.action));
    const unwraps = of('decrypt', 'key.unwrap');
    return {
      key_version,
      created_at: formatTimestamp(created_at),
      wraps: of('encrypt', 'key.wrap').length,
      unwraps: unwraps.length,
      last_unwrap_at: unwraps.at(-1)?.created_at ?? null,
    };
  });
  return { ...keyRecord(key), versions };
}

/** Whether an entry is no recorded refusal: those are not counted. */
export function wasDone({ metadata }: Entry): boolean {
  return metadata['outcome'] !== 'refused';
}
