// What the package knows of a table: which columns are encrypted, their index columns, the row id, and whose data a row is. And
// what `encryptedTable` adds to the columns of an app: index columns, and constraints over them instead of over ciphertexts.
import { Column, getTableColumns, getTableName, is, SQL, sql, type Table } from 'drizzle-orm';
import type { Field, PartIndex } from '@eaas/sdk/fields';
import { requireOptions, writesOlder } from '@eaas/sdk/internal';
import { refuse, refuseSql, requireVersion } from './error.ts';
import { requireKnown } from './new-id.ts';

/** What the builder of a column says of it. */
export type EaasConfig = ValueConfig | IndexRole;

interface ValueConfig {
  readonly field: Field<unknown>;
  readonly isUnique: boolean;
  /** The functions of the app that compute the value of a new row, and of an updated one. */
  readonly create?: () => unknown;
  readonly update?: () => unknown;
}

export interface Encryption extends ValueConfig {
  readonly role: 'value';
  /** The name of the table and never an alias, because each ciphertext is bound to the name of its table. */
  readonly table: string;
  readonly column: string;
}

interface IndexRole {
  readonly role: 'index';
  /** True if a cell is a list of fingerprints, separated by spaces. */
  readonly isList?: boolean | undefined;
}

export type Role = Encryption | IndexRole;

/** A column, and its key in the table. */
export interface KeyedColumn {
  readonly key: string;
  readonly column: Column;
}

export interface EncryptedEntry extends KeyedColumn {
  readonly encryption: Encryption;
  /** The index column for whole values. */
  readonly index: Column | undefined;
  readonly indexes: readonly IndexEntry[];
}

interface IndexEntry extends KeyedColumn {
  /** The name of the column in the definition of the fields. */
  readonly name: string;
  /** The name of an index of `searchableBy`. */
  readonly part: string | undefined;
}

const indexKeyOf = (key: string, part?: string): string =>
  part === undefined ? `${key}_index` : `${key}_${part}_index`;

/** Returns the subject of a row, which has the columns that the function reads by their keys. */
type SubjectOf = (row: Readonly<Record<string, unknown>>) => unknown;

interface PersonRole {
  readonly role: 'person';
  readonly subjectOf: SubjectOf | undefined;
}

function roleOf(value: unknown): Role | PersonRole | undefined {
  return is(value, Column) && 'eaas' in value ? (value.eaas as Role) : undefined;
}

export function encryptionOf(value: unknown): Encryption | undefined {
  const role = roleOf(value);
  return role?.role === 'value' ? role : undefined;
}

export const isIndexColumn = (value: unknown): value is Column => roleOf(value)?.role === 'index';

/** Returns the names of the table and the column if the value is an encrypted column or an index column. */
export function opaquePlace(value: unknown): Pick<Encryption, 'table' | 'column'> | undefined {
  if (!isIndexColumn(value)) return encryptionOf(value);
  return { table: getTableName(value.table), column: value.name };
}

/** What the package knows of a table. */
interface Layout {
  /** The encrypted columns, with their index columns. */
  readonly columns: readonly EncryptedEntry[];
  /** The columns that are neither encrypted nor indexes of the package. */
  readonly plain: readonly KeyedColumn[];
  /** The primary key, if it is one column. */
  readonly id: KeyedColumn | undefined;
  /** The columns that name the subject of a row: the person whose data the encrypted columns are. Empty if it is nobody. */
  readonly person: readonly KeyedColumn[];
  /** Returns the subject, if it is not the one value of `person`. */
  readonly subjectOf: SubjectOf | undefined;
  /** The first column whose ciphertexts are bound to the row id. */
  readonly bound: EncryptedEntry | undefined;
  /** The columns without which `previous` of a field cannot read a value. */
  readonly needed: readonly KeyedColumn[];
}

const known = new WeakMap<Table, Layout>();

