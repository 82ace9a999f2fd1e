import { expect, onTestFinished, test, vi } from 'vitest';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { KeyRow } from '../store/keys.ts';
import { Remembered } from './remembered.ts';
import { type KeyMaterial, TenantState, type TenantView } from './tenant-view.ts';

const stateOf = (tenantId: string, before?: TenantState) =>
  new TenantState(
    { state_id: 1, state_hash: new Uint8Array(32) },
    { tenant: { tenant_id: tenantId }, secrets: {} } as ConstructorParameters<typeof TenantState>[1],
    before,
  );
const keyOf = (keyId: string, versions = 1): KeyMaterial => ({
  row: { key_id: keyId } as KeyRow,
  hashKey: null,
  versions: new Map(Array.from({ length: versions }, (_, nth) => [nth + 1, null])),
});
const apiKeyOf = (apiKeyId: string) =>
  ({ api_key_id: apiKeyId, key_ids: null, allowed_origins: null }) as unknown as ApiKeyRow;

function see(remembered: Remembered, state: TenantState): void {
  remembered.views.set(state.tenant.tenant_id, { state } as TenantView);
}

test('rows that were read before a change are not cached after the change', () => {
  const remembered = new Remembered();
  const old = stateOf('a');
  const now = stateOf('a', old);
  see(remembered, now);
  remembered.keepKey(old, keyOf('key'));
  remembered.keepApiKey(old, apiKeyOf('api key'));
  expect([remembered.key(now, 'key'), remembered.apiKey(now, 'api key')]).toEqual([undefined, undefined]);
});

test('data that nobody has used for five minutes leaves the memory', () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
  onTestFinished(() => clock.mockRestore());
  const remembered = new Remembered();
  const state = stateOf('a');
  see(remembered, state);
  for (const id of ['used', 'unused']) remembered.keepKey(state, keyOf(id));
  clock.mockReturnValue(1_200_000);
  remembered.forgetUnused();
  expect(remembered.key(state, 'used')).toBeDefined();
  clock.mockReturnValue(1_400_000);
  remembered.forgetUnused();
  expect(remembered.key(state, 'used')).toBeDefined();
  expect(remembered.key(state, 'unused')).toBeUndefined();
  expect(remembered.views.get('a')).toBeUndefined();
});

test('after a tenant is reloaded, unchanged rows stay in the cache and changed rows do not', () => {
  const remembered = new Remembered();
  const old = stateOf('a');
  see(remembered, old);
  for (const id of ['unchanged', 'changed']) {
    remembered.keepKey(old, keyOf(id));
    remembered.keepApiKey(old, apiKeyOf(id));
  }
  remembered.drop(old, ['changed', 'unknown']);
  const next = stateOf('a', old);
  see(remembered, next);
  expect(remembered.key(next, 'unchanged')).toBeDefined();
  expect(remembered.apiKey(next, 'unchanged')).toBeDefined();
  expect([remembered.key(next, 'changed'), remembered.apiKey(next, 'changed')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(remembered.key(stateOf('a'), 'unchanged')).toBeUndefined();
});

test('the cached rows of all tenants stay within the memory budget', () => {
  const bytes = 4_000_000;
  const remembered = new Remembered(bytes);
  const states = Array.from({ length: 50 }, (_, nth) => stateOf(`tenant ${nth}`));
  const count = () =>
    states.flatMap((state) =>
      Array.from({ length: 100 }, (_, nth) => remembered.key(state, `key ${nth}`)).filter(Boolean),
    ).length;
  const [first] = states;
  if (!first) throw new Error('expected 50 tenants');
  for (const state of states) {
    see(remembered, state);
    see(remembered, first);
    for (let nth = 0; nth < 100; nth++) remembered.keepKey(state, keyOf(`key ${nth}`));
    remembered.keepKey(first, keyOf('used'));
  }
  expect(remembered.key(first, 'used')).toBeDefined();
  expect(count()).toBeGreaterThan(bytes / 2 / 3_500 / 2);
  expect(count()).toBeLessThan(bytes / 3_500);
});

test('every version of a key counts against the memory budget of the cache', () => {
  const remembered = new Remembered(1_000_000);
  const state = stateOf('a');
  see(remembered, state);
  remembered.keepKey(state, keyOf('small'));
  for (let nth = 0; nth < 4; nth++) {
    see(remembered, state);
    remembered.keepKey(state, keyOf(`large ${nth}`, 300));
  }
  expect(remembered.key(state, 'small')).toBeUndefined();
});

test('the memory budget of the cache includes the public key of each key', () => {
  const isKept = (derived: Partial<KeyMaterial>): boolean => {
    const remembered = new Remembered(1_000_000);
    const state = stateOf('a');
    see(remembered, state);
    remembered.keepKey(state, keyOf('first'));
    for (let nth = 0; nth < 100; nth++) {
      see(remembered, state);
      const key = keyOf(`key ${nth}`);
      remembered.keepKey(state, key);
      remembered.keepKey(state, Object.assign(key, derived));
    }
    return remembered.key(state, 'first') !== undefined;
  };
  expect(isKept({})).toBe(true);
  expect(isKept({ intakePublicKey: 'x'.repeat(5_000) })).toBe(false);
});
