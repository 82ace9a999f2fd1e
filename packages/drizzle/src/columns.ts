// The columns of all dialects. Drizzle has a class of builders and a class of columns for each dialect, so a dialect
// passes its two classes, and `columnsOf` makes the encrypted ones from them.
import { type Column, entityKind, getTableName, type Table } from 'drizzle-orm';
import type { Field, PartIndexes } from '@eaas/sdk/fields';
import type { EaasConfig, Role } from './encryption.ts';
import { refuse } from './error.ts';
import { type ColumnOptions, type ColumnSpec, type Search, type SearchParameters, specs } from './spec.ts';
import { withIndexColumns } from './table.ts';

/** What Drizzle's types say about a builder of encrypted values. */
export interface ColumnData<Value, ColumnType extends string> {
  readonly name: string;
  readonly dataType: 'custom';
  readonly columnType: ColumnType;
  readonly data: Value;
  readonly driverParam: string;
  readonly enumValues: undefined;
}

/** The methods that the builder of an encrypted column has besides those of its dialect, or instead of them. */
export interface EncryptedBuilder<Value, S extends Search> {
  /**
   * Adds an index column with fingerprints, so that `eq` and `inArray` find encrypted values. Anyone who can compute
   * fingerprints can test guesses of a value.
   */
  searchable(...options: SearchParameters<S>): this & { _: { searchable: true } };
  /**
   * Adds indexes with which `matches` finds rows by a part of a value:
   * `searchableBy({ last4: lastCharacters(4, { lowEntropy }) })`.
   */
  searchableBy<const Parts extends (S extends 'none' ? never : PartIndexes<Value>)>(
    parts: Parts,
  ): this & { _: { parts: Parts } };
  /** Throws EncryptedColumnError, because the database would store the default value as plaintext. */
  default(): never;
  /** Throws EncryptedColumnError, because the database cannot encrypt a generated value. */
  generatedAlwaysAs(): never;
  /** Throws EncryptedColumnError, because a primary key of ciphertexts would accept equal values. */
  primaryKey(): never;
  /** Throws EncryptedColumnError, because a foreign key cannot compare ciphertexts. */
  references(): never;
  /** The settings with which `encryptedTable` creates the index column. */
  readonly eaasConfig: EaasConfig & { readonly name: string; readonly uniqueName: string | undefined };
}

/** The two functions that make a column: with a name, or with the name of its key in the table. */
export interface Create<Value, Builder> {
  (options?: ColumnOptions<Value>): Builder;
  (name: string, options?: ColumnOptions<Value>): Builder;
}

type Config = EaasConfig & { name: string; uniqueName: string | undefined };
type BuilderClass = new (
  name: string,
  dataType: 'custom',
  columnType: string,
) => { readonly config: Config; unique(name?: string): object };
type ColumnClass = new (table: Table, config: Config) => Column;

interface Dialect {
  /** `Pg` in `EncryptedPgColumn`. */
  readonly name: string;
  /** The class of builders of the dialect, such as `PgColumnBuilder`. */
  readonly Builder: unknown;
  /** The class of columns of the dialect, such as `PgColumn`. */
  readonly Column: unknown;
  readonly sqlType: (role: Role) => string;
}