/** Computed once: the columns of a table do not change after its definition. */
export function layoutOf(table: Table): Layout {
  const found = known.get(table);
  if (found) return found;
  const all = Object.entries<Column>(getTableColumns(table)).map(([key, column]) => ({ key, column }));
  const columns = all.flatMap(({ key, column }): EncryptedEntry[] => {
    const encryption = encryptionOf(column);
    if (!encryption) return [];
    const indexes = indexesOf(table, key, encryption);
    const index = indexes.find(({ part }) => part === undefined)?.column;
    return [{ key, column, encryption, index, indexes }];
  });
  const primary = all.filter(({ column }) => column.primary);
  const id = primary.length === 1 ? primary[0] : undefined;
  const roles = all.map(({ column }) => roleOf(column));
  const person = all.filter((_, at) => roles[at]?.role === 'person');
  const subjectOf = roles.find((role) => role?.role === 'person')?.subjectOf;
  const plain = all.filter(({ column }) => !opaquePlace(column));
  const bound = columns.find(({ encryption }) => isBound(encryption));
  const names = new Set(columns.flatMap(({ encryption }) => encryption.field.previous?.columns ?? []));
  const needed = plain.filter(({ column }) => names.has(column.name));
  const layout = { columns, plain, id, person, subjectOf, bound, needed };
  known.set(table, layout);
  return layout;
}

/** Whether ciphertexts are bound to the row id. */
export const isBound = ({ field }: Encryption): boolean => field.context !== 'field';

/** The names of the indexes of `searchableBy`, after undefined for the index of whole values. */
const indexedParts = (field: Field<unknown>): (string | undefined)[] => [
  ...(field.index ? [undefined] : []),
  ...Object.keys(field.parts ?? {}),
];

function indexesOf(table: Table, key: string, encryption: Encryption): IndexEntry[] {
  const { field, column: name } = encryption;
  return indexedParts(field).map((part) => {
    const own = indexKeyOf(key, part);
    const column: Column | undefined = getTableColumns(table)[own];
    if (isIndexColumn(column)) return { key: own, name: indexKeyOf(name, part), column, part };
    const problem = 'the column is searchable, but its table has no index column for it';
    return refuse('definition', encryption, problem, 'define the table with `encryptedTable`');
  });
}

export const entryOf = ({ table, name }: Column): EncryptedEntry =>
  layoutOf(table).columns.find(({ column }) => column.name === name) as EncryptedEntry;

export function requireIdColumn(table: Table, encryption: Encryption): KeyedColumn {
  const problem = 'the ciphertexts are bound to the row id, but the table has no primary key of one column';
  const remedy = "mark a column with `.primaryKey()`, or define the field with `{ context: 'field' }`";
  return layoutOf(table).id ?? refuse('row_unknown', encryption, problem, remedy);
}

/** The columns whose values the ciphertexts of a column are bound to: the row id, and those that name the person. */
export function boundTo(table: Table, encryption: Encryption): readonly KeyedColumn[] {
  const { person } = layoutOf(table);
  return isBound(encryption) ? [requireIdColumn(table, encryption), ...person] : person;
}

/** Says which columns name the person. The aliases of the table know it too, because they have its columns. */
function markPerson(table: Table, subject: string | SubjectOf): void {
  const subjectOf = typeof subject === 'function' ? subject : undefined;
  for (const key of subjectOf ? keysRead(subjectOf) : [String(subject)]) {
    const column: Column | undefined = getTableColumns(table)[key];
    if (!column || roleOf(column)) {
      const place = { table: getTableName(table), column: key };
      const problem =
        '`subject` must be the key of a column that is not encrypted, or a function of such columns';
      refuse('definition', place, problem, 'name the column with the id of the person');
    }
    Object.assign(column, { eaas: { role: 'person', subjectOf } satisfies PersonRole });
  }
}

/** The keys of the columns that a function reads, at least one. */
function keysRead(subjectOf: SubjectOf): readonly string[] {
  const keys = new Set<string>();
  subjectOf(new Proxy({}, { get: (_, key) => keys.add(String(key)) && '' }));
  return keys.size > 0 ? [...keys] : [''];
}

/** A stored value in a result, until it is opened. */
export class Stored {
  readonly column: Column;
  readonly value: unknown;

  constructor(column: Column, value: unknown) {
    this.column = column;
    this.value = value;
  }
}

const isReadable = Symbol('readable');

/**
 * Returns a column that only the package puts into a statement, and whose stored values it opens afterwards. It inherits
 * everything else from the column; a Proxy would slow down the reading of each row.
 */
export function readable(column: Column): Column {
  const mapFromDriverValue = (value: unknown): unknown => new Stored(column, value);
  return Object.assign(Object.create(column) as Column, { mapFromDriverValue, [isReadable]: true });
}

/** Throws for an encrypted column or an index column in SQL, unless the package itself put it there. */
export function requirePlain(column: Column): Column {
  const place = isReadable in column ? undefined : opaquePlace(column);
  return place ? refuseSql(place) : column;
}

