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

export interface Encryption extends ColumnPlace {
  readonly role: 'value';
  /** The name of the table and never an alias, because each ciphertext is bound to the name of its table. */
  readonly table: string;
  readonly column: string;
  readonly field: Field<unknown>;
  readonly isUnique: boolean;
}

interface IndexRole {
  readonly role: 'index';
  /** True if a cell is a list of fingerprints, separated by spaces. */
  readonly isList?: boolean | undefined;
}

export interface EaasConfig {
  eaas: { field: Field<unknown>; isUnique: boolean } | IndexRole;
}

/** The column that says whose data the encrypted columns of a row are. */
interface SubjectRole {
  readonly role: 'subject';
}

export type Role = Encryption | IndexRole;

export const indexKeyOf = (key: string): string => `${key}_index`;

export const partKeyOf = (key: string, part: string): string => indexKeyOf(`${key}_${part}`);

export function partsOf({ parts }: Field<unknown>): Readonly<Record<string, PartIndex<unknown>>> {
  return { ...parts };
}

function roleOf(value: unknown): Role | SubjectRole | undefined {
  if (!is(value, ColumnClass) || !('eaas' in value)) return undefined;
  return value.eaas as Role | SubjectRole;
}

export function encryptionOf(value: unknown): Encryption | undefined {
  const role = roleOf(value);
  return role?.role === 'value' ? role : undefined;
}

export function isIndexColumn(value: unknown): boolean {
  return roleOf(value)?.role === 'index';
}

/** Returns the names of the table and the column if the value is an encrypted column or an index column. */
export function opaquePlace(value: unknown): ColumnPlace | undefined {
  const role = roleOf(value);
  if (role?.role !== 'index' || !is(value, ColumnClass)) return encryptionOf(value);
  return { table: getTableName(value.table), column: value.name };
}

export interface EncryptedEntry {
  readonly key: string;
  readonly column: Column;
  readonly encryption: Encryption;
  readonly index: Column | undefined;
  readonly indexes: readonly IndexEntry[];
}

interface IndexEntry {
  readonly key: string;
  readonly name: string;
  readonly column: Column;
  readonly part: string | undefined;
}

/** What the package knows of a table, computed once: the columns of a table do not change after its definition. */
interface Metadata {
  readonly columns: readonly EncryptedEntry[];
  readonly id: IdColumn | undefined;
  /** The first column whose ciphertexts are bound to the row id. */
  readonly bound: EncryptedEntry | undefined;
  readonly subject: IdColumn | undefined;
}

const known = new WeakMap<Table, Metadata>();

function metadataOf(table: Table): Metadata {
  const found = known.get(table);
  if (found) return found;
  const columns = findEncrypted(table);
  const bound = columns.find(({ encryption }) => isBound(encryption));
  const metadata = { columns, id: findId(table), bound, subject: findSubject(table) };
  known.set(table, metadata);
  return metadata;
}

/** The encrypted columns of a table, with their index columns. */
export const encryptedColumns = (table: Table): readonly EncryptedEntry[] => metadataOf(table).columns;

/** The first column whose ciphertexts are bound to the row id. */
export const boundColumnOf = (table: Table): EncryptedEntry | undefined => metadataOf(table).bound;

/** The primary key, if it is one column. */
export const idColumnOf = (table: Table): IdColumn | undefined => metadataOf(table).id;

/** The column whose value is the subject of a row: the person whose data the encrypted columns are. */
export const subjectColumnOf = (table: Table): IdColumn | undefined => metadataOf(table).subject;

function findEncrypted(table: Table): EncryptedEntry[] {
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

export function entryOf(column: Column, encryption: Encryption): EncryptedEntry {
  const entry = encryptedColumns(column.table).find((other) => other.column.name === column.name);
  return (
    entry ??
    refuse('schema', encryption, 'the table does not list the column', 'define it with `encryptedTable`')
  );
}

export function isBound({ field }: Encryption): boolean {
  return field.context !== 'field';
}

export interface IdColumn {
  readonly key: string;
  readonly column: Column;
}

function findId(table: Table): IdColumn | undefined {
  const primary = Object.entries<Column>(getTableColumns(table)).filter(([, column]) => column.primary);
  const [only] = primary;
  return only && primary.length === 1 ? { key: only[0], column: only[1] } : undefined;
}

function findSubject(table: Table): IdColumn | undefined {
  const found = Object.entries<Column>(getTableColumns(table)).find(
    ([, column]) => roleOf(column)?.role === 'subject',
  );
  return found && { key: found[0], column: found[1] };
}

/** Says which column has the subject. The aliases of the table know it too, because they have its columns. */
export function setSubject<T extends Table>(table: T, key: string | undefined): T {
  if (key === undefined) return table;
  const column: Column | undefined = getTableColumns(table)[key];
  if (!column || roleOf(column)) {
    refuse(
      'schema',
      { table: getTableName(table), column: key },
      '`subject` must be the key of a column that is not encrypted',
      'name the column with the id of the person',
    );
  }
  Object.assign(column, { eaas: { role: 'subject' } });
  return table;
}

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
