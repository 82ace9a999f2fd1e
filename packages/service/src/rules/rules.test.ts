import { expect, test } from 'vitest';
import { orRefusal } from '@eaas/protocol/internal-service';
import { limits } from '@eaas/protocol/wire';
import { excessOf } from './api-key-rules.ts';
import { authorize } from './authorize.ts';
import { tenantDraft } from './draft.ts';
import { newKey, rotated } from './key-rules.ts';

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
    for (const more of [named('a', 'b'), named('b'), { [list]: null }])
      expect(excess(more, named('a'))).toContain(list);
    for (const than of [named('a'), named('b', 'a'), { [list]: null }])
      expect(excess(named('a'), than)).toBeUndefined();
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
