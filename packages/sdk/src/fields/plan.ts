// The definition as the calls use it: its columns by name, the context of a value, and the person whose data a row is.
import {
  type Context,
  contextsWith,
  FormatError,
  InputError,
  isPromise,
  kindOf,
  nearestOf,
  object,
  parseUuid,
  personName,
  requireArray,
  requireKind,
  type Rule,
  suggestion,
  toUtf8,
} from '@eaas/protocol/internal';
import { person } from '../caller.ts';
import type { Field, Names, Unencrypted } from './field.ts';
import type { PartIndex, TypedValue } from './part-index.ts';
import type { RecordId, SubjectSource, FieldsTables } from './row-types.ts';
import { refuse } from './value-types.ts';
import type { Row } from './internals.ts';

/** The names in each fingerprint of an index, in UTF-8. The value follows them. */
type Label = readonly Uint8Array[];

/** An index of whole values, or one that `searchableBy` added to a field. */
export interface IndexPlan {
  /** Undefined for an index of whole values. */
  readonly name: string | undefined;
  readonly column: string;
  /** A label for each name of the first field, or one that lasts. Stored fingerprints are made with the first. */
  readonly labels: readonly Label[];
  readonly index: Omit<PartIndex<unknown, unknown>, 'column'>;
  /** The fields that the index covers. The index is defined on the first of these fields. */
  readonly fields: readonly [FieldPlan, ...FieldPlan[]];
}

/** The index of whole values. */
export const wholeOf = ({ indexes }: FieldPlan) => indexes.find(({ name }) => name === undefined);

/** The indexes that `searchableBy` added. */
export const partIndexesOf = ({ indexes }: Pick<FieldPlan, 'indexes'>) =>
  indexes.filter((index): index is IndexPlan & { readonly name: string } => index.name !== undefined);

export interface FieldPlan {
  readonly table: string;
  readonly name: string;
  readonly place: string;
  readonly field: Field<unknown>;
  readonly indexes: readonly IndexPlan[];
  /** The present name and the earlier ones. New values are written under the first. */
  readonly names: readonly [NamesInRow, ...NamesInRow[]];
  /** The ids of the field's keys. New values are encrypted under the first key. */
  readonly keyIds: readonly string[] | undefined;
}

interface NamesInRow extends Names {
  /** The context of a value in a row, by the id of the row. */
  readonly inRow: (row: string) => Context;
}

export interface TablePlan {
  readonly table: string;
  readonly fields: readonly FieldPlan[];
  readonly columns: ReadonlySet<string>;
  /** The columns of `fields` and of their indexes. */
  readonly encrypted: ReadonlySet<string>;
  /** Where each row names the person whose data it is. */
  readonly subject: SubjectSource | undefined;
}

export type Plans = ReadonlyMap<string, TablePlan>;

export type KeyIds = Readonly<Record<string, string | readonly string[] | undefined>>;

export function planOf(tables: FieldsTables, keyIds: KeyIds = {}): Plans {
  requireKind('object', tables, 'the definition');
  const keys = new Map(Object.entries(keyIds).map(([name, ids]) => [name, requireKeyIds(name, ids)]));
  const plans = new Map(
    Object.entries(tables).map(([table, columns]) => [table, planTable(table, columns, keys)]),
  );
  const fields = [...plans.values()].flatMap((plan) => plan.fields);
  const places = [...plans.keys(), ...fields.map(({ place }) => place)];
  requireUnique(places, 'the definition');
  requireOwnNames(fields);
  for (const name of keys.keys()) {
    if (places.includes(name)) continue;
    refuse(
      `\`keyIds\` has an entry for \`${name}\`, which is not a defined table or field${suggestion(name, places)}`,
    );
  }
  return plans;
}

/** The plan of one table, for which it makes those of all. */
export const planIn = (of: FieldsTables, name: string, ids?: KeyIds) => requireTable(planOf(of, ids), name);

function requireKeyIds(name: string, given: KeyIds[string]): FieldPlan['keyIds'] {
  if (given === undefined) return undefined;
  const ids = [given].flat().map((id) => (typeof id === 'string' ? parseUuid(id) : undefined));
  return ids.length > 0 && ids.every((id) => id !== undefined)
    ? ids
    : refuse(`\`keyIds\` must have a UUID or a list of UUIDs for \`${name}\``);
}

type Keys = ReadonlyMap<string, FieldPlan['keyIds']>;

