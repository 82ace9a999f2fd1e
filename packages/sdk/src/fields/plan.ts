import { type Context, encodeContext, parseUuid } from '@eaas/protocol';
import type { Field } from './field.ts';
import type { RowId, Tables } from './row-types.ts';
import { refuse } from './value-type.ts';

/** A field with its place in the definition. */
export interface FieldPlan {
  readonly table: string;
  readonly name: string;
  /** `users.email` */
  readonly place: string;
  readonly field: Field<unknown>;
  readonly indexColumn: string | undefined;
  /** The keys of the field, the one that encrypts first; undefined is the client's own. */
  readonly keyIds: readonly string[] | undefined;
}

export type Plans = ReadonlyMap<string, readonly FieldPlan[]>;

/** The keys of tables (`users`) and of fields (`users.email`), each one id, or several of which the first encrypts. */
export type KeyIds = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The definition, made ready and checked: InputError for names that cannot be used, or that stand for two things. */
export function planOf(tables: Tables, keyIds: KeyIds = {}): Plans {
  const keys = new Map(Object.entries(keyIds).map(([name, ids]) => [name, requireKeyIds(name, ids)]));
  const plans = new Map(
    Object.entries(tables).map(([table, fields]) => [
      table,
      Object.entries(fields).map(([name, field]) =>
        planField(table, name, field, keys.get(`${table}.${name}`) ?? keys.get(table)),
      ),
    ]),
  );
  const places = [...plans.keys(), ...[...plans.values()].flat().map(({ place }) => place)];
  requireUnique(places, 'the definition');
  for (const [table, fields] of plans) {
    const columns = fields.flatMap(({ name, indexColumn }) => (indexColumn ? [name, indexColumn] : [name]));
    requireUnique(columns, `the table ${table}`);
  }
  const unknown = [...keys.keys()].find((name) => !places.includes(name));
  if (unknown !== undefined) refuse(`\`keyIds\` names ${unknown}, which is not defined`);
  return plans;
}

function requireKeyIds(name: string, given: KeyIds[string]): FieldPlan['keyIds'] {
  if (given === undefined) return undefined;
  const ids = [given].flat().map((id) => parseUuid(id) ?? refuse(`\`keyIds\` has no UUID for ${name}`));
  return ids.length > 0 ? ids : refuse(`\`keyIds\` has an empty list for ${name}`);
}

function planField(
  table: string,
  name: string,
  field: Field<unknown>,
  keyIds: FieldPlan['keyIds'],
): FieldPlan {
  const place = `${table}.${name}`;
  if (typeof field?.type?.encode !== 'function') refuse(`${place} is no field: say text(), number() …`);
  const column = field.index?.column;
  const indexColumn = column === true ? `${name}_index` : typeof column === 'string' ? column : undefined;
  for (const part of [table, name, indexColumn ?? name]) {
    if (part === '' || part === '__proto__') refuse(`${place} has a name that cannot be used`);
  }
  // Whatever a context cannot hold would fail with the first row.
  encodeContext({ table, field: name });
  return { table, name, place, field, indexColumn, keyIds };
}

function requireUnique(names: readonly string[], where: string): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) refuse(`${where} has two columns called ${twice}`);
}

/** The fields of a table; InputError for a table that is not defined. */
export function requireTable(plans: Plans, table: string): readonly FieldPlan[] {
  return plans.get(table) ?? refuse(`no table is defined as ${table}`);
}

/** A field of a table; InputError for one that is not defined. */
export function requireField(plans: Plans, table: string, name: string): FieldPlan {
  const plan = requireTable(plans, table).find((field) => field.name === name);
  return plan ?? refuse(`no field is defined as ${table}.${name}`);
}

/** A row's id as text; undefined for none. InputError for what is no id. */
export function rowIdOf(id: RowId | undefined): string | undefined {
  if (id === undefined || id === null || id === '') return undefined;
  if (typeof id === 'string' || typeof id === 'bigint' || Number.isSafeInteger(id)) return String(id);
  return refuse('a row id is text, a whole number or a bigint');
}

/** What a ciphertext of the field is bound to in this row. InputError where it takes a row id and there is none. */
export function contextOf({ table, name, field }: FieldPlan, row: string | undefined): Context {
  if (field.context === 'field') return { table, field: name };
  if (row === undefined) {
    refuse("is bound to its row, whose id must be known first: make ids in the app, or say context: 'field'");
  }
  const place = { table, field: name, row };
  if (typeof field.context !== 'function') return { ...place };
  const context: Context | undefined = field.context(place);
  // None is bound to nothing, and opens wherever it is copied to.
  return context ?? refuse('has a function for its context that answers none');
}
