// Every row that the service reads or writes passes here: MACs are made, and checked when rows are loaded, and rows are summed.
// Called by the ledger, by verify, and by what purges a log.
import { type PaePart } from '@eaas/protocol';
import { isBytes, fromHex, toHex } from '@eaas/protocol/internal';
import { hmac, paeView, sameBytes } from '#platform';
import { openTenantSecrets, type Roots, type TenantSecrets } from '../crypto/tenant-secrets.ts';
import { attempt, Tampered } from '../rules/refusal.ts';
import type { View } from './decision.ts';
import type { Stored } from './store.ts';
import { type ColumnType, refOf, type Table, type Values } from './table.ts';
import { type HeadRow, heads, type TenantRow, tenants } from './tables.ts';

type RowKey = Pick<TenantSecrets, 'rowMac'>;

/** Adds the MAC to a row, a head or an anchor, if its table has one. */
export function withMac(secrets: RowKey, table: Table<never>, row: object): Stored['row'] {
  const mac = macOf(secrets, table, row);
  return mac ? { ...row, mac } : row;
}

export const macHead = (secrets: RowKey, head: Omit<HeadRow, 'mac'>): HeadRow =>
  withMac(secrets, heads, head) as HeadRow;

/**
 * Returns a row as the service wrote it, or throws Tampered. The MAC is not enough, because an older row might have been put
 * back with its own: the newest record of the row's changes tells.
 */
export function checkRow<Row extends object>(secrets: RowKey, table: Table<Row>, stored: Stored): Row {
  const row = stored.row as Row & Stored['row'];
  const { record } = table;
  // A tampered row can contain values whose encoding throws.
  const isSound = attempt(() => {
    const expected = macOf(secrets, table, row);
    if (expected && !(row.mac && sameBytes(expected, row.mac))) return false;
    return !record || (stored.newest_rev === record.revOf(row) && record.isSound?.(row) !== false);
  });
  if (isSound) return row;
  const { tenant_id: tenantId } = row as { readonly tenant_id?: unknown };
  throw new Tampered(table.name, refOf(table, row).slice(table.name.length + 1), String(tenantId));
}

/** Throws Tampered unless the head is as the service wrote it. */
export const checkHead = (secrets: RowKey, head: HeadRow): HeadRow =>
  checkRow(secrets, heads, { row: head, newest_rev: null });

/** A tenant's row with the secrets that it seals. */
export type OpenTenant = Pick<View, 'tenant' | 'secrets'>;

/**
 * Opens a tenant's row and secrets. Returns undefined if the row is not as the service wrote it. The secrets of `before`, the
 * same tenant as it was opened last, serve again while they are sealed by the same bytes: to derive them takes long.
 */
export const openTenant = (roots: Roots, stored: Stored, before?: OpenTenant): OpenTenant | undefined =>
  attempt(() => {
    const row = stored.row as TenantRow;
    const isSame = before && sameBytes(before.tenant.sealed_secret, row.sealed_secret);
    const secrets = isSame ? before.secrets : openTenantSecrets(roots, row);
    return { tenant: checkRow(secrets, tenants, stored), secrets };
  });

function macOf({ rowMac }: RowKey, table: Table<never>, row: object): Uint8Array | undefined {
  const parts = partsOf(table, row);
  return table.record && hmac(rowMac, paeView([...table.record.label, ...parts]));
}

/**
 * The columns of a row as MACs and the sum of rows cover them. Throws TypeError for a value of another type, which a tampered
 * row might have.
 */
export function partsOf({ columns, types }: Table<never>, row: object): PaePart[] {
  const values = row as Readonly<Record<string, unknown>>;
  return columns.map((name) => partOf(values[name], types?.[name]));
}

function partOf(value: unknown, type: ColumnType | undefined): PaePart {
  if (value === null && type !== 'boolean') return value;
  const kind = kindOf(value);
  const isUuid = kind === 'text' && type?.startsWith('uuid');
  if (!kind || (type && !isUuid && type !== kind && type !== `${kind}?`)) {
    throw new TypeError(`a column of the type ${type} must not contain a value of the type ${typeof value}`);
  }
  if (kind === 'boolean') return String(value);
  return kind === 'texts' ? new Uint8Array(paeView(value as string[])) : (value as PaePart);
}

function kindOf(value: unknown): keyof Values | undefined {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  // A list of lists is none, because `paeView` would encode the inner lists as bytes.
  if (Array.isArray(value)) return value.every((text) => typeof text === 'string') ? 'texts' : undefined;
  return isBytes(value) ? 'bytes' : undefined;
}

// The sum of a tenant's rows, which its head carries under a mask: an append subtracts the rows that it replaces and adds the
// new ones. Verify sums all rows again. It is the hash of multisets MSet-Add-Hash (Clarke, Devadas, van Dijk, Gassend and Suh,
// ASIACRYPT 2003); a mask hides one sum, because each link has a nonce of its own.

type SumKey = Pick<TenantSecrets, 'rowSum'>;
type Place = Pick<HeadRow, 'id' | 'hash' | 'nonce'>;

/** What a row adds to the sum. Rows of loose tables add nothing. */
export function rowInSum({ rowSum }: SumKey, table: Table<never>, row: object): bigint {
  if (table.isLoose) return 0n;
  return integerOf(hmac(rowSum, paeView(['eaas row in sum v1', table.name, ...partsOf(table, row)])));
}

/** The sum as the head of this link carries it. A sum that is negative or too large wraps around. */
export function masked(secrets: SumKey, head: Place, sum: bigint): Uint8Array {
  const digits = BigInt.asUintN(256, sum + maskOf(secrets, head)).toString(16);
  return fromHex(digits.padStart(64, '0'));
}

/** The sum that a head carries. */
export const unmasked = (secrets: SumKey, head: Place & Pick<HeadRow, 'sum'>): bigint =>
  BigInt.asUintN(256, integerOf(head.sum) - maskOf(secrets, head));

const maskOf = ({ rowSum }: SumKey, { id, hash, nonce }: Place): bigint =>
  integerOf(hmac(rowSum, paeView(['eaas row sum v1', id, hash, nonce])));

const integerOf = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes)}`);
