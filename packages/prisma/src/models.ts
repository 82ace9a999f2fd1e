import type { FieldDescription } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import type { People, SubjectColumns } from './person.ts';

export interface RuntimeField {
  readonly name: string;
  /** The name of the column in the database, if it differs. */
  readonly dbName?: string | null | undefined;
  readonly kind: string;
  readonly type: string;
  readonly relationName?: string | null | undefined;
  readonly nativeType?: string | undefined;
  /** The columns of the foreign key that this relation has in its own model, each with the column that it refers to. */
  readonly key?: ReadonlyMap<string, string> | undefined;
  /** Whether the default is a random UUID, which the extension can make itself. */
  readonly isRandom?: boolean | undefined;
  /** Whether the default is the next number of a sequence of PostgreSQL, which the extension can ask for. */
  readonly isSerial?: boolean | undefined;
}

export interface RuntimeDataModel {
  readonly models: Readonly<
    Record<string, { readonly dbName?: string | null; readonly fields: readonly RuntimeField[] }>
  >;
}

/** Options that map a model to a table of `defineFields`. */
export interface ModelOptions {
  /** The name of the table in `defineFields`. Defaults to the name of the model. */
  readonly table?: string | undefined;
  /** The columns of the row id: one column, or the columns of a compound id. Defaults to `id`. */
  readonly id?: string | readonly string[] | undefined;
  /** Creates the id of a new row. Defaults to `crypto.randomUUID()` for a String id. */
  readonly newId?: (() => string | number | bigint) | undefined;
}

export interface Model {
  readonly name: string;
  readonly stored: string;
  readonly columns: ReadonlyMap<string, RuntimeField>;
  readonly table: string | undefined;
  readonly encrypted: ReadonlyMap<string, FieldDescription>;
  readonly indexes: ReadonlyMap<string, string>;
  readonly id: readonly string[];
  readonly newId: (() => string | number | bigint) | undefined;
  /** The columns that name the person whose data a row is. Empty if the rows belong to nobody. */
  readonly subject: readonly string[];
  /** Whether one column names the person, and not a function of several. */
  readonly isSubjectColumn: boolean;
}

export type Models = ReadonlyMap<string, Model>;

export type Definition = ReadonlyMap<string, readonly FieldDescription[]>;

/**
 * Returns the models with their encrypted fields. Throws if a table has no model or a field has no column, because the
 * values of this table or field would be stored as plaintext.
 */
export function modelsOf(
  { models }: RuntimeDataModel,
  definition: Definition,
  options: Readonly<Record<string, string | ModelOptions | undefined>> = {},
  people: People = new Map(),
): Models {
  for (const name of Object.keys(options)) {
    if (models[name]) continue;
    const remedy = 'name a model of the schema in `models`, and run `prisma generate`';
    refuse('definition', { model: name }, 'the Prisma schema has no such model', remedy);
  }
  const known = new Map(
    Object.entries(models).map(([name, { dbName, fields }]) => {
      const given = options[name];
      const own: ModelOptions = typeof given === 'string' ? { table: given } : (given ?? {});
      const subject = people.get(own.table ?? name);
      return [name, modelOf(name, dbName ?? name, fields, definition, own, subject)];
    }),
  );
  const used = Array.from(known.values(), ({ table }) => table);
  for (const table of definition.keys()) {
    const count = used.filter((name) => name === table).length;
    if (count === 1) continue;
    refuse(
      'definition',
      { model: table },
      `exactly one model must have this table (got ${count})`,
      `name the table like a model (${[...known.keys()].join(', ')}), or pass { models: { <Model>: '${table}' } }`,
    );
  }
  return known;
}

