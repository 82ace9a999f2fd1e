import { createHmac, type KeyObject } from 'node:crypto';
import { pae, type PaePart } from '@eaas/protocol';
import { paeView } from './pae-view.ts';
import { sameBytes } from './same-bytes.ts';

export type Column = PaePart | boolean | readonly string[];

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
  // Refuses a list of lists, which a tampered row might contain, because `pae` would encode the inner lists
  // as bytes.
  if (!column.every((text) => typeof text === 'string'))
    throw new TypeError('each item of a list in a database column must be a string (got another type)');
  return pae(...column);
}

// `isList` exists because `Array.isArray` does not narrow the type of a readonly array.
function isList(column: Column): column is readonly string[] {
  return Array.isArray(column);
}
