import { tampered } from '../refusal.ts';
import { findHead } from '../store/heads.ts';
import { findKeys, findKeyVersions, type KeyRow } from '../store/keys.ts';
import { checkedKey, openHashKeyOf, openVersion } from './integrity.ts';
import { type KeyMaterial, StateMoved, type TenantState } from './tenant-state.ts';
import type { Tenants } from './tenants.ts';

/** A key, and which of its versions; without one the newest. */
export interface Wanted {
  readonly keyId: string;
  readonly keyVersion?: number | undefined;
}

/**
 * These keys with these versions, as far as they exist: one read for all that the state does not know yet. The answer is to
 * be worked with, not the state, out of which others that are loaded meanwhile may push them. Throws StateMoved when the
 * read finds a newer state.
 */
export async function loadKeys(
  tenants: Tenants,
  state: TenantState,
  wanted: readonly Wanted[],
): Promise<ReadonlyMap<string, KeyMaterial>> {
  const found = new Map<string, KeyMaterial>();
  const missing = wanted.filter(({ keyId, keyVersion }) => {
    const key = state.keys.get(keyId);
    if (key) found.set(keyId, key);
    return !key || !knows(key, keyVersion);
  });
  if (missing.length > 0) await loadMissing(tenants, state, missing, found);
  return found;
}

async function loadMissing(
  tenants: Tenants,
  state: TenantState,
  missing: readonly Wanted[],
  found: Map<string, KeyMaterial>,
): Promise<void> {
  const { tenant_id: tenantId } = state.tenant;
  const keyIds = [...new Set(missing.map((one) => one.keyId))];
  const named = missing.flatMap(({ keyId, keyVersion }) =>
    keyVersion === undefined ? [] : [{ keyId, keyVersion }],
  );
  const [head, rows, versions] = await tenants.database.snapshot((tx) =>
    Promise.all([
      findHead(tx, tenantId),
      findKeys(tx, tenantId, keyIds),
      findKeyVersions(tx, tenantId, keyIds, named),
    ]),
  );
  if (head?.state_id !== state.stateId) {
    await tenants.reload(tenantId);
    throw new StateMoved();
  }
  for (const row of rows) {
    const key = found.get(row.key_id) ?? state.keys.get(row.key_id) ?? openKey(state, row);
    found.set(row.key_id, key);
    state.keys.set(row.key_id, key);
  }
  for (const row of versions) {
    found.get(row.key_id)?.versions.set(row.key_version, openVersion(state.secrets, tenantId, row));
  }
  for (const { keyId, keyVersion } of missing) {
    const key = found.get(keyId);
    if (key) requireMaterial(key, keyVersion ?? key.row.key_version);
  }
}

function openKey({ secrets }: TenantState, row: KeyRow): KeyMaterial {
  return { row, hashKey: openHashKeyOf(secrets, checkedKey(secrets, row)), versions: new Map() };
}

/** A version that was made has its material until the key is destroyed; else its row was changed or removed. */
function requireMaterial({ row, versions }: KeyMaterial, version: number): void {
  if (versions.get(version)) return;
  if (row.status !== 'destroyed' && version >= 1 && version <= row.key_version) throw tampered();
  versions.set(version, null);
}

function knows({ row, versions }: KeyMaterial, keyVersion: number | undefined): boolean {
  // A version that was never made needs no query.
  const version = keyVersion ?? row.key_version;
  return version > row.key_version || version < 1 || versions.has(version);
}
