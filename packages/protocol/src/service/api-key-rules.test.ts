import { describe, expect, test } from 'vitest';
import { limits } from '../wire/limits.ts';
import { type Permission, permissions } from '../wire/permissions.ts';
import {
  type ApiKeyFields,
  isPermanentManager,
  newApiKey,
  patchedApiKey,
  revokedApiKey,
} from './api-key-rules.ts';
import type { Reach } from './authorize.ts';
import { orRefusal } from './batch.ts';
import { Refusal } from './refusal.ts';

const K = '00000000-0000-4000-8000-00000000000a';
const L = '00000000-0000-4000-8000-00000000000b';
const now = Date.parse('2026-11-20T10:00:00.000Z');
const at = { time: now, entryId: 7 };
const later = now + 3_600_000;
const keyIds = new Set([K, L]);

const everything: Reach = { permissions, key_ids: null, allowed_origins: null, expires_at: null };
const apiKey = (fields: Partial<ApiKeyFields> = {}): ApiKeyFields => ({
  api_key_id: L,
  name: 'ci',
  hint: 'abcd',
  ...everything,
  permissions: ['encrypt'],
  created_at: now,
  created_by: 'operator',
  revoked_at: null,
  rev: 3,
  ...fields,
});

type Patch = Parameters<typeof patchedApiKey>[1];
const patch = (before: ApiKeyFields, input: Patch, giver: Reach | null = everything, otherManagers = 1) =>
  orRefusal(() => patchedApiKey(before, input, at, { giver, keyIds, otherManagers }));
const outcome = (result: { row: ApiKeyFields } | Refusal) =>
  result instanceof Refusal ? result.code : 'allowed';
const metadata = (result: ReturnType<typeof patch>): unknown =>
  result instanceof Refusal ? result : JSON.parse(result.draft?.metadata ?? 'null');

describe('a PATCH cannot give an API key more rights than its caller has', () => {
  const sandbox = apiKey({ permissions: ['decrypt'], key_ids: [K], expires_at: later });
  const managerOnly: Reach = { ...everything, permissions: ['api_keys.manage'] };
  const soon: Reach = { ...everything, permissions: ['api_keys.manage', 'decrypt'], expires_at: later };

  test.each<[string, Patch, Reach, string]>([
    [
      'more keys, by a granter that lacks the permission of the API key',
      { key_ids: null },
      managerOnly,
      'permission_missing',
    ],
    [
      'no expiry, by a granter that lacks the permission of the API key',
      { expires_at: null },
      managerOnly,
      'permission_missing',
    ],
    [
      'a permission that the caller lacks',
      { permissions: ['decrypt', 'encrypt'] },
      soon,
      'permission_missing',
    ],
    ['no expiry, by a granter that expires', { expires_at: null }, soon, 'permission_missing'],
    ['more keys, by a granter that has all of them', { key_ids: [K, L] }, soon, 'allowed'],
    ['more keys, by a granter without limits', { key_ids: null, expires_at: null }, everything, 'allowed'],
    ['an earlier expiry, by anyone', { expires_at: new Date(now + 1).toISOString() }, managerOnly, 'allowed'],
    ['a new name, by anyone', { name: 'renamed' }, managerOnly, 'allowed'],
    ['an origin list, by anyone', { allowed_origins: ['https://a.example'] }, managerOnly, 'allowed'],
  ])('a PATCH with %s', (_, input, giver, expected) => {
    expect(outcome(patch(sandbox, input, giver))).toBe(expected);
  });

  test('a PATCH accepts an expiry in the past only if the API key already has this expiry', () => {
    const expired = apiKey({ expires_at: now - 1 });
    const expires_at = new Date(now - 1).toISOString();
    expect(metadata(patch(expired, { name: 'old', expires_at }))).toMatchObject({
      changes: { name: { old: 'ci', new: 'old' } },
    });
    expect(outcome(patch(expired, { expires_at: new Date(now).toISOString() }))).toBe('bad_request');
    expect(outcome(patch(apiKey(), { expires_at }))).toBe('bad_request');
  });

  test('the refusal of an unknown key names its position in `key_ids`', () => {
    const unknown = '00000000-0000-4000-8000-00000000000c';
    for (const key_ids of [
      [K, unknown, 'a name'],
      [K, 'a name', L],
    ]) {
      const refusal = patch(apiKey(), { key_ids });
      expect(refusal).toMatchObject({ code: 'not_found', message: expect.stringContaining('`key_ids[1]`') });
    }
  });

  test('a caller that lacks a permission of an API key cannot add origins to this API key', () => {
    const forBrowsers = apiKey({ allowed_origins: ['https://a.example'] });
    expect(outcome(patch(forBrowsers, { allowed_origins: null }, managerOnly))).toBe('permission_missing');
    expect(outcome(patch(forBrowsers, { allowed_origins: ['https://b.example'] }, managerOnly))).toBe(
      'permission_missing',
    );
  });

  test('the operator can give an API key every right', () => {
    expect(outcome(patch(sandbox, { key_ids: null, expires_at: null }, null))).toBe('allowed');
  });
});