/** What a table can have besides its columns. */
export interface TableOptions<Key extends string, Extra> {
  /**
   * The key of the column that says whose data a row is: the subject, for whom its encrypted columns are encrypted. The
   * column is not encrypted itself, and `subjects.erase` makes the rows of a person unreadable. Or a function of several such
   * columns: `({ tenant, owner }) => …`. It is called once without a row, to find out which columns it reads, and gets no others.
   */
  readonly subject?: Key | ((row: { readonly [Name in Key]: unknown }) => unknown) | undefined;
  /**
   * Accepts that anyone who can compute fingerprints can find the values of some indexes by brute force: those of numbers,
   * dates and booleans, and of parts of values.
   */
  readonly lowEntropy?: 'accepted' | undefined;
  /**
   * Whether the database itself refuses what is no ciphertext, by a check constraint (in SQLite an index) for each encrypted
   * column without `previous`. Defaults to true.
   */
  readonly refusePlaintext?: boolean | undefined;
  /** Indexes and constraints, as the third argument of Drizzle's tables. */
  readonly extraConfig?: Extra | undefined;
}

type ExtraConfig = (self: never) => object;
type Options = TableOptions<string, ExtraConfig>;
const optionRules: Parameters<typeof requireOptions<Options>>[0] = {
  subject: 'anything',
  lowEntropy: 'anything',
  refusePlaintext: 'anything',
  extraConfig: 'anything',
};
type Builders = Readonly<Record<string, object>>;

/** The schema of a table in the database, if it has one. */
export const schemaOf = (table: Table): string | undefined =>
  Reflect.get(table, Symbol.for('drizzle:Schema')) as string | undefined;

/** Makes an index column, which can hold lists of fingerprints. */
type CreateIndex = (name: string, isList: boolean) => { unique(name?: string): object };
type CreateTable = (name: string, columns: Builders, extra: (self: object) => object[]) => Table;
/** Makes what refuses the rows for which a condition of a column is false. */
type Check = (name: string, condition: SQL, column: Column) => object;

/** The builder of a constraint or an index: `value` is of a check. */
interface Constraint {
  readonly columns?: readonly unknown[];
  readonly config?: { readonly columns?: readonly unknown[]; readonly unique?: boolean };
  readonly value?: unknown;
}

/**
 * Makes `encryptedTable` of a dialect. `create` is Drizzle's function for a table, and `form` what SQL says of a column that
 * holds ciphertexts.
 */
export function tablesOf(indexColumn: CreateIndex, check: Check, form: string) {
  return (create: CreateTable) =>
    (name: string, columns: Builders, given?: ExtraConfig | Options): Table => {
      requireVersion();
      const options = typeof given === 'function' ? { extraConfig: given } : { ...given };
      requireOptions(optionRules, options, 'encryptedTable');
      const table: Table = create(name, withIndexColumns(name, columns, options, indexColumn), (self) => {
        const extraOf = (all: object): Constraint[] =>
          Object.values<Constraint>({ ...options.extraConfig?.(all as never) }).flat(1);
        const covered = extraOf(withCovered(table, self));
        // A check is about the columns that it names.
        const extra = extraOf(self).map((each, at) => (is(each.value, SQL) ? each : (covered[at] ?? each)));
        for (const each of extra) requireComparable(each);
        return [...extra, ...checksOf(table, check, form, options.refusePlaintext)];
      });
      if (options.subject !== undefined) markPerson(table, options.subject);
      const { id, bound } = layoutOf(table);
      if (id && bound) requireKnown(id.column, name);
      return table;
    };
}

function withIndexColumns(table: string, columns: Builders, options: Options, create: CreateIndex): Builders {
  const entries = Object.entries(columns).flatMap(([key, builder]): [string, object][] => {
    const { name, uniqueName, eaas } = (builder as { config?: Config }).config ?? {};
    if (!eaas || 'role' in eaas) return [[key, builder]];
    const { field, isUnique } = eaas;
    const place = { table, column: name || key };
    if (isUnique && field.index?.bits !== 256) {
      const remedy = 'use a field with `.searchable()` and without `bits`';
      refuse('definition', place, 'a unique column must be searchable by whole fingerprints', remedy);
    }
    const parts: Readonly<Record<string, PartIndex<unknown, never>>> = { ...field.parts };
    const isGuessable = Object.keys(parts).length > 0 || (field.index && field.type.name !== 'text');
    if (isGuessable && options.lowEntropy !== 'accepted') {
      const problem = 'the values of an index can be guessed by brute force from their fingerprints';
      const remedy = "accept this risk for the table with `{ lowEntropy: 'accepted' }`";
      refuse('definition', place, problem, remedy);
    }
    const indexes = indexedParts(field).map((part): [string, object] => {
      const own = indexKeyOf(key, part);
      if (Object.hasOwn(columns, own)) {
        refuse('definition', place, `the index column needs the key \`${own}\``, 'rename the other column');
      }
      const index = create(name ? indexKeyOf(name, part) : '', parts[part ?? '']?.isList ?? false);
      const isOwn = isUnique && part === undefined && !writesOlder(field);
      return [own, isOwn ? index.unique(uniqueName) : index];
    });
    return [[key, builder] as [string, object]].concat(indexes);
  });
  return Object.fromEntries(entries);
}

