import {
  type Column,
  getTableColumns,
  getTableName,
  is,
  Column as ColumnClass,
  type Table,
} from 'drizzle-orm';
import type { Field, PartIndex } from '@eaas/sdk/fields';
import { type ColumnPlace, refuse } from './error.ts';

/** Describes how one column is encrypted. */
export interface Encryption extends ColumnPlace {
  readonly role: 'value';
  /** The name of the table, which is bound to each ciphertext. An alias of the table does not change this name. */
  readonly table: string;
  /** The name of the column, which is bound to each ciphertext. */
  readonly column: string;
  readonly field: Field<unknown>;
  readonly isUnique: boolean;
}

/** The role of an index column, which contains the fingerprints of an encrypted column. */
interface IndexRole {
  readonly role: 'index';
  /** Whether the column contains several fingerprints, separated by spaces. */
  readonly isList?: boolean | undefined;
}

/** The property that this package adds to the configuration of a Drizzle column. */
export interface EaasConfig {
  eaas: { field: Field<unknown>; isUnique: boolean } | IndexRole;
}

/** The role of a column: it contains either encrypted values or fingerprints. */
export type Role = Encryption | IndexRole;

/** Returns the key of an index column: `email_index` for the column `email`. */
export const indexKeyOf = (key: string): string => `${key}_index`;

/** Returns the key of the column of an index of `searchableBy`: `ssn_last4_index` for `ssn` and `last4`. */
export const partKeyOf = (key: string, part: string): string => indexKeyOf(`${key}_${part}`);

/** Returns the indexes of `searchableBy` of a field, by name. */
export function partsOf({ parts }: Field<unknown>): Readonly<Record<string, PartIndex<unknown>>> {
  return { ...parts };
}

function roleOf(value: unknown): Role | undefined {
  if (!is(value, ColumnClass) || !('eaas' in value)) return undefined;
  return value.eaas as Role;
}

/** Returns the encryption of a column or an aliased column. Returns undefined for columns that are not encrypted. */
export function encryptionOf(value: unknown): Encryption | undefined {
  const role = roleOf(value);
  return role?.role === 'value' ? role : undefined;
}

export function isIndexColumn(value: unknown): boolean {
  return roleOf(value)?.role === 'index';
}

/** Returns the table and the name of an encrypted column or an index column. Returns undefined for any other value. */
export function hiddenPlace(value: unknown): ColumnPlace | undefined {
  const role = roleOf(value);
  if (role?.role !== 'index' || !is(value, ColumnClass)) return encryptionOf(value);
  return { table: getTableName(value.table), column: value.name };
}

export interface EncryptedEntry {
  /** The key of the column in the table object. */
  readonly key: string;
  readonly column: Column;
  readonly encryption: Encryption;
  /** The index column, if the column is searchable. */
  readonly index: Column | undefined;
  /** All index columns: of `searchable` and of `searchableBy`. */
  readonly indexes: readonly IndexEntry[];
}

/** An index column of an encrypted column. */
interface IndexEntry {
  /** The key of the index column in the table object. */
  readonly key: string;
  /** The name of the index column in the definition of the SDK. */
  readonly name: string;
  readonly column: Column;
  /** The name of the index of `searchableBy`. */
  readonly part: string | undefined;
}

/** Returns the encrypted columns of a table or of its alias. */
export function encryptedColumns(table: Table): EncryptedEntry[] {
  const columns: Readonly<Record<string, Column>> = getTableColumns(table);
  return Object.entries(columns).flatMap(([key, column]) => {
    const encryption = encryptionOf(column);
    if (!encryption) return [];
    const indexes = indexesOf(columns, key, encryption);
    const index = indexes.find(({ part }) => part === undefined)?.column;
    return [{ key, column, encryption, index, indexes }];
  });
}

function indexesOf(
  columns: Readonly<Record<string, Column>>,
  key: string,
  encryption: Encryption,
): IndexEntry[] {
  const { field, column: name } = encryption;
  const parts = Object.keys(partsOf(field)).map((part): IndexEntry => {
    const own = partKeyOf(key, part);
    return { key: own, name: partKeyOf(name, part), column: indexColumn(columns, own, encryption), part };
  });
  if (!field.index) return parts;
  const column = indexColumn(columns, indexKeyOf(key), encryption);
  return [{ key: indexKeyOf(key), name: indexKeyOf(name), column, part: undefined }, ...parts];
}

function indexColumn(columns: Readonly<Record<string, Column>>, key: string, encryption: Encryption): Column {
  const index = columns[key];
  if (index && isIndexColumn(index)) return index;
  return refuse(
    'schema',
    encryption,
    'the column is searchable, but its table has no index column for it',
    'define the table with `encryptedTable`',
  );
}

/** Returns the `EncryptedEntry` of a column, in its table or in an alias of the table. */
export function entryOf(column: Column, encryption: Encryption): EncryptedEntry {
  const entry = encryptedColumns(column.table).find((other) => other.column.name === column.name);
  return (
    entry ??
    refuse('schema', encryption, 'the table does not list the column', 'define it with `encryptedTable`')
  );
}

/** Returns whether the ciphertexts of a column are bound to the id of their row. */
export function isBound({ field }: Encryption): boolean {
  return field.context !== 'field';
}

/** The column that identifies the rows of a table, and its key. */
export interface IdColumn {
  readonly key: string;
  readonly column: Column;
}

/** Returns the primary key of a table. Returns undefined if the primary key has several columns or is encrypted. */
export function idColumnOf(table: Table): IdColumn | undefined {
  const primary = Object.entries<Column>(getTableColumns(table)).filter(([, column]) => column.primary);
  const [only] = primary;
  return only && primary.length === 1 ? { key: only[0], column: only[1] } : undefined;
}

/**
 * Returns the primary key, to which the ciphertexts are bound. Throws EncryptedColumnError if the primary key has
 * several columns or is encrypted.
 */
export function requireIdColumn(table: Table, encryption: Encryption): IdColumn {
  return (
    idColumnOf(table) ??
    refuse(
      'row_unknown',
      encryption,
      'the ciphertexts are bound to the row id, but the table has no primary key of one column',
      "mark a column with `.primaryKey()`, or define the column with `{ context: 'field' }`",
    )
  );
}
