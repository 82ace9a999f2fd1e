// The models of the Prisma schema, with what the definition says of them: which fields are encrypted, their index columns, the row
// id, and whose data a row is.
import type { FieldsDefinition, FieldsTables } from '@eaas/sdk/fields';
import { type coreOf, type CoreTable, refuseStatement as refuse } from '@eaas/sdk/internal';

export type Core = ReturnType<typeof coreOf>;
export type FieldPlan = CoreTable['plan']['fields'][number];

export interface RuntimeField {
  readonly name: string;
  /** The name of the column in the database, if it differs. */
  readonly dbName?: string | null | undefined;
  readonly kind: string;
  readonly type: string;
  readonly relationName?: string | null | undefined;
  readonly nativeType?: string | undefined;
  readonly isList?: boolean | undefined;
  /** The columns of the foreign key that this relation has in its own model, each with the column that it refers to. */
  readonly key?: ReadonlyMap<string, string> | undefined;
  /** Whether the default is a random UUID, which the extension can make itself. */
  readonly isRandom?: boolean | undefined;
  /** Whether the default is the next number of a sequence of PostgreSQL, which the extension can ask for. */
  readonly isSerial?: boolean | undefined;
  /** The default, such as `cuid()`, if only Prisma or the database can make it. */
  readonly made?: string | undefined;
}

interface RuntimeModel {
  /** The name of the table in the database, if it differs. */
  readonly dbName?: string | null;
  readonly fields: readonly RuntimeField[];
  /** Whether SQL names the table only in quotes, because the database folds the capitals of other names. */
  readonly isQuoted?: boolean | undefined;
  /** The names that compound keys have in place of `<column>_<column>`, by `<model>.<column>_<column>`. */
  readonly keyNames?: ReadonlyMap<string, string>;
  /** The columns of unique indexes. */
  readonly unique?: string[] | undefined;
}

export interface RuntimeDataModel {
  readonly models: Readonly<Record<string, RuntimeModel>>;
}

/** Options that map a model to a table of `defineFields`. */
export interface ModelOptions {
  /** The name of the table in `defineFields`. Defaults to the name of the model. */
  readonly table?: string | undefined;
  /** The columns of the row id: one column, or the columns of a compound id. Defaults to `id`. */
  readonly id?: string | readonly string[] | undefined;
  /** Creates the id of a new row. Defaults to the option `newId`, or to `crypto.randomUUID()` for a String id. */
  readonly newId?: (() => string | number | bigint) | undefined;
}

export interface Model {
  readonly name: string;
  readonly stored: string;
  readonly isQuoted: boolean;
  readonly columns: ReadonlyMap<string, RuntimeField>;
  /** The table in the core, if the definition has it. */
  readonly core: CoreTable | undefined;
  readonly encrypted: ReadonlyMap<string, FieldPlan>;
  readonly indexes: ReadonlyMap<string, string>;
  readonly id: readonly string[];
  /** The name by which Prisma calls the id in a unique look-up. */
  readonly idName: string;
  readonly newId: (() => string | number | bigint) | undefined;
  /** The columns that name the person whose data a row is. Empty if the rows belong to nobody. */
  readonly subject: readonly string[];
}

export type Models = ReadonlyMap<string, Model>;

/**
 * Returns the models with their encrypted fields. Throws if a table has no model or a field has no column, because the
 * values of this table or field would be stored as plaintext.
 */
export function modelsOf(
  { models }: RuntimeDataModel,
  core: Core,
  fields: FieldsDefinition<FieldsTables>,
  options: Readonly<Record<string, string | ModelOptions | undefined>> = {},
  newId?: () => string,
): Models {
  const tables = Object.keys(fields.tables);
  core.requireTables(tables);
  for (const name of Object.keys(options)) {
    if (models[name]) continue;
    const remedy = 'name a model of the schema in `models`, and run `prisma generate`';
    refuse('definition', { table: name }, 'the Prisma schema has no such model', remedy);
  }
  const known = new Map(
    Object.entries(models).map(([name, model]) => {
      const given = options[name];
      const own: ModelOptions = typeof given === 'string' ? { table: given } : (given ?? {});
      const { table = name } = own;
      if (tables.includes(table)) {
        return [name, modelOf(name, model, own, newId, core.table(fields, table, name, model.unique))];
      }
      if (own.table === undefined) return [name, modelOf(name, model, own, newId)];
      const remedy = `define \`${table}\` with \`defineFields\`, or name a table of the definition in \`models\``;
      return refuse('definition', { table: name }, `the definition has no table \`${table}\``, remedy);
    }),
  );
  const used = Array.from(known.values(), (model) => model.core?.plan.table);
  for (const table of tables) {
    const count = used.filter((name) => name === table).length;
    if (count === 1) continue;
    const problem = `exactly one model must have this table (got ${count})`;
    const remedy = `name the table like a model (${[...known.keys()].join(', ')}), or pass { models: { <Model>: '${table}' } }`;
    refuse('definition', { table: table }, problem, remedy);
  }
  return known;
}