function planTable(table: string, given: FieldsTables[string], keys: Keys) {
  requireKind('object', given, `the table \`${table}\``);
  const columns: string[] = [];
  const fields: (FieldPlan & { readonly indexes: IndexPlan[] })[] = [];
  let subject: SubjectSource | undefined;
  let isAccepted = false;
  for (const [name, column] of Object.entries(given)) {
    if (name === 'subject' && (typeof column === 'string' || typeof column === 'function')) {
      subject = column;
      continue;
    }
    if (name === 'lowEntropy' && typeof column === 'string') {
      isAccepted = column === 'accepted' || refuse(`\`lowEntropy\` of ${table} must be 'accepted'`);
      continue;
    }
    const place = `${table}.${name}`;
    columns.push(requireName(place, name));
    const field = column as (Field<unknown> & Partial<Unencrypted>) | null;
    if (field?.unencrypted === true) continue;
    if (typeof field?.type?.encode !== 'function') {
      return refuse(
        `${place} must be a field such as field.text() (a column that is not encrypted: \`...unencrypted('${name}')\`)`,
      );
    }
    // Throws for an invalid table or field name. Without this check, only the encryption of a value would throw.
    const names = namesOf({ table, field: name }, field);
    fields.push({
      table,
      name,
      place,
      field,
      indexes: [],
      names,
      keyIds: keys.get(place) ?? keys.get(table),
    });
  }
  for (const field of fields) {
    field.indexes.push(
      ...planWhole(field),
      ...planParts(field, (name) => requireField({ table, fields }, name)),
    );
    columns.push(...field.indexes.map(({ column }) => column));
  }
  const encrypted = new Set(
    fields.flatMap(({ name, indexes }) => [name, ...indexes.map(({ column }) => column)]),
  );
  const guessable = fields.find(({ field, indexes }) =>
    indexes.some(({ name }) => name !== undefined || field.type.name !== 'text'),
  );
  if (guessable && !isAccepted) {
    refuse(
      `${guessable.place} has an index whose values can be guessed by brute force from their fingerprints: accept ` +
        `this risk for the table ${table} with \`lowEntropy: 'accepted'\``,
    );
  }
  requireUnique(columns, `the table ${table}`);
  requireName(table, table);
  if (typeof subject === 'string' && !columns.includes(requireName(`${table}.subject`, subject))) {
    columns.push(subject);
  }
  if (encrypted.has(subject as string)) {
    refuse(
      `\`subject\` of ${table} names the encrypted column \`${subject as string}\`: name a column that is ` +
        `not encrypted, such as the id of the person`,
    );
  }
  return { table, fields, columns: new Set(columns), encrypted, subject };
}

function namesOf(present: Names, { renamedFrom = [], write }: Field<unknown>): FieldPlan['names'] {
  const earlier = [renamedFrom].flat();
  const written = (!write && earlier[0]) || present;
  const inRow = (own: Names): NamesInRow => ({ ...own, inRow: contextsWith({ ...own }, 'row') });
  return [inRow(written), ...[present, ...earlier].filter((each) => each !== written).map(inRow)];
}

const placeOf = ({ table, field }: Names): string => `${table}.${field}`;

/** Throws if a name is that of two fields, or if a rename parts the fingerprints of fields that `boundTo` joins. */
export function requireOwnNames(fields: readonly FieldPlan[]): void {
  const taken = fields.flatMap(({ names }) => names.map(placeOf));
  requireUnique(taken, 'the definition');
  for (const joined of fields) {
    const { boundTo } = joined.field.index ?? {};
    const named = boundTo && fields.find(({ names }) => names.map(placeOf).includes(placeOf(boundTo)));
    if (named?.field.index && named.names.length > 1 && !isJoined(named, joined)) {
      refuse(`${joined.place} is joined with a renamed field: write ${lasting(named)} in both`);
    }
  }
}

/** Whether equal values of two fields always have the same fingerprint. */
export function isJoined(one: FieldPlan, other: FieldPlan): boolean {
  const [own, its] = [one, other].map((each) => wholeOf(each)?.labels);
  return own?.length === 1 && JSON.stringify(own) === JSON.stringify(its);
}

/** The code of a field whose fingerprints keep their first name for ever. */
export function lasting({ field, names: [own] }: FieldPlan): string {
  const name = field.index?.boundTo ?? [field.renamedFrom ?? own].flat().at(-1);
  return `\`searchable({ boundTo: { table: '${name?.table}', field: '${name?.field}' } })\``;
}

function planWhole(plan: FieldPlan): IndexPlan[] {
  const { name, place, field, names } = plan;
  if (!field.index) return [];
  const { column, bits, boundTo } = field.index;
  const bound = boundTo ? [boundTo] : names;
  const labels = bound.map((each) => labelOf('eaas field index v1', each.table, each.field));
  // All values that are empty after normalization would have the same fingerprint.
  const soughtBy = (value: unknown) => [comparedBytes(field, value)].filter(({ length }) => length > 0);
  const index = {
    bits,
    isList: false,
    partsOf: ({ value }: TypedValue) => soughtBy(value),
    soughtBy,
  };
  const own = requireName(place, column === true ? `${name}_index` : String(column));
  return [{ name: undefined, column: own, labels, index, fields: [plan] }];
}

/** The bytes that are the same for all values that a search treats as equal. */
export function comparedBytes({ type, index }: Field<unknown>, value: unknown): Uint8Array {
  // Checks the type: `encode` throws for a value of the wrong type, and `normalize` does not.
  type.encode(value);
  return type.encode(index ? index.normalize(value) : value);
}

