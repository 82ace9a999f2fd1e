import { expect, test } from 'vitest';
import { orRefusal } from '@eaas/protocol/internal-service';
import { effectIn, effectOf } from '@eaas/protocol/internal-log';
import { endpoints, limits } from '@eaas/protocol/wire';
import { excessOf } from './api-key-rules.ts';
import { authorize } from './authorize.ts';
import { auditValue, type Change, tenantDraft } from './draft.ts';
import { changes, newKey, rotated } from './key-rules.ts';
import { Refusal } from './refusal.ts';

const now = Date.parse('2026-11-20T10:00:00.000Z');
const made = { tenant_id: 't', key_id: 'k', sealed_hash_key: new Uint8Array() };
const { row: key } = newKey(
  { name: 'a', rotation_policy: { interval_days: 1 } },
  { now, entryId: 7 },
  null,
  made,
  [],
);

test('an API key is refused from the millisecond of its expiry', () => {
  const unlimited = { key_ids: null, allowed_origins: null, revoked_at: null };
  const apiKey = { permissions: ['encrypt'] as const, ...unlimited, expires_at: 1_000 };
  const asked = { endpoint: { permission: 'encrypt' as const }, origin: undefined };
  const tenant = { envelope_only: false };
  const when = (time: number) => orRefusal(() => authorize(apiKey, asked, { tenant, now: time }));
  expect(when(999)).toBeUndefined();
  const detail = expect.stringContaining('expired at 1970-01-01T00:00:01.000Z') as string;
  expect(when(1_000)).toMatchObject({ code: 'unauthorized', problem: { detail } });
});

test('rights exceed others by each that these lack, and by no limit where these have one', () => {
  const all = { permissions: ['encrypt'] as const, key_ids: null, allowed_origins: null, expires_at: null };
  const excess = (more: object, than: object) => excessOf({ ...all, ...more }, { ...all, ...than });
  for (const list of ['key_ids', 'allowed_origins']) {
    const named = (...names: string[]) => ({ [list]: names });
    for (const more of [named('a', 'b'), named('b'), { [list]: null }]) {
      expect(excess(more, named('a'))).toContain(list);
    }
    for (const than of [named('a'), named('b', 'a'), { [list]: null }]) {
      expect(excess(named('a'), than)).toBeUndefined();
    }
  }
  expect(excess({ expires_at: 2 }, { expires_at: 1 })).toContain('expires_at');
  expect(excess({ expires_at: 1 }, { expires_at: 1 })).toBeUndefined();
  expect(excess({ permissions: ['encrypt', 'decrypt'] }, {})).toContain('decrypt');
});

test('a key has at most 10,000 versions', () => {
  const versions = (key_version: number) => orRefusal(() => rotated({ ...key, key_version }, now));
  expect(versions(limits.keyVersions - 1)).toMatchObject(['key.rotate', { key_version: 10_000 }, {}]);
  expect(versions(limits.keyVersions)).toMatchObject({ code: 'conflict' });
});

test('an entry with more metadata than the log takes is refused, and one with as much is not', () => {
  const draft = (size: number) => () =>
    tenantDraft('tenant.update', { name: 'x'.repeat(size - '{"name":""}'.length) });
  expect(draft(limits.metadata)().metadata).toHaveLength(limits.metadata);
  expect(draft(limits.metadata + 1)).toThrow(expect.objectContaining({ code: 'audit_unwritten' }));
});

/** What a change of a key can set that takes nothing, or not by itself. */
const harmless = [
  'destroy_at',
  'interval_days',
  'key_version',
  'next_rotation_at',
  'rotated_at',
  'sealed_hash_key',
];
const statuses = ['active', 'disabled', 'pending_destruction', 'destroyed'] as const;

test.each(Object.keys(changes) as (keyof typeof changes)[])('%s sets what its entry says', (route) => {
  type Rule = (row: typeof key, now: number, input: object) => Change<typeof key> | undefined;
  const rule = changes[route] as Rule;
  const inputs = [0, 7].map((grace_days) => ({ grace_days, key_version: 3, interval_days: 2 }));
  const made = statuses.map((status) =>
    inputs.flatMap((input) => {
      const row = { ...key, key_version: 3, status, destroy_at: status === 'active' ? null : now + 1 };
      const change = orRefusal(() => rule(row, now, input));
      return change instanceof Refusal || !change ? [] : [change];
    }),
  );
  const action = made.flat()[0]?.[0] ?? 'encrypt';
  for (const [same, set, told = {}] of made.flat()) {
    expect(same).toBe(action);
    const columns = effectIn({ action, key_id: 'k' }, { ...told })?.columns ?? {};
    const shown = Object.entries(set).map(([name, value]) => [name, auditValue(name, value)]);
    expect(Object.fromEntries(shown)).toMatchObject(columns);
    const silent = Object.keys(set).filter((name) => !(name in columns));
    expect(harmless).toEqual(expect.arrayContaining(silent));
  }
  const { needs, needsActive } = effectOf(action) ?? {};
  expect(needs).toBe(endpoints[route].permission);
  // A key that is disabled, or that waits for its destruction, is not disabled or restored a second time.
  const isLeft = made[1]?.length !== 0 || /disable|restore/.test(action);
  expect(isLeft).toBe(needsActive === undefined);
});
