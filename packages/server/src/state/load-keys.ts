import { tampered } from '../refusal.ts';
import { findHead } from '../store/heads.ts';
import { findKeys, findKeyVersions } from '../store/keys.ts';
import { checkedKey, openHashKeyOf, openVersion } from './integrity.ts';
import { type KeyMaterial, StateMoved, type TenantState } from './tenant-state.ts';
import type { Tenants } from './tenants.ts';

/** A key, and which of its versions; without one the newest. */
export interface Wanted {
  readonly keyId: string;
  readonly keyVersion?: number | undefined;
}

/**
 * Makes sure that the state knows these keys and versions, as far as they exist: one read for all that is
 * missing. Throws StateMoved when the read finds a newer state.
 */
export async function loadKeys(
  tenants: Tenants,
  state: TenantState,
  wanted: readonly Wanted[],
): Promise<void> {
  const missing = wanted.filter((one) => !isKnown(state, one));
  if (missing.length === 0) return;
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
    if (state.keys.get(row.key_id)) continue;
    const hashKey = openHashKeyOf(state.secrets, checkedKey(state.secrets, row));
    state.keys.set(row.key_id, { row, hashKey, versions: new Map() });
  }
  for (const row of versions) {
    state.keys.get(row.key_id)?.versions.set(row.key_version, openVersion(state.secrets, tenantId, row));
  }
  for (const { keyId, keyVersion } of missing) {
    const key = state.keys.get(keyId);
    if (key) requireMaterial(key, keyVersion ?? key.row.key_version);
  }
}

/** A version that was made has its material until the key is destroyed; else its row was changed or removed. */
function requireMaterial({ row, versions }: KeyMaterial, version: number): void {
  if (versions.get(version)) return;
  if (row.status !== 'destroyed' && version >= 1 && version <= row.key_version) throw tampered();
  versions.set(version, null);
}

function isKnown(state: TenantState, { keyId, keyVersion }: Wanted): boolean {
  const key = state.keys.get(keyId);
  if (!key) return false;
  // A version that was never made needs no query.
  const version = keyVersion ?? key.row.key_version;
  return version > key.row.key_version || version < 1 || key.versions.has(version);
}
