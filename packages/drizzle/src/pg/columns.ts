import { type ColumnBaseConfig, entityKind, getTableName } from 'drizzle-orm';
import { type AnyPgTable, PgColumn, PgColumnBuilder } from 'drizzle-orm/pg-core';
import type { Field, PartIndexes } from '@eaas/sdk/fields';
import type { EaasConfig, Role } from '../encryption.ts';
import { mapFromDriver, mapToDriver, partsSpec, roleIn, searchableSpec, unusable } from '../column-rules.ts';
import { type ColumnOptions, type ColumnSpec, type Search, type SearchParameters, specs } from '../spec.ts';

interface BuilderConfig<Value> {
  readonly name: string;
  readonly dataType: 'custom';
  readonly columnType: 'EncryptedPgColumn';
  readonly data: Value;
  readonly driverParam: string;
  readonly enumValues: undefined;
}

/** Column builder of an encrypted column. */
export class EncryptedPgColumnBuilder<Value, S extends Search> extends PgColumnBuilder<
  BuilderConfig<Value>,
  EaasConfig,
  { encrypted: true }
> {
  static override readonly [entityKind]: string = 'EncryptedPgColumnBuilder';
  readonly #spec: ColumnSpec<Value>;
  #field: Field<Value>;

  constructor(name: string, spec: ColumnSpec<Value>) {
    super(name, 'custom', 'EncryptedPgColumn');
    this.#spec = spec;
    this.#field = spec.field;
    this.config.eaas = { field: spec.field, isUnique: false };
  }

  /**
   * Adds an index column with fingerprints, so that `eq` and `inArray` find encrypted values. Anyone who can compute
   * fingerprints can test guesses of a value.
   */
  searchable(...[options]: SearchParameters<S>): this & { _: { searchable: true } } {
    this.#field = { ...searchableSpec(this.#spec, options), parts: this.#field.parts };
    this.config.eaas = { ...this.config.eaas, field: this.#field };
    return this as this & { _: { searchable: true } };
  }

  /**
   * Adds indexes with which `matches` finds rows by a part of a value:
   * `searchableBy({ last4: lastCharacters(4, { lowEntropy }) })`.
   */
  searchableBy<const Parts extends (S extends 'none' ? never : PartIndexes<Value>)>(
    parts: Parts,
  ): this & { _: { parts: Parts } } {
    this.#field = partsSpec(this.#spec, this.#field, parts);
    this.config.eaas = { ...this.config.eaas, field: this.#field };
    return this as this & { _: { parts: Parts } };
  }

  /** Adds a unique constraint to the index column, so that no value occurs twice. Requires `searchable`. */
  override unique(name?: string): this {
    this.config.eaas = { ...this.config.eaas, isUnique: true };
    if (name !== undefined) this.config.uniqueName = name;
    return this;
  }

  /** Throws EncryptedColumnError, because the database would store the default value as plaintext. */
  override default(): never {
    return unusable(this.config.name, 'default');
  }

  /** Throws EncryptedColumnError, because the database cannot encrypt a generated value. */
  override generatedAlwaysAs(): never {
    return unusable(this.config.name, 'generatedAlwaysAs');
  }

  /** Throws EncryptedColumnError, because a primary key of ciphertexts would accept equal values. */
  override primaryKey(): never {
    return unusable(this.config.name, 'primaryKey');
  }

  /** Throws EncryptedColumnError, because a foreign key cannot compare ciphertexts. */
  override references(): never {
    return unusable(this.config.name, 'references');
  }

  /** Throws EncryptedColumnError, because an encrypted column cannot be an array. Use `encryptedJson` for lists. */
  override array(): never {
    return unusable(this.config.name, 'array');
  }

  /** The settings with which `encryptedTable` creates the index column. */
  get eaasConfig(): EaasConfig & { readonly name: string; readonly uniqueName: string | undefined } {
    return this.config;
  }

  /** Creates the column. Drizzle calls this method when it creates the table. */
  build(table: AnyPgTable): PgColumn {
    return new EncryptedPgColumn(table, this.config);
  }
}

export class IndexPgColumnBuilder extends PgColumnBuilder<BuilderConfig<string>, EaasConfig> {
  static override readonly [entityKind]: string = 'IndexPgColumnBuilder';

  constructor(name: string, isList: boolean) {
    super(name, 'custom', 'EncryptedPgColumn');
    this.config.eaas = { role: 'index', isList };
  }

  build(table: AnyPgTable): PgColumn {
    return new EncryptedPgColumn(table, this.config);
  }
}

type ColumnConfig = ColumnBaseConfig<'custom', 'EncryptedPgColumn'>;

class EncryptedPgColumn extends PgColumn<ColumnConfig, EaasConfig> {
  static override readonly [entityKind]: string = 'EncryptedPgColumn';
  readonly eaas: Role = roleIn(this.config.eaas, getTableName(this.table), this.name);

  getSQLType(): string {
    return 'text';
  }

  override mapToDriverValue(value: unknown): unknown {
    return mapToDriver(this.eaas, value);
  }

  override mapFromDriverValue(value: unknown): unknown {
    return mapFromDriver(this.eaas, value);
  }
}

type Builder<Value, S extends Search> = EncryptedPgColumnBuilder<Value, S>;
type Create<Value, S extends Search> = {
  (options?: ColumnOptions<Value>): Builder<Value, S>;
  (name: string, options?: ColumnOptions<Value>): Builder<Value, S>;
};

function creates<Value, S extends Search>(
  specOf: (options: ColumnOptions<Value> | undefined) => ColumnSpec<Value>,
): Create<Value, S> {
  return (first?: string | ColumnOptions<Value>, second?: ColumnOptions<Value>) =>
    typeof first === 'string'
      ? new EncryptedPgColumnBuilder(first, specOf(second))
      : new EncryptedPgColumnBuilder('', specOf(first));
}

/** Defines an encrypted column of text. */
export const encryptedText: Create<string, 'text'> = creates(specs.text);
/** Defines an encrypted column of numbers. */
export const encryptedNumber: Create<number, 'guessable'> = creates(specs.number);
/** Defines an encrypted column of bigints. */
export const encryptedBigint: Create<bigint, 'guessable'> = creates(specs.bigint);
/** Defines an encrypted column of booleans. */
export const encryptedBoolean: Create<boolean, 'guessable'> = creates(specs.boolean);
/** Defines an encrypted column of Dates with a precision of milliseconds. */
export const encryptedDate: Create<Date, 'guessable'> = creates(specs.date);
/** Defines an encrypted column of bytes. */
export const encryptedBytes: Create<Uint8Array, 'none'> = creates(specs.bytes);

/** Defines an encrypted column of JSON values with a given type: `encryptedJson<Notes>()`. */
export function encryptedJson<Value>(options?: ColumnOptions<Value>): Builder<Value, 'none'>;
export function encryptedJson<Value>(name: string, options?: ColumnOptions<Value>): Builder<Value, 'none'>;
export function encryptedJson<Value>(
  first?: string | ColumnOptions<Value>,
  second?: ColumnOptions<Value>,
): Builder<Value, 'none'> {
  return typeof first === 'string'
    ? new EncryptedPgColumnBuilder(first, specs.json(second))
    : new EncryptedPgColumnBuilder('', specs.json(first));
}
