// The data of creates and updates: which values are encrypted, and what must be known of their row before.
import type { RecordId } from '@eaas/sdk/fields';
import {
  boundColumn,
  isOfPerson,
  isSameId,
  refuseStatement as refuse,
  withPartners,
} from '@eaas/sdk/internal';
import type { FieldPlan } from '@eaas/sdk/internal';
import { isBound, type Model, targetOf } from './models.ts';
import type { Fallback } from './place.ts';
import { changesPerson, type Inherited, keptPerson, newValueOf } from './person.ts';
import { type Args, entriesOf, isArgs, once } from './values.ts';
import { idOf, type Outer, type Place, refuseIndexColumn, refuseUnknown, type Work } from './work.ts';

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
  const values = model.core ? withPartners(model.core, given) : given;
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
        'row_unknown',
        { table: model.name, column: column },
        'the id of a new row must be known before its fields are encrypted',
        model.id.length > 1
          ? "pass the whole id in `data` of a separate operation, or define the fields with context: 'field'"
          : "pass the id in `data`, pass `newId`, or define the fields with context: 'field'",
      );
    }
  }
  let person: Args | undefined;
  if (needs.person || hasPerson(model, values)) {
    const found = model.subject.map(async (column) => [column, await value(column)] as const);
    person = Object.fromEntries(await Promise.all(found));
  }
  seal(work, model, values, columns, idOf(model, columns), person);
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
  const isEncrypted = [...model.encrypted.values()].some(isBound);
  const id = needsId || (changesId && isEncrypted) ? await place.id() : undefined;
  if (changesId && isEncrypted) refuseNewId(model, columns, id);
  const isKept = hasPerson(model, values) || (await changesPerson(work, model, columns));
  const person = isKept ? await place.person() : undefined;
  const kept = isKept ? await keptPerson(work, model, columns, person) : undefined;
  seal(work, model, values, columns, id, kept);
  return { data: columns, id: needsId ? id : undefined, pins: { ...person, ...place.read } };
}

/** Whether an update must know the id of the row. */
export function needsRow(model: Model, data: unknown): boolean {
  return bindsRow(model, valuesIn(model, data));
}

/** Whether an update must know whose data the row is. */
export function needsPerson(model: Model, data: unknown): boolean {
  return hasPerson(model, valuesIn(model, data));
}

function valuesIn(model: Model, data: unknown): Args {
  if (!isArgs(data)) return {};
  const values = entriesOf(data).flatMap(([name, value]) => {
    const field = model.encrypted.get(name);
    return field ? [[name, valueOf(model, field, value)]] : [];
  });
  return Object.fromEntries(values) as Args;
}

type NestedWrite = readonly [name: string, target: Model, value: unknown];

function splitOf(work: Work, model: Model, data: unknown, place: Place | undefined) {
  if (!isArgs(data)) {
    const remedy = 'pass the values by the names of their fields';
    return refuse('unknown_argument', { table: model.name }, '`data` must be an object', remedy);
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
function requireJsonValue(model: Model, field: FieldPlan, value: unknown): void {
  if (field.field.type.name !== 'json' || !isArgs(value) || Object.keys(value).join() !== 'set') return;
  const problem = '`{ set }` is not an operation of a JSON field';
  const remedy = 'pass the value itself; a value whose only member is `set` must be inside another object';
  refuse('not_supported', { table: model.name, column: field.name }, problem, remedy);
}

function valueOf(model: Model, field: FieldPlan, value: unknown): unknown {
  if (!isArgs(value) || field.field.type.name === 'json') return value;
  const names = Object.keys(value).join(', ');
  if (names === 'set') return value['set'];
  const problem = `\`${names}\` cannot change a ciphertext`;
  const remedy = 'read the row, compute the value and write it';
  return refuse('not_supported', { table: model.name, column: field.name }, problem, remedy);
}

const bindsRow = ({ core }: Model, values: Args): boolean =>
  core !== undefined && boundColumn(core, values) !== undefined;

const hasPerson = ({ core }: Model, values: Args): boolean => core !== undefined && isOfPerson(core, values);

function refuseNewId(model: Model, columns: Args, id: RecordId | undefined): void {
  if (isSameId(idOf(model, columns), id)) return;
  const problem = 'ciphertexts are bound to the id of their row';
  const remedy = 'read the row, create it with the new id and delete the old one';
  refuse('row_unknown', { table: model.name, column: model.id.join() }, problem, remedy);
}

function seal(
  work: Work,
  { core: table }: Model,
  values: Args,
  into: Args,
  id: RecordId | undefined,
  person: Args | undefined,
): void {
  if (!table || Object.keys(values).length === 0) return;
  work.sealings.push({ table, values, id, person, put: (stored) => void Object.assign(into, stored) });
}
