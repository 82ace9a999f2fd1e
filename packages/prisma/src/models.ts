import type { FieldDescription } from '@eaas/sdk/fields';
import { refuse } from './errors.ts';

/** A column or a relation in Prisma's run-time data model. */
export interface RuntimeField {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  readonly relationName?: string | null | undefined;
}

/** Prisma's run-time data model, which each generated client contains. */
export interface RuntimeDataModel {
  readonly models: Readonly<
    Record<string, { readonly dbName?: string | null; readonly fields: readonly RuntimeField[] }>
  >;
}

/** Options that map a model to a table of the definition. */
export interface ModelOptions {
  /** The table of the definition. Defaults to the name of the model. */
  readonly table?: string | undefined;
  /** The columns of the row id: one column, or the columns of a compound id. Defaults to `id`. */
  readonly id?: string | readonly string[] | undefined;
  /** Creates the id of a new row. Defaults to `crypto.randomUUID()` for a String id. */
  readonly newId?: (() => string | number | bigint) | undefined;
}

/** A model of the Prisma schema. Only encrypted models have a table. */
export interface Model {
  readonly name: string;
  /** The name of the model's table in the database. */
  readonly stored: string;
  readonly columns: ReadonlyMap<string, RuntimeField>;
  readonly table: string | undefined;
  readonly encrypted: ReadonlyMap<string, FieldDescription>;
  /** The field of each index column, by the name of the index column. */
  readonly indexes: ReadonlyMap<string, string>;
  readonly id: readonly string[];
  readonly newId: (() => string | number | bigint) | undefined;
}

export type Models = ReadonlyMap<string, Model>;

/** The fields of a definition, by table name. */
export type Definition = ReadonlyMap<string, readonly FieldDescription[]>;

/**
 * Finds the model of each table in the definition. Throws EncryptedModelError for a table without a model or a field
 * without a column, because their values would be stored as plaintext.
 */
export function modelsOf(
  { models }: RuntimeDataModel,
  definition: Definition,
  options: Readonly<Record<string, string | ModelOptions | undefined>> = {},
): Models {
  for (const name of Object.keys(options)) {
    if (!models[name]) refuse('definition', { name }, undefined, 'the Prisma schema has no such model');
  }
  const known = new Map(
    Object.entries(models).map(([name, { dbName, fields }]) => {
      const given = options[name];
      const own: ModelOptions = typeof given === 'string' ? { table: given } : (given ?? {});
      return [name, modelOf(name, dbName ?? name, fields, definition, own)];
    }),
  );
  const used = Array.from(known.values(), ({ table }) => table);
  for (const table of definition.keys()) {
    if (used.filter((name) => name === table).length === 1) continue;
    const cure = `pass { models: { <Model>: '${table}' } }`;
    refuse('definition', { name: table }, undefined, `exactly one model must have this table: ${cure}`);
  }
  return known;
}

function modelOf(
  name: string,
  stored: string,
  fields: readonly RuntimeField[],
  definition: Definition,
  options: ModelOptions,
): Model {
  const table = options.table ?? name;
  const columns = new Map(fields.map((field) => [field.name, field]));
  const described = definition.get(table);
  if (!described && options.table !== undefined) {
    refuse('definition', { name }, undefined, `the definition has no table \`${table}\``);
  }
  const encrypted = new Map((described ?? []).map((field) => [field.name, field]));
  const indexes = new Map((described ?? []).flatMap(indexesOf));
  for (const column of [...encrypted.keys(), ...indexes.keys()]) requireTextColumn(name, columns, column);
  for (const field of encrypted.values()) requirePartNames(name, field);
  const id = [options.id ?? 'id'].flat();
  const isBound = [...encrypted.values()].some((field) => field.isBoundToRow);
  if (isBound) {
    for (const column of id) {
      requireIdType(name, columns, column);
      if (columns.get(column)?.kind === 'scalar' && !encrypted.has(column)) continue;
      const cure = `pass { models: { ${name}: { table: '${table}', id: '<column>' } } }`;
      refuse(
        'definition',
        { name },
        column,
        `the id of a row must be a column that is not encrypted: ${cure}`,
      );
    }
  }
  const isText = id.length === 1 && columns.get(id[0] ?? '')?.type === 'String';
  return {
    name,
    stored,
    columns,
    table: described ? table : undefined,
    encrypted,
    indexes,
    id,
    newId: options.newId ?? (isText ? () => crypto.randomUUID() : undefined),
  };
}

/** Returns the index columns of a field, each with the name of the field. */
function indexesOf({ name, indexColumn, parts }: FieldDescription): [string, string][] {
  const columns = parts.map(({ column }) => column);
  return (indexColumn === undefined ? columns : [indexColumn, ...columns]).map((column) => [column, name]);
}

/** Throws EncryptedModelError for an index whose name is also the name of a filter operator. */
function requirePartNames(model: string, { name, parts }: FieldDescription): void {
  const part = parts.find((each) => /^(?:equals|in|not|notIn)$/.test(each.name));
  if (!part) return;
  const cure = 'give the index another name in `searchableBy`';
  refuse('definition', { name: model }, name, `\`${part.name}\` is an operator of Prisma: ${cure}`);
}

/**
 * Throws EncryptedModelError for an id type whose text form varies between clients, such as DateTime. Ciphertexts could
 * not be decrypted if the text of the id changed.
 */
function requireIdType(model: string, columns: Model['columns'], name: string): void {
  const column = columns.get(name);
  if (column?.kind !== 'scalar' || /^(?:String|Int|BigInt)$/.test(column.type)) return;
  const cure = "name another unique column, or define the fields with context: 'field'";
  refuse('definition', { name: model }, name, `the id of a row must be String, Int or BigInt: ${cure}`);
}

function requireTextColumn(model: string, columns: Model['columns'], name: string): void {
  const column = columns.get(name);
  if (column?.kind === 'scalar' && column.type === 'String') return;
  const found = column ? `is ${column.type}` : 'is missing';
  const cure = `add \`${name} String?\` to the model`;
  refuse('definition', { name: model }, name, `the column ${found}, but ciphertexts are text: ${cure}`);
}

/** Returns the model to which a relation leads. Returns undefined if `name` is not a relation. */
export function targetOf(models: Models, { columns }: Model, name: string): Model | undefined {
  const column = columns.get(name);
  return column?.kind === 'object' ? models.get(column.type) : undefined;
}