function modelOf(
  name: string,
  stored: string,
  fields: readonly RuntimeField[],
  definition: Definition,
  options: ModelOptions,
  subject: SubjectColumns | undefined,
): Model {
  const table = options.table ?? name;
  const columns = new Map(fields.map((field) => [field.name, field]));
  const described = definition.get(table);
  if (!described && options.table !== undefined) {
    const remedy = `define \`${table}\` with \`defineFields\`, or name a table of the definition in \`models\``;
    refuse('definition', { model: name }, `the definition has no table \`${table}\``, remedy);
  }
  const encrypted = new Map((described ?? []).map((field) => [field.name, field]));
  const indexes = new Map((described ?? []).flatMap(indexesOf));
  for (const column of [...encrypted.keys(), ...indexes.keys()]) requireTextColumn(name, columns, column);
  for (const column of encrypted.keys()) requireLongColumn(name, column, columns.get(column)?.nativeType);
  for (const field of encrypted.values()) requirePartNames(name, field);
  const id = [options.id ?? 'id'].flat();
  const isBound = [...encrypted.values()].some((field) => field.isBoundToRow);
  if (isBound) {
    for (const column of id) {
      requireIdType(name, columns, column);
      if (columns.get(column)?.kind === 'scalar' && !encrypted.has(column)) continue;
      refuse(
        'definition',
        { model: name, field: column },
        'the id of a row must be a column that is not encrypted',
        `pass { models: { ${name}: { table: '${table}', id: '<column>' } } }`,
      );
    }
  }
  const isSubjectColumn = subject?.isColumn === true;
  const naming = encrypted.size > 0 && subject ? subject.columns : [];
  for (const column of naming) requireSubjectType(name, columns, column, isSubjectColumn);
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
    subject: naming,
    isSubjectColumn,
  };
}

function indexesOf({ name, indexColumn, parts }: FieldDescription): [string, string][] {
  const columns = parts.map(({ column }) => column);
  return (indexColumn === undefined ? columns : [indexColumn, ...columns]).map((column) => [column, name]);
}

function requirePartNames(model: string, { name, parts }: FieldDescription): void {
  const part = parts.find((each) => /^(?:equals|in|not|notIn)$/.test(each.name));
  if (!part) return;
  refuse(
    'definition',
    { model, field: name },
    `\`${part.name}\` is an operator of Prisma`,
    'give the index another name in `searchableBy`',
  );
}

/** Whether each value of a column has one text. Ciphertexts are bound to the text of the id, data keys to that of the person. */
const isExact = ({ kind, type, nativeType }: RuntimeField): boolean =>
  kind === 'scalar' && nativeType !== 'Inet' && /^(?:String|Int|BigInt)$/.test(type);

function requireIdType(model: string, columns: Model['columns'], name: string): void {
  const column = columns.get(name);
  if (column?.kind !== 'scalar' || isExact(column)) return;
  refuse(
    'definition',
    { model, field: name },
    'the id of a row must be String, Int or BigInt, and not @db.Inet',
    "name another unique column, or define the fields with context: 'field'",
  );
}

function requireSubjectType(
  model: string,
  columns: Model['columns'],
  name: string,
  isSubjectColumn: boolean,
): void {
  const column = columns.get(name);
  const isChoice = column?.kind === 'enum' || column?.type === 'Boolean';
  if (column && (isExact(column) || (isChoice && !isSubjectColumn))) return;
  refuse(
    'definition',
    { model, field: name },
    column === undefined
      ? 'the model has no such field, and it should name the person'
      : 'the field that names the person must be String, Int or BigInt, and not @db.Inet',
    isSubjectColumn ? 'name another field as `subject`' : 'list another field with `unencrypted`',
  );
}

function requireTextColumn(model: string, columns: Model['columns'], name: string): void {
  const column = columns.get(name);
  if (column?.kind === 'scalar' && column.type === 'String') return;
  const found = column ? `is ${column.type}` : 'is missing';
  const remedy = `add \`${name} String?\` to the model`;
  refuse('definition', { model, field: name }, `the column ${found}, but must be text`, remedy);
}

const shortestCiphertext = 220;

function requireLongColumn(model: string, name: string, nativeType = ''): void {
  const [, type, length] = /^(VarChar|Char|Uuid|Inet)\b(?:\((\d+)\))?/.exec(nativeType) ?? [];
  const isLong = type === 'VarChar' && (length === undefined || Number(length) >= shortestCiphertext);
  if (type === undefined || isLong) return;
  refuse(
    'definition',
    { model, field: name },
    `a ciphertext has at least ${shortestCiphertext} characters and does not fit the column`,
    `remove \`@db.${nativeType}\` and migrate`,
  );
}

export function targetOf(models: Models, { columns }: Model, name: string): Model | undefined {
  const column = columns.get(name);
  return column?.kind === 'object' ? models.get(column.type) : undefined;
}
