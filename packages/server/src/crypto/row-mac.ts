import { createHmac, type KeyObject } from 'node:crypto';
import { pae, type PaePart } from '@eaas/protocol';
import { paeView } from './pae-view.ts';
import { sameBytes } from './same-bytes.ts';

/** A column's value: a time as integer milliseconds, a boolean as its word, a list as a pae of its own. */
export type Column = PaePart | boolean | readonly string[];

/** The MAC of a row: all its columns but this one, always in the same order. */
export function rowMac(key: KeyObject, table: string, columns: readonly Column[]): Uint8Array {
  // The table comes first, so that no row can stand in another table.
  return mac(key, 'eaas row v1', [table, ...columns]);
}

/** The MAC of the row that says where a tenant's audit chain ends. */
export function headMac(key: KeyObject, columns: readonly Column[]): Uint8Array {
  return mac(key, 'eaas head v1', columns);
}

/** The MAC of the row from which a purged audit chain goes on. */
export function anchorMac(key: KeyObject, columns: readonly Column[]): Uint8Array {
  return mac(key, 'eaas anchor v1', columns);
}

export function rowMacHolds(
  key: KeyObject,
  table: string,
  columns: readonly Column[],
  presented: Uint8Array,
): boolean {
  return sameBytes(rowMac(key, table, columns), presented);
}

export function headMacHolds(key: KeyObject, columns: readonly Column[], presented: Uint8Array): boolean {
  return sameBytes(headMac(key, columns), presented);
}

export function anchorMacHolds(key: KeyObject, columns: readonly Column[], presented: Uint8Array): boolean {
  return sameBytes(anchorMac(key, columns), presented);
}

function mac(key: KeyObject, label: string, columns: readonly Column[]): Uint8Array {
  return createHmac('sha256', key)
    .update(paeView([label, ...columns.map(toPart)]))
    .digest();
}

function toPart(column: Column): PaePart {
  if (typeof column === 'boolean') return String(column);
  return isList(column) ? pae(...column) : column;
}

// Array.isArray does not narrow a readonly array.
function isList(column: Column): column is readonly string[] {
  return Array.isArray(column);
}
