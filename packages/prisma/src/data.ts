import type { FieldDescription, RecordId } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import { type Model, targetOf } from './models.ts';
import type { Fallback } from './place.ts';
import { changesPerson, type Inherited, keptPerson, newValueOf, requirePerson } from './person.ts';
import { type Args, entriesOf, isArgs, once } from './values.ts';
import {
  idColumns,
  idOf,
  type Outer,
  type Place,
  refuseIndexColumn,
  refuseUnknown,
  type Sealing,
  type Work,
} from './work.ts';

/** The rewritten data of a new row, and what is known of it. */
export interface Created extends Fallback {
  readonly data: Args;
}

/** The rewritten data of an update, and what `where` must say, because encryption relied on it. */
export interface Updated {
  readonly data: Args;
  readonly id: RecordId | undefined;
  readonly pins: Args;
}

interface Needs {
  readonly id?: boolean;
  readonly person?: boolean;
  readonly inherited?: Inherited;
}

export async function createOf(work: Work, model: Model, data: unknown, needs: Needs = {}): Promise<Created> {
  const { columns, values: given, relations } = splitOf(work, model, data, undefined);
  const values = { ...absentOthers(model, given), ...given };
  // A number of a sequence is another one each time.
  const value = once((column) => newValueOf(work, model, columns, column, needs.inherited));
  const nest = (isOwn: boolean) =>
    nestInto(
      work,
      model,
      { place: undefined, value },
      relations.filter(([name]) => isOwn === (model.columns.get(name)?.key?.size ?? 0) > 0),
      columns,
    );
  // Relations whose foreign key is in this row can name its person. Others can need what this row is known by.
  await nest(true);
  if ((needs.id || bindsRow(model, values)) && idOf(model, columns) === undefined) {
    const [column = ''] = model.id;
    if (model.id.length === 1) await value(column);
    if (idOf(model, columns) === undefined) {
      refuse(
        'unknown_id',
        { model: model.name, field: column },
        'the id of a new row must be known before its fields are encrypted',
        model.id.length > 1
          ? "pass the whole id in `data` of a separate operation, or define the fields with context: 'field'"
          : "pass the id in `data`, pass `newId`, or define the fields with context: 'field'",
      );
    }
  }
  let person: Args | undefined;
  if (needs.person || isOfPerson(model, values)) {
    const found = model.subject.map(async (column) => [column, await value(column)] as const);
    const remedy = `pass \`${model.subject.join('`, `')}\` in \`data\`, or connect the related row by the field that it refers to`;
    person = requirePerson(model, Object.fromEntries(await Promise.all(found)), remedy);
  }
  seal(work, { model, values, into: columns, id: idOf(model, columns), person });
  await nest(false);
  return { data: columns, id: idOf(model, columns), person, value };
}

export async function updateOf(work: Work, model: Model, data: unknown, place: Place): Promise<Updated> {
  const { columns, values, relations } = splitOf(work, model, data, place);
  // Nobody knows in which order the database changes this column and writes the rows inside.
  const value = async (column: string) => (columns[column] === undefined ? place.value(column) : undefined);
  await nestInto(work, model, { place, value }, relations, columns);
  const needsId = bindsRow(model, values);
  const changesId = model.id.some((column) => columns[column] !== undefined);
  const isEncrypted = [...model.encrypted.values()].some((field) => field.isBoundToRow);
  const id = needsId || (changesId && isEncrypted) ? await place.id() : undefined;
  if (changesId && isEncrypted) refuseNewId(model, columns, id);
  const needsPerson = isOfPerson(model, values);
  const isKept = needsPerson || (await changesPerson(work, model, columns));
  const person = isKept ? await place.person() : undefined;
  const kept = isKept ? await keptPerson(work, model, columns, person) : undefined;
  if (needsPerson) requirePerson(model, kept, `add \`${model.subject.join('`, `')}\` to \`where\``);
  seal(work, { model, values, into: columns, id, person: kept });
  return { data: columns, id: needsId ? id : undefined, pins: { ...person, ...place.read } };
}

/** Whether an update must know the id of the row. */
export function needsRow(model: Model, data: unknown): boolean {
  return bindsRow(model, valuesIn(model, data));
}

