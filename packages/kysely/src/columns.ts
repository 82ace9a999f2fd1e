// What the plugin must know of an encrypted table: which values its columns take, and what is written together. Names are compared
// as `keyOf` makes them, because other plugins write them in another way: CamelCasePlugin makes `home_visits` of `homeVisits`.
import { EncryptedTableError, type FieldsDescription, isEncrypted } from '@eaas/sdk/fields';

type Description = FieldsDescription[string];

/** An encrypted column, or the column of an index. */
export interface Column {
  /** The name in the definition, or the new name that a query gives it. */
  readonly name: string;
  readonly isIndex: boolean;
  /** Whether its fingerprints are so short that plaintext can look like one. */
  readonly isShort: boolean;
  readonly accepts: (value: unknown) => boolean;
  /** The keys of what must be written with it: the indexes of a field, or the fields of an index. */
  readonly partners: readonly string[];
}
export type Columns = ReadonlyMap<string, Column>;

export interface EncryptedTable {
  /** The name in the definition. */
  readonly name: string;
  readonly columns: Columns;
  /** The keys of its other columns. */
  readonly unencrypted: ReadonlySet<string>;
}

/** A fingerprint of 64 bits. A shorter one can be the digits of a telephone number, or of a card. */
const shortestDigits = 16;

/** Returns what is the same for all spellings of a name: `homeVisits`, `home_visits` and `HOME_VISITS`. */
export const keyOf = (name: string): string => name.toLowerCase().replaceAll('_', '') || name;

/** Returns the tables with encrypted columns, by the keys of their names. Throws if two names have the same key. */
export function tablesOf(described: FieldsDescription): ReadonlyMap<string, EncryptedTable> {
  requireDifferent(Object.keys(described));
  const encrypted = Object.entries(described).filter(([, { fields }]) => fields.length > 0);

  return new Map(encrypted.map(([name, table]) => [keyOf(name), tableOf(name, table)]));
}

function tableOf(name: string, { fields, indexes, unencrypted }: Description): EncryptedTable {
  const columns = [...fields.map((field) => columnOf(field, indexes)), ...indexes.map(indexColumnOf)];
  requireDifferent([...columns.map((column) => column.name), ...unencrypted], name);

  return {
    name,
    columns: new Map(columns.map((column) => [keyOf(column.name), column])),
    unencrypted: new Set(unencrypted.map(keyOf)),
  };
}

function columnOf({ column: name }: Description['fields'][number], indexes: Description['indexes']): Column {
  const partners = indexes.filter(({ of }) => of.includes(name)).map(({ column }) => keyOf(column));

  return { name, isIndex: false, isShort: false, accepts: isEncrypted, partners };
}

function indexColumnOf({ column: name, of, digits }: Description['indexes'][number]): Column {
  const fingerprints = new RegExp(`^[0-9a-f]{${digits}}(?: [0-9a-f]{${digits}})*$`);
  const isShort = digits < shortestDigits;

  return {
    name,
    isIndex: true,
    isShort,
    accepts: (value) => !isShort && fingerprints.test(String(value)),
    partners: of.map(keyOf),
  };
}

function requireDifferent(names: readonly string[], table?: string): void {
  const keys = names.map(keyOf);
  const at = keys.findIndex((key, place) => keys.indexOf(key) !== place);
  if (at === -1) return;

  const name = names[at];
  const other = names[keys.indexOf(keys[at] ?? '')];
  throw new EncryptedTableError(
    'definition',
    table === undefined ? { table: name } : { table, column: name },
    `the definition also names \`${other}\`, which differs only by case or \`_\`, as plugins for names change it`,
    'rename one of the two',
  );
}
