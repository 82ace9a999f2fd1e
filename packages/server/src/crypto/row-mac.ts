import { createHmac, type KeyObject } from 'node:crypto';
import { pae, type PaePart } from '@eaas/protocol';
import { paeView } from './pae-view.ts';
import { sameBytes } from './same-bytes.ts';

/** A column's value. A time is an integer of milliseconds. A boolean is encoded as its word, and a list as a nested `pae`. */
export type Column = PaePart | boolean | readonly string[];

/** Computes the MAC of a row over its columns in a fixed order. `label` makes the MACs of different tables differ. */
export function rowMac(key: KeyObject, label: readonly string[], columns: readonly Column[]): Uint8Array {
  return createHmac('sha256', key)
    .update(paeView([...label, ...columns.map(toPart)]))
    .digest();
}

export function rowMacHolds(
  key: KeyObject,
  label: readonly string[],
  columns: readonly Column[],
  presented: Uint8Array,
): boolean {
  return sameBytes(rowMac(key, label, columns), presented);
}

function toPart(column: Column): PaePart {
  if (typeof column === 'boolean') return String(column);
  if (!isList(column)) return column;
  // In a tampered row the list might contain lists, and `pae` would encode these as bytes.
  if (!column.every((text) => typeof text === 'string'))
    throw new TypeError('every item of a list must be a text');
  return pae(...column);
}

// Array.isArray does not narrow the type of a readonly array.
function isList(column: Column): column is readonly string[] {
  return Array.isArray(column);
}