/** Whether an update must know whose data the row is. */
export function needsPerson(model: Model, data: unknown): boolean {
  return isOfPerson(model, valuesIn(model, data));
}

function valuesIn(model: Model, data: unknown): Args {
  if (!isArgs(data)) return {};
  const values = entriesOf(data).flatMap(([name, value]) => {
    const field = model.encrypted.get(name);
    return field ? [[name, valueOf(model, field, value)]] : [];
  });
  return Object.fromEntries(values) as Args;
}

/**
 * Returns null for encrypted fields that share an index with a field in `given`, because the fingerprint of the index
 * is computed from all fields of the index. The caller replaces a null if the app passes a value.
 */
function absentOthers(model: Model, given: Args): Args {
  const named = Object.keys(given).flatMap((name) => model.encrypted.get(name) ?? []);
  const others = Array.from(model.encrypted.values()).flatMap(({ name, parts }) =>
    parts.map((part) => [name, ...part.others]),
  );
  const needed = others.filter((names) => named.some(({ name }) => names.includes(name))).flat();
  return Object.fromEntries(needed.map((name) => [name, null]));
}

type NestedWrite = readonly [name: string, target: Model, value: unknown];

function splitOf(work: Work, model: Model, data: unknown, place: Place | undefined) {
  if (!isArgs(data)) {
    const remedy = 'pass the values by the names of their fields';
    return refuse('unknown_argument', { model: model.name }, '`data` must be an object', remedy);
  }
  const [columns, values]: [Args, Args] = [{}, {}];
  const relations: NestedWrite[] = [];
  for (const [name, value] of entriesOf(data)) {
    const field = model.encrypted.get(name);
    if (field) {
      requireJsonValue(model, field, value);
      values[name] = place ? valueOf(model, field, value) : value;
      continue;
    }
    refuseIndexColumn(model, name);
    const target = targetOf(work.models, model, name);
    if (target) relations.push([name, target, value]);
    else if (model.columns.has(name)) columns[name] = value;
    else refuseUnknown(model, name, '`data`');
  }
  return { columns, values, relations };
}

async function nestInto(
  work: Work,
  model: Model,
  outer: Outer,
  relations: readonly NestedWrite[],
  into: Args,
): Promise<void> {
  const written = relations.map(async ([name, target, value]) => {
    into[name] = await work.nested(work, model, target, name, value, outer);
  });
  await Promise.all(written);
}

/**
 * Refuses `{ set: value }` in a JSON field, because nobody can tell whether it is Prisma's operation or the value: to
 * read it as a value would store the wrong value for an app that means the operation.
 */
function requireJsonValue(model: Model, field: FieldDescription, value: unknown): void {
  if (field.type !== 'json' || !isArgs(value) || Object.keys(value).join() !== 'set') return;
  refuse(
    'unsupported_value',
    { model: model.name, field: field.name },
    '`{ set }` is not an operation of a JSON field',
    'pass the value itself; a value whose only member is `set` must be inside another object',
  );
}

function valueOf(model: Model, field: FieldDescription, value: unknown): unknown {
  if (!isArgs(value) || field.type === 'json') return value;
  const names = Object.keys(value).join(', ');
  if (names === 'set') return value['set'];
  return refuse(
    'unsupported_value',
    { model: model.name, field: field.name },
    `\`${names}\` cannot change a ciphertext`,
    'read the row, compute the value and write it',
  );
}

function bindsRow(model: Model, values: Args): boolean {
  return entriesOf(values).some(([name, value]) => value !== null && model.encrypted.get(name)?.isBoundToRow);
}

function isOfPerson(model: Model, values: Args): boolean {
  return model.subject.length > 0 && entriesOf(values).some(([, value]) => value !== null);
}

function refuseNewId(model: Model, columns: Args, id: RecordId | undefined): void {
  const next = idOf(model, { ...idColumns(model, columns) });
  if (next !== undefined && String(next) === String(id)) return;
  refuse(
    'unsupported_value',
    { model: model.name, field: model.id.join() },
    'ciphertexts are bound to the id of their row',
    'read the row, create it with the new id and delete the old one',
  );
}

function seal(work: Work, sealing: Sealing): void {
  if (Object.keys(sealing.values).length > 0) work.sealings.push(sealing);
}
