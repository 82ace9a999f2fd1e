import type { KeyObject } from 'node:crypto';
import { openTenantSecrets, type RootKey, type TenantSecrets } from '../crypto/key-hierarchy.ts';
import { openHashKey, openKeyVersion } from '../crypto/key-material.ts';
import { anchorMac, anchorMacHolds, headMac, headMacHolds, rowMac, rowMacHolds } from '../crypto/row-mac.ts';
import { tampered } from '../refusal.ts';
import { type Anchor, anchorParts, type AnchorRow } from '../store/anchors.ts';
import { type ApiKeyRow, apiKeyParts } from '../store/api-keys.ts';
import { type Head, headParts, type HeadRow } from '../store/heads.ts';
import { type KeyRow, keyParts, type KeyVersionRow } from '../store/keys.ts';
import { type TenantRow, tenantParts } from '../store/tenants.ts';

// Every row is checked when it is read and sealed when it is written; nothing else knows that there are MACs.

// A changed row may hold what its columns never should. What cannot even be encoded or compared does not hold.
function holds(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

/** The tenant's secrets, if its row is what the service wrote. */
export function openTenant(roots: readonly RootKey[], row: TenantRow): TenantSecrets {
  const secrets = openSecrets(roots, row);
  if (!secrets || !tenantHolds(secrets, row)) throw tampered();
  return secrets;
}

/** The secrets that a tenant's row seals, whatever else it holds; undefined where they do not open. */
export function openSecrets(roots: readonly RootKey[], row: TenantRow): TenantSecrets | undefined {
  const { tenant_id: tenantId, root_id: rootId, sealed_secret: sealedSecret } = row;
  try {
    return openTenantSecrets(roots, { tenantId, rootId, sealedSecret });
  } catch {
    return undefined;
  }
}

export function tenantHolds(secrets: TenantSecrets, row: TenantRow): boolean {
  return holds(() => rowMacHolds(secrets.rowMac, 'tenants', tenantParts(row), row.mac));
}

export function sealTenant(secrets: TenantSecrets, row: Omit<TenantRow, 'mac'>): TenantRow {
  return { ...row, mac: rowMac(secrets.rowMac, 'tenants', tenantParts(row)) };
}

export function headHolds(secrets: TenantSecrets, tenantId: string, row: HeadRow): boolean {
  return holds(() => headMacHolds(secrets.rowMac, headParts(tenantId, row), row.mac));
}

export function anchorHolds(secrets: TenantSecrets, tenantId: string, row: AnchorRow): boolean {
  return holds(() => anchorMacHolds(secrets.rowMac, anchorParts(tenantId, row), row.mac));
}

export function sealAnchor(secrets: TenantSecrets, tenantId: string, anchor: Anchor): AnchorRow {
  return { ...anchor, mac: anchorMac(secrets.rowMac, anchorParts(tenantId, anchor)) };
}

/** The same head, if it is what the service wrote. */
export function checkedHead(secrets: TenantSecrets, tenantId: string, row: HeadRow): HeadRow {
  if (!headHolds(secrets, tenantId, row)) throw tampered();
  return row;
}

export function sealHead(secrets: TenantSecrets, tenantId: string, head: Head): HeadRow {
  return { ...head, mac: headMac(secrets.rowMac, headParts(tenantId, head)) };
}

export function apiKeyHolds(secrets: TenantSecrets, row: ApiKeyRow): boolean {
  return holds(() => rowMacHolds(secrets.rowMac, 'api_keys', apiKeyParts(row), row.mac));
}

export function sealApiKey(secrets: TenantSecrets, row: Omit<ApiKeyRow, 'mac'>): ApiKeyRow {
  return { ...row, mac: rowMac(secrets.rowMac, 'api_keys', apiKeyParts(row)) };
}

export function keyHolds(secrets: TenantSecrets, row: KeyRow): boolean {
  return holds(() => rowMacHolds(secrets.rowMac, 'keys', keyParts(row), row.mac));
}

/** The same key row, if it is what the service wrote. */
export function checkedKey(secrets: TenantSecrets, row: KeyRow): KeyRow {
  if (!keyHolds(secrets, row)) throw tampered();
  return row;
}

export function sealKey(secrets: TenantSecrets, row: Omit<KeyRow, 'mac'>): KeyRow {
  return { ...row, mac: rowMac(secrets.rowMac, 'keys', keyParts(row)) };
}

/** A key's hash key; null once it is destroyed. */
export function openHashKeyOf(secrets: TenantSecrets, row: KeyRow): KeyObject | null {
  if (row.sealed_hash_key === null) return null;
  const key = openHashKey(secrets.sealing, row.tenant_id, row.key_id, row.sealed_hash_key);
  if (!key) throw tampered();
  return key;
}

/** A version's key; null once it is destroyed. */
export function openVersion(secrets: TenantSecrets, tenantId: string, row: KeyVersionRow): KeyObject | null {
  if (row.sealed === null) return null;
  const key = openKeyVersion(secrets.sealing, tenantId, row.key_id, row.key_version, row.sealed);
  if (!key) throw tampered();
  return key;
}