function planParts(field: FieldPlan, fieldOf: (name: string) => FieldPlan): IndexPlan[] {
  const parts = Object.entries<PartIndex<unknown, unknown>>({ ...field.field.parts });
  return parts.map(([name, index]) => {
    if (typeof index?.soughtBy !== 'function') {
      refuse(
        `\`searchableBy\` of ${field.place} must be an object with named indexes, such as { month: part.months() } (got ` +
          `${kindOf(index)} as \`${name}\`)`,
      );
    }
    const own = index.column === true ? `${field.name}_${name}_index` : index.column;
    const column = requireName(field.place, name === '' ? name : own);
    const labels = field.names.map((each) => labelOf('eaas part index v1', each.table, each.field, name));
    return { name, column, labels, index, fields: [field, ...(index.others ?? []).map(fieldOf)] };
  });
}

const labelOf = (...names: readonly string[]): Label => names.map((name) => toUtf8(name));

function requireName(place: string, name: string): string {
  return name === '' || name === '__proto__'
    ? refuse(`the name of ${place} must not be empty or \`__proto__\`: choose another name`)
    : name;
}

function requireUnique(names: readonly string[], where: string): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) refuse(`${where} contains the name ${twice} twice: use each name only once`);
}

export function requireTable(plans: Plans, table: string): TablePlan {
  const plan = plans.get(table);
  return plan ?? refuse(`the table \`${table}\` is not defined${suggestion(table, plans.keys())}`);
}

export function requireField(of: Pick<TablePlan, 'table' | 'fields'>, name: string): FieldPlan {
  const { table, fields } = of;
  const plan = fields.find((field) => field.name === name);
  const names = () => fields.map((field) => field.name);
  return plan ?? refuse(`the field \`${table}.${name}\` is not defined${suggestion(name, names())}`);
}

// Refuses a Map and a promise, because `Object.keys` finds no columns in them. A caller that forgets `await` passes a
// promise.
const aRow: Rule = (value, name) =>
  (object(value, name) === true && !isPromise(value) && !(value instanceof Map)) || 'an object with columns';

export function requireRows(rows: unknown): void {
  requireArray(rows);
  for (const row of rows as unknown[]) requireKind(aRow, row, 'a row');
}

export function requireColumns({ table, columns }: TablePlan, row: object): void {
  const unknown = Object.keys(row).find((name) => !columns.has(name));
  if (unknown === undefined) return;
  const near = nearestOf(columns, unknown);
  const advice = near ? `did you mean \`${near}\`? Otherwise ` : '';
  refuse(
    `the column \`${table}.${unknown}\` is not defined: ${advice}list it with unencrypted('${unknown}') to store it unencrypted`,
  );
}

/** Writes a UUID in lower case, because PostgreSQL returns UUIDs in lower case. */
export function rowIdOf(id: RecordId | undefined): string | undefined {
  if (id === undefined || id === null || id === '') return undefined;
  if (typeof id === 'string') return parseUuid(id) ?? id;
  if (typeof id === 'bigint' || Number.isSafeInteger(id)) return String(id);
  return refuse(`a row id must be a non-empty string, a safe integer or a bigint (got ${kindOf(id)})`);
}

/** The context of a value under one of the names of its field. */
export function contextOf({ field, names }: FieldPlan, row?: string, own = names[0]): Context {
  if (field.context === 'field') return { field: own.field, table: own.table };
  if (row === undefined) {
    refuse(
      "the row id must be known before encryption: create ids in the app, or define the field with context: 'field'",
    );
  }
  if (typeof field.context !== 'function') return own.inRow(row);
  const context: Context | undefined = field.context({ field: own.field, row, table: own.table });
  // Throws for a missing context, because a ciphertext without a context could be decrypted in any row and field.
  return context ?? refuse('the `context` function must return a context (got undefined or null)');
}

/**
 * Returns the subject of a row, or undefined if the table has none. `given` is the option `subject` of the call. Throws
 * InputError for a value that names nobody, so that no value of a person is encrypted without them, and FormatError if the
 * value was read from a stored row, because then the row is at fault and not the call.
 */
export function subjectOfRow(
  { table, subject }: TablePlan,
  row: Row,
  id: RecordId | undefined,
  given: string | undefined,
  isRead = false,
): string | undefined {
  if (subject === undefined) return given;
  const isColumn = typeof subject === 'string';
  const source = isColumn ? `the column \`${table}.${subject}\`` : `the function \`subject\` of ${table}`;
  if (given !== undefined) {
    throw new InputError(`${source} names the person of each row: leave out the option \`subject\``);
  }
  const value = isColumn ? (Object.hasOwn(row, subject) ? row[subject] : undefined) : subject(row);
  const isText = typeof value === 'string' || typeof value === 'bigint' || Number.isSafeInteger(value);
  const name = isText ? personName(String(value)) : '';
  if (person(name, '') === true) return name;
  const place = id === undefined ? 'a row' : `row ${String(id).replace(/\p{Cc}/gu, '\ufffd')}`;
  const remedy = isColumn ? 'have the column in the row' : 'return the id of the person';
  const isStored = isRead && (!isColumn || Object.hasOwn(row, subject));
  throw new (isStored ? FormatError : InputError)(
    `${source} must name the person of ${place}: a text of 1 to 256 bytes of UTF-8 without control ` +
      `characters, a safe integer or a bigint (got ${kindOf(value)}): ${remedy}`,
  );
}
