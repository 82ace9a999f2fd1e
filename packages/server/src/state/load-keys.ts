import type { Steps } from '@eaas/protocol/service';
import { Tampered } from '../base/refusal.ts';
import { findKeys, findKeyVersions, keyTable } from '../store/keys.ts';
import { checked, openHashKeyOf, openVersion } from './integrity.ts';
import { type KeyMaterial, StateMoved, type TenantState } from './tenant-view.ts';
import type { Tenants } from './tenants.ts';

export interface Wanted {
  readonly keyId: string;
  readonly keyVersion?: number | undefined;
}

type Found = Map<string, KeyMaterial>;

/** The caller must use the returned keys and not the cache, because the cache can drop a key at any time. */
export function loadKeys(
  tenants: Tenants,
  state: TenantState,
  wanted: readonly Wanted[],
): Found | Promise<Found> {
  const found: Found = new Map();
  const missing = wanted.filter(({ keyId, keyVersion }) => {
    const key = found.get(keyId) ?? tenants.remembered.key(state, keyId);
    if (key) found.set(keyId, key);
    return !key || !knows(key, keyVersion);
  });
  return missing.length > 0 ? loadMissing(tenants, state, missing, found) : found;
}

async function loadMissing(
  tenants: Tenants,
  state: TenantState,
  missing: readonly Wanted[],
  found: Found,
): Promise<Found> {
  const { secrets, tenant } = state;
  const { tenant_id: tenantId } = tenant;
  const keyIds = [...new Set(missing.map((one) => one.keyId))];
  const named = missing.flatMap(({ keyId, keyVersion }) =>
    keyVersion === undefined ? [] : [{ keyId, keyVersion }],
  );
  const [head, rows, versions] = await tenants.database.snapshot((tx) =>
    Promise.all([
      tenants.seeHead(tx, tenantId),
      findKeys(tx, tenantId, keyIds),
      findKeyVersions(tx, tenantId, keyIds, named),
    ]),
  );
  if (!head || !state.isNamed(head)) {
    await tenants.reload(tenantId);
    throw new StateMoved();
  }
  // The keys are decrypted step by step, because thousands of decryptions at once would delay other requests too long.
  function* openAll(): Steps<void> {
    for (const loaded of rows) {
      const { key_id: keyId } = loaded;
      if (found.has(keyId)) continue;
      const row = checked(secrets, keyTable, loaded);
      const key = { row, hashKey: openHashKeyOf(secrets, row), versions: new Map() };
      found.set(keyId, tenants.remembered.key(state, keyId) ?? key);
      yield;
    }
    for (const row of versions) {
      found.get(row.key_id)?.versions.set(row.key_version, openVersion(secrets, tenantId, row));
      yield;
    }
  }
  await tenants.turns.run(tenantId, openAll(), { isBegun: true });
  for (const { keyId, keyVersion } of missing) {
    const key = found.get(keyId);
    if (!key) continue;
    requireMaterial(key, keyVersion ?? key.row.key_version);
    tenants.remembered.keepKey(state, key);
  }
  return found;
}

function requireMaterial({ row, versions }: KeyMaterial, version: number): void {
  if (versions.get(version)) return;
  if (row.status !== 'destroyed' && version >= 1 && version <= row.key_version) {
    throw new Tampered('key_versions', `${row.key_id} ${version}`, row.tenant_id);
  }
  versions.set(version, null);
}

function knows({ row, versions }: KeyMaterial, keyVersion: number | undefined): boolean {
  const version = keyVersion ?? row.key_version;
  return version > row.key_version || version < 1 || versions.has(version);
}