type Config = { readonly name: string; readonly uniqueName: string | undefined; readonly eaas?: EaasConfig };

/** An encrypted column holds ciphertexts, and a row without a value has no fingerprint. */
function checksOf(table: Table, check: Check, form: string, refusesPlaintext = true): object[] {
  return layoutOf(table).columns.flatMap(({ column, encryption, indexes }) => {
    if (writesOlder(encryption.field)) return [];
    const checks = indexes.map(({ column: index }) =>
      check(constraintName(index, 'check'), sql`${column} is not null or ${index} is null`, column),
    );
    if (refusesPlaintext && !encryption.field.previous) {
      checks.unshift(check(constraintName(column, 'encrypted'), sql`${column} ${sql.raw(form)}`, column));
    }
    return checks;
  });
}

/** PostgreSQL cuts off a name after 63 bytes, so a longer one becomes a hash of it (FNV-1a). */
function constraintName({ table, name }: Column, kind: string): string {
  const whole = `${getTableName(table)}_${name}_${kind}`;
  const bytes = new TextEncoder().encode(whole);
  if (bytes.length <= 63) return whole;
  const hash = bytes.reduce((sum, byte) => Math.imul(sum ^ byte, 0x01_00_01_93) >>> 0, 0x81_1c_9d_c5);
  return `eaas_${hash.toString(16)}_${kind}`;
}

/**
 * The columns for constraints and indexes: a searchable column stands for its index column, because two ciphertexts of a
 * value differ, and any other encrypted column throws when its name is read.
 */
function withCovered(table: Table, self: object): object {
  const get = (of: object, key: string): unknown => {
    const entry = layoutOf(table).columns.find((each) => each.key === key);
    if (!entry || writesOlder(entry.encryption.field)) return Reflect.get(of, key);
    if (entry.index) return Reflect.get(of, indexKeyOf(key));
    const problem = 'a constraint or an index must cover a searchable column';
    const remedy = 'use a field with `.searchable()`, or leave the column out';
    const name = { get: () => refuse('definition', entry.encryption, problem, remedy) };
    return Object.create(Reflect.get(of, key) as object, { name });
  };
  return new Proxy(self, { get });
}

/** The names of the columns that must differ, by the constraints and indexes of a table with fields that were renamed. */
export function uniqueIn(table: Table): unknown[] {
  const { columns } = layoutOf(table);
  if (!columns.some(({ encryption }) => encryption.field.renamedFrom)) return [];
  // The builder is undefined for a table without constraints.
  const build = partOf(table, 'ExtraConfigBuilder') as ((self: unknown) => Builders) | undefined;
  const made: Readonly<Record<string, Constraint>> = build?.(partOf(table, 'ExtraConfigColumns')) ?? {};
  const differing = ({ columns: own, config }: Constraint) => own ?? (config?.unique && config.columns) ?? [];
  const own = columns.filter(({ encryption }) => encryption.isUnique).map(({ index }) => index);
  return [...own, ...Object.values(made).flatMap(differing)].map((each): unknown => Object(each).name);
}

/** What Drizzle keeps in a table under a symbol. Throws if it is not there, because then nobody knows the constraints. */
function partOf(table: Table, name: string): unknown {
  const symbol = Symbol.for(`drizzle:${name}`);
  if (symbol in table) return Reflect.get(table, symbol);
  const problem = `the installed drizzle-orm keeps its constraints elsewhere (there is no \`drizzle:${name}\`)`;
  return refuse('definition', { table: getTableName(table) }, problem, 'install drizzle-orm 0.45');
}

function requireComparable({ columns = [], config }: Constraint): void {
  for (const column of [...columns, ...(config?.columns ?? [])]) void Object(column).name;
}
