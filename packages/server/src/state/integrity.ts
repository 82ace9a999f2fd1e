import type { KeyObject } from 'node:crypto';
import {
  hashKeyPlace,
  openMaterial,
  openTenantSecrets,
  type RootKey,
  type TenantSecrets,
  versionPlace,
} from '../crypto/key-hierarchy.ts';
import { type Column, rowMac, rowMacHolds } from '../crypto/macs.ts';
import { Tampered } from '../base/refusal.ts';
import { anchorTable, type AnchorRow } from '../store/heads.ts';
import type { KeyRow, KeyVersionRow } from '../store/keys.ts';
import type { Loaded, RecordedRow, Table } from '../store/rows.ts';
import { type TenantRow, tenantTable } from '../store/tenants.ts';

// Every row that the service reads or writes must pass through the functions in this file.

export function seal<Row extends { readonly mac: Uint8Array }>(
  { rowMac: key }: Pick<TenantSecrets, 'rowMac'>,
  table: Table<Row>,
  row: Omit<Row, 'mac'>,
): Row {
  return { ...row, mac: rowMac(key, table.label, columnsOf(table, row)) } as Row;
}

export function macHolds<Row extends { readonly mac: Uint8Array }>(
  { rowMac: key }: Pick<TenantSecrets, 'rowMac'>,
  table: Table<Row>,
  row: Row,
): boolean {
  try {
    return rowMacHolds(key, table.label, columnsOf(table, row), row.mac);
  } catch {
    // A tampered row can contain values whose encoding throws, so an error means an invalid MAC.
    return false;
  }
}

function columnsOf<Row>(
  { columns, booleans = [], numbers = [] }: Table<Row>,
  row: Omit<Row, 'mac'>,
): Column[] {
  const values = row as Readonly<Record<string, Column>>;
  for (const name of booleans) requireType('boolean', values[name], name);
  for (const name of numbers) if (values[name] !== null) requireType('number', values[name], name);
  return columns.map((name) => values[name] as Column);
}

function requireType(type: 'boolean' | 'number', value: unknown, name: string): void {
  if (typeof value !== type)
    throw new TypeError(
      `the column ${name} must contain a ${type} (got a value of the type ${typeof value})`,
    );
}

/** A valid MAC is not enough, because an attacker could put back an older version of the row with a valid MAC. */
export function authentic<Row extends RecordedRow>(
  secrets: TenantSecrets,
  table: Table<Row>,
  { newest_rev, ...loaded }: Loaded<Row>,
): Row | undefined {
  const row = loaded as unknown as Row;
  return newest_rev === row.rev && macHolds(secrets, table, row) ? row : undefined;
}

export function checked<Row extends RecordedRow>(
  secrets: TenantSecrets,
  table: Table<Row>,
  loaded: Loaded<Row>,
): Row {
  const row = authentic(secrets, table, loaded);
  if (!row) throw new Tampered(table.name, String(loaded[table.id as keyof Row]), loaded.tenant_id);
  return row;
}

export function requireAnchor(secrets: TenantSecrets, anchor: AnchorRow): void {
  const { tenant_id: tenantId } = anchor;
  if (!macHolds(secrets, anchorTable, anchor)) throw new Tampered(anchorTable.name, tenantId, tenantId);
}

export interface OpenTenant {
  readonly tenant: TenantRow;
  readonly secrets: TenantSecrets;
}

export function openTenant(roots: readonly RootKey[], row: Loaded<TenantRow>): OpenTenant {
  const secrets = openSecrets(roots, row);
  if (!secrets) throw new Tampered(tenantTable.name, row.tenant_id, row.tenant_id);
  return { tenant: checked(secrets, tenantTable, row), secrets };
}

export function openSecrets(roots: readonly RootKey[], row: TenantRow): TenantSecrets | undefined {
  try {
    return openTenantSecrets(roots, row);
  } catch {
    return undefined;
  }
}

export function openHashKeyOf({ sealing }: TenantSecrets, row: KeyRow): KeyObject | null {
  const { tenant_id: tenantId, key_id: keyId, sealed_hash_key: sealed } = row;
  if (sealed === null) return null;
  const key = openMaterial(sealing, hashKeyPlace(tenantId, keyId), sealed);
  if (!key) throw new Tampered('keys', keyId, tenantId);
  return key;
}

export function openVersion(
  { sealing }: TenantSecrets,
  tenantId: string,
  { key_id: keyId, key_version: version, sealed }: KeyVersionRow,
): KeyObject | null {
  if (sealed === null) return null;
  const key = openMaterial(sealing, versionPlace(tenantId, keyId, version), sealed);
  if (!key) throw new Tampered('key_versions', `${keyId} ${version}`, tenantId);
  return key;
}