function modelOf(
  name: string,
  { dbName, fields, isQuoted = false, keyNames }: RuntimeModel,
  options: ModelOptions,
  newIds?: () => string,
  core?: CoreTable,
): Model {
  const columns = new Map(fields.map((field) => [field.name, field]));
  const plans = core?.plan.fields ?? [];
  const encrypted = new Map(plans.map((plan) => [plan.name, plan]));
  const indexes = new Map(
    plans.flatMap((plan) => plan.indexes.map(({ column }): [string, string] => [column, plan.name])),
  );
  const id = [options.id ?? 'id'].flat();
  const idName = keyNames?.get(`${name}.${id.join('_')}`) ?? id.join('_');
  const subject = plans.length > 0 ? (core?.person ?? []) : [];
  const stored = dbName ?? name;
  const own = id.length === 1 ? columns.get(id[0] ?? '') : undefined;
  const randomId = own?.made === undefined ? () => crypto.randomUUID() : undefined;
  const textId = own?.isRandom ? randomId : (newIds ?? randomId);
  const newId = options.newId ?? (own?.type === 'String' ? textId : undefined);
  const model = { name, stored, isQuoted, columns, core, encrypted, indexes, id, idName, newId, subject };
  requireFitting(model, plans);
  return model;
}

/** Throws for a column that cannot hold ciphertexts, fingerprints, or what ciphertexts are bound to. */
function requireFitting(model: Model, plans: readonly FieldPlan[]): void {
  const { name: table, columns, core, encrypted, indexes, id, newId, subject } = model;
  const refuseColumn = (column: string, problem: string, remedy: string): never =>
    refuse('definition', { table, column }, problem, remedy);
  for (const name of [...encrypted.keys(), ...indexes.keys()]) {
    const { kind, type } = columns.get(name) ?? {};
    if (kind === 'scalar' && type === 'String') continue;
    const found = type === undefined ? 'is missing' : `is ${type}`;
    refuseColumn(name, `the column ${found}, but must be text`, `add \`${name} String?\` to the model`);
  }
  for (const { name, indexes: own } of plans) {
    const { nativeType = '' } = columns.get(name) ?? {};
    const [, type, length] = /^(VarChar|Char|Uuid|Inet)\b(?:\((\d+)\))?/.exec(nativeType) ?? [];
    const isLong = type === 'VarChar' && Number(length ?? Infinity) >= shortestCiphertext;
    const short = `a ciphertext has at least ${shortestCiphertext} characters and does not fit the column`;
    if (type !== undefined && !isLong) refuseColumn(name, short, `remove \`@db.${nativeType}\` and migrate`);
    const operator = own.find((each) => /^(?:equals|in|not|notIn)$/.test(each.name ?? ''))?.name;
    const remedy = 'give the index another name in `searchableBy`';
    if (operator !== undefined) refuseColumn(name, `\`${operator}\` is an operator of Prisma`, remedy);
  }
  for (const name of plans.some(isBound) ? id : []) {
    const column = columns.get(name);
    if (column?.kind !== 'scalar' || encrypted.has(name)) {
      const remedy = `pass { models: { ${table}: { table: '${core?.plan.table ?? table}', id: '<column>' } } }`;
      return refuseColumn(name, 'the id of a row must be a column that is not encrypted', remedy);
    }
    if (!isExact(column)) {
      const remedy = "name another unique column, or define the fields with context: 'field'";
      refuseColumn(name, 'the id of a row must be String, Int or BigInt, and not @db.Inet', remedy);
    }
    if (column.made === undefined || newId || id.length > 1) continue;
    const problem = `a row is encrypted under its id, which \`@default(${column.made})\` would make later`;
    const remedy =
      `pass \`newId\`, such as { newId: createId } for all models, or { models: { ${table}: { newId: createId } } }; ` +
      "or define the fields with context: 'field': whoever can write to the database can then swap values between rows";
    refuseColumn(name, problem, remedy);
  }
  const isOne = typeof core?.plan.subject === 'string';
  for (const name of subject) {
    const column = columns.get(name);
    const isChoice = column?.kind === 'enum' || column?.type === 'Boolean';
    if (column && (isExact(column) || (isChoice && !isOne))) continue;
    const problem = column
      ? 'the field that names the person must be String, Int or BigInt, and not @db.Inet'
      : 'the model has no such field, and it should name the person';
    refuseColumn(
      name,
      problem,
      isOne ? 'name another field as `subject`' : 'list another field with `unencrypted`',
    );
  }
}

/** Whether ciphertexts are bound to the row id. */
export const isBound = ({ field }: FieldPlan): boolean => field.context !== 'field';

/** Whether each value of a column has one text. Ciphertexts are bound to the text of the id, data keys to that of the person. */
const isExact = ({ kind, type, nativeType }: RuntimeField): boolean =>
  kind === 'scalar' && nativeType !== 'Inet' && /^(?:String|Int|BigInt)$/.test(type);

const shortestCiphertext = 220;

export function targetOf(models: Models, { columns }: Model, name: string): Model | undefined {
  const column = columns.get(name);
  return column?.kind === 'object' ? models.get(column.type) : undefined;
}