describe('the audit entry of a PATCH', () => {
  test('the audit entry has at most 40 KiB, even with the longest lists', () => {
    const ids = (first: string) =>
      Array.from({ length: limits.keyIds }, (_, n) => first + K.slice(1, -3) + String(n).padStart(3, '0'));
    const origins = (first: string) =>
      Array.from({ length: limits.allowedOrigins }, (_, n) => `${first}://${n}`.padEnd(limits.origin, 'a'));
    const before = apiKey({ key_ids: ids('a'), allowed_origins: origins('x'), name: '"'.repeat(128) });
    const input = { key_ids: ids('b'), allowed_origins: origins('y'), name: '\\'.repeat(128) };
    const known = { giver: null, keyIds: new Set(ids('b')), otherManagers: 0 };
    const { draft } = patchedApiKey(before, input, at, known);
    expect(draft?.metadata.length).toBeGreaterThan(35_000);
    expect(draft?.metadata.length).toBeLessThanOrEqual(limits.metadata);
  });
});

describe('the last API key that manages API keys and does not expire', () => {
  const manager = apiKey({ permissions: ['api_keys.manage', 'encrypt'] });

  test.each<[string, Patch, string]>([
    ['cannot lose the permission', { permissions: ['encrypt'] }, 'conflict'],
    ['cannot get an expiry', { expires_at: new Date(later).toISOString() }, 'conflict'],
    ['can be renamed', { name: 'root' }, 'allowed'],
    ['can lose another permission', { permissions: ['api_keys.manage'] }, 'allowed'],
  ])('the last API key that manages API keys and does not expire %s', (_, input, expected) => {
    expect(outcome(patch(manager, input, everything, 0))).toBe(expected);
    expect(outcome(patch(manager, input, everything, 1))).toBe('allowed');
    expect(outcome(patch(manager, input, null, 0))).toBe('allowed');
  });

  test('the API refuses to revoke the last API key that manages API keys and does not expire', () => {
    const revoke = (before: ApiKeyFields, giver: Reach | null, otherManagers: number) =>
      outcome(orRefusal(() => revokedApiKey(before, at, { giver, otherManagers })));
    expect(revoke(manager, everything, 0)).toBe('conflict');
    expect(revoke(manager, everything, 1)).toBe('allowed');
    expect(revoke(manager, null, 0)).toBe('allowed');
    expect(revoke({ ...manager, expires_at: later }, everything, 0)).toBe('allowed');
    expect(revoke(apiKey(), everything, 0)).toBe('allowed');
  });

  test('`isPermanentManager` returns false for an API key that is revoked or has an expiry', () => {
    expect(isPermanentManager(manager)).toBe(true);
    expect(isPermanentManager({ ...manager, expires_at: later })).toBe(false);
    expect(isPermanentManager({ ...manager, revoked_at: now })).toBe(false);
    expect(isPermanentManager(apiKey())).toBe(false);
  });
});

const limited: Reach = { ...everything, permissions: ['encrypt', 'api_keys.manage'], key_ids: [K] };

test.each<[string, readonly Permission[], object, string]>([
  ['everything that the granter has', ['encrypt'], { key_ids: [K] }, 'allowed'],
  ['a key that does not exist', ['encrypt'], { key_ids: ['a name'] }, 'not_found'],
  ['a tenant-wide permission with keys', ['audit.read'], { key_ids: [K] }, 'bad_request'],
  ['a server-side permission with origins', ['keys.manage'], { allowed_origins: ['x://a'] }, 'bad_request'],
  ['an expiry in the past', ['encrypt'], { expires_at: '2001-01-01T00:00:00Z' }, 'bad_request'],
  ['a permission that the granter lacks', ['decrypt'], { key_ids: [K] }, 'permission_missing'],
  ['one key that the granter may not use', ['encrypt'], { key_ids: [K, L] }, 'permission_missing'],
  ['no limit to keys', ['encrypt'], {}, 'permission_missing'],
])('a new API key with %s', (_, held, fields, expected) => {
  const giver = expected === 'permission_missing' ? limited : everything;
  const input = { name: 'new', permissions: [...held], ...fields };
  const known = { giver, keyIds, apiKeyId: L, hint: 'abcd', createdBy: K };
  expect(outcome(orRefusal(() => newApiKey(input, at, known)))).toBe(expected);
});