/** Returns functions that make the builders of a dialect. Each dialect gives them its own types. */
export function columnsOf(dialect: Dialect) {
  const columnType = `Encrypted${dialect.name}Column`;
  // Drizzle declares the two classes as abstract, and their config as protected.
  const Builder = dialect.Builder as BuilderClass;
  const Column = dialect.Column as ColumnClass;

  class EncryptedColumn extends Column {
    static readonly [entityKind]: string = columnType;
    readonly eaas: Role;

    constructor(table: Table, config: Config) {
      super(table, config);
      this.eaas = roleIn(config.eaas, getTableName(table), this.name);
    }

    override getSQLType(): string {
      return dialect.sqlType(this.eaas);
    }

    override mapToDriverValue(value: unknown): unknown {
      return mapToDriver(this.eaas, value);
    }

    override mapFromDriverValue(value: unknown): unknown {
      return mapFromDriver(this.eaas, value);
    }
  }

  class EncryptedColumnBuilder extends Builder {
    static readonly [entityKind]: string = `${columnType}Builder`;
    readonly #spec: ColumnSpec<unknown>;
    #state: { readonly field: Field<unknown>; readonly isUnique: boolean };

    constructor(name: string, spec: ColumnSpec<unknown>) {
      super(name, 'custom', columnType);
      this.#spec = spec;
      this.#state = { field: spec.field, isUnique: false };
      this.config.eaas = this.#state;
    }

    #set(change: { field?: Field<unknown>; isUnique?: boolean }): this {
      this.#state = { ...this.#state, ...change };
      this.config.eaas = this.#state;
      return this;
    }

    searchable(options?: unknown): this {
      return this.#set({ field: { ...searchableSpec(this.#spec, options), parts: this.#state.field.parts } });
    }

    searchableBy(parts: PartIndexes<unknown>): this {
      return this.#set({ field: partsSpec(this.#spec, this.#state.field, parts) });
    }

    override unique(name?: string): this {
      if (name !== undefined) this.config.uniqueName = name;
      return this.#set({ isUnique: true });
    }

    get eaasConfig(): Config {
      return this.config;
    }

    build(table: Table): Column {
      return new EncryptedColumn(table, this.config);
    }
  }
  for (const method of Object.keys(remedies) as (keyof typeof remedies)[]) {
    Reflect.set(EncryptedColumnBuilder.prototype, method, function (this: EncryptedColumnBuilder): never {
      return unusable(this.config.name, method);
    });
  }

  class IndexColumnBuilder extends Builder {
    static readonly [entityKind]: string = `Index${dialect.name}ColumnBuilder`;

    constructor(name: string, isList: boolean) {
      super(name, 'custom', columnType);
      this.config.eaas = { role: 'index', isList };
    }

    build(table: Table): Column {
      return new EncryptedColumn(table, this.config);
    }
  }

  const creates =
    (specOf: (options: ColumnOptions<never> | undefined) => unknown) =>
    (first?: string | ColumnOptions<never>, second?: ColumnOptions<never>): unknown => {
      const [name, options] = typeof first === 'string' ? [first, second] : ['', first];
      return new EncryptedColumnBuilder(name, specOf(options) as ColumnSpec<unknown>);
    };
  return {
    text: creates(specs.text),
    number: creates(specs.number),
    bigint: creates(specs.bigint),
    boolean: creates(specs.boolean),
    date: creates(specs.date),
    bytes: creates(specs.bytes),
    json: creates(specs.json),
    /** The columns of a table, with an index column after each searchable column. */
    withIndexes: <C extends Readonly<Record<string, object>>>(table: string, columns: C): C =>
      withIndexColumns(table, columns, ({ name, isUnique, uniqueName, isList }) => {
        const index = new IndexColumnBuilder(name, isList);
        return isUnique ? index.unique(uniqueName) : index;
      }) as C,
  };
}

function roleIn(config: EaasConfig['eaas'], table: string, column: string): Role {
  return 'role' in config ? config : { ...config, role: 'value', table, column };
}

function mapToDriver(role: Role, value: unknown): unknown {
  if (role.role === 'index') return value;
  return refuse(
    'not_encrypted',
    role,
    'a value was about to be sent to the database without encryption',
    'await a statement of the database that `encrypted` returned',
  );
}

let isOpening = false;

/**
 * Runs `map`. An encrypted column returns ciphertexts only while `map` runs, and throws at any other time. `map` must
 * be synchronous, so that no other statement runs during `map`.
 */
export function whileOpening<T>(map: () => T): T {
  const before = isOpening;
  isOpening = true;
  try {
    return map();
  } finally {
    isOpening = before;
  }
}

function mapFromDriver(role: Role, value: unknown): unknown {
  if (isOpening || role.role === 'index') return value;
  return refuse(
    'not_decrypted',
    role,
    'a stored value was about to be returned without decryption',
    'await a query of the database that `encrypted` returned',
  );
}

function searchableSpec<Value>({ field, search }: ColumnSpec<Value>, options: unknown): Field<Value> {
  return search ? search(options as never) : refuseSearch(field);
}

function partsSpec<Value>(
  { search }: ColumnSpec<Value>,
  field: Field<Value>,
  parts: PartIndexes<Value>,
): Field<Value> {
  if (!search) return refuseSearch(field);
  for (const [name, { column, bits }] of Object.entries(parts)) {
    if (column !== true) {
      refuse('schema', {}, `the index column is always called \`<column>_${name}_index\``, 'omit `column`');
    }
    if (bits < 64)
      refuse(
        'schema',
        {},
        `a search in an index of ${bits} bits also finds values that do not match`,
        'use 64 bits or more',
      );
  }
  return { ...field, parts };
}

function refuseSearch({ type }: Pick<Field<unknown>, 'type'>): never {
  return refuse(
    'schema',
    {},
    `a column of ${type.name} cannot be searched`,
    'add a searchable column for the part of the value to search by',
  );
}

const remedies = {
  default: 'the definition of the table would hold it as plaintext, so use `$defaultFn`',
  generatedAlwaysAs: 'the database cannot encrypt, so compute the value in the app',
  primaryKey: 'two encryptions of a value differ, so use an id that is not encrypted',
  references: 'two encryptions of a value differ, so refer to a column that is not encrypted',
  array: 'use `encryptedJson`',
} as const;

function unusable(name: string, method: keyof typeof remedies): never {
  const column = name === '' ? undefined : name;
  return refuse('schema', { column }, `an encrypted column cannot have \`${method}\``, remedies[method]);
}
