// The two columns of an encrypted value: `encrypted(field)`, and the index columns that `encryptedTable` adds. Drizzle has
// a class of builders and a class of columns for each dialect, so a dialect passes its two classes.
import { type Column, ColumnBuilder, entityKind, getTableName, is, type Table } from 'drizzle-orm';
import type { Field, PartIndex } from '@eaas/sdk/fields';
import { writesOlder } from '@eaas/sdk/internal';
import { refuse } from './error.ts';
import { encryptedColumns, originOf } from './fields.ts';
import type { EaasConfig, Role } from './table.ts';

type Config = { eaas: EaasConfig; name: string; uniqueName: string | undefined; hasDefault: boolean };
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
  /** The type in the database. Defaults to text. */
  readonly sqlType?: (role: Role) => string;
}

/** Returns the functions that make the columns of a dialect. Each dialect gives `encrypted` its own types. */
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
      const { eaas } = config;
      this.eaas =
        'role' in eaas ? eaas : { ...eaas, role: 'value', table: getTableName(table), column: this.name };
      if (this.eaas.role === 'value') encryptedColumns.set(originOf(table, this.name), this.eaas);
    }

    override getSQLType(): string {
      return dialect.sqlType?.(this.eaas) ?? 'text';
    }

    // The next two are properties of each column, because the columns of Drizzle 1.0 have properties, which hide methods.
    /** No statement sends a value of the column: ciphertexts do not pass here. */
    override mapToDriverValue = (value: unknown): unknown => {
      if (this.eaas.role === 'index') return value;
      const problem = 'a value was about to be sent to the database without encryption';
      return refuse('not_encrypted', this.eaas, problem, `await a statement ${own}`);
    };

    /** No query reads a value of the column: `withEncryption` reads it as another column, which `readable` makes. */
    override mapFromDriverValue = (value: unknown): unknown => {
      if (this.eaas.role === 'index') return value;
      const problem = 'a stored value was about to be returned without decryption';
      return refuse('not_decrypted', this.eaas, problem, `await a query ${own}`);
    };
  }

  class EaasColumnBuilder extends Builder {
    static readonly [entityKind]: string = `${columnType}Builder`;

    constructor(name: string, eaas: EaasConfig) {
      super(name, 'custom', columnType);
      this.config.eaas = eaas;
    }

    build(table: Table): Column {
      return new EncryptedColumn(table, this.config);
    }
  }

  class EncryptedColumnBuilder extends EaasColumnBuilder {
    override unique(name?: string): this {
      if (name !== undefined) this.config.uniqueName = name;
      const { eaas } = this.config;
      // The constraint of the version before stays as it is.
      if ('field' in eaas && writesOlder(eaas.field)) super.unique(name);
      return this.#with({ isUnique: true });
    }

    // Drizzle does not know the two functions, and so calls neither: their values would not be encrypted.
    $defaultFn(create: () => unknown): this {
      this.config.hasDefault = true;
      return this.#with({ create });
    }

    $onUpdateFn(update: () => unknown): this {
      this.config.hasDefault = true;
      return this.#with({ update });
    }

    #with(more: object): this {
      Object.assign(this.config.eaas, more);
      return this;
    }
  }
  for (const method of unusable) {
    Reflect.set(EncryptedColumnBuilder.prototype, method, function (this: EncryptedColumnBuilder): never {
      const { name } = this.config;
      const place = { column: name === '' ? undefined : name };
      const problem = `an encrypted column cannot have \`${method}\`, because the database sees only ciphertexts`;
      return refuse('definition', place, problem, 'compute in the app, and refer to other columns');
    });
  }

  return {
    encrypted: (...given: [field: unknown] | [name: string, field: unknown]): object => {
      const [name, field] = typeof given[0] === 'string' ? [given[0], given[1]] : ['', given[0]];
      return new EncryptedColumnBuilder(name, { field: requireField(name, field), isUnique: false });
    },
    indexColumn: (name: string, isList: boolean) => new EaasColumnBuilder(name, { role: 'index', isList }),
  };
}

const own = 'of the database that `withEncryption` returned';

const unusable = ['default', 'generatedAlwaysAs', 'primaryKey', 'references', 'array'];

function requireField(name: string, given: unknown): Field<unknown> {
  const place = { column: name === '' ? undefined : name };
  const field = given as Field<unknown> | null | undefined;
  if (typeof field?.type?.encode !== 'function') {
    const got = is(given, ColumnBuilder) ? 'a column builder of Drizzle' : typeof given;
    const remedy = "import { field } from '@eaas/sdk/fields', and write `encrypted(field.text())`";
    return refuse('definition', place, `\`encrypted\` takes a field (got ${got})`, remedy);
  }
  const parts: Readonly<Record<string, PartIndex<unknown, never>>> = { ...field.parts };
  for (const index of [...Object.values(parts), ...(field.index ? [field.index] : [])]) {
    if (index.column !== true) {
      refuse('definition', place, 'the column of an index has a name of its own', 'omit `column`');
    }
  }
  return field;
}
