// What is written: the data of creates and updates, and of the writes nested in them. Each row says which of its values are
// encrypted, and asks what must be known of it before. Nothing waits for another row but by such a question.
import {
  boundColumn,
  isOfPerson,
  isSameId,
  refuseStatement as refuse,
  withoutOwn,
  withPartners,
} from '@eaas/sdk/internal';
import type { RecordId } from '@eaas/sdk/fields';
import { type FieldPlan, isBound, type Model, targetOf } from './models.ts';
import {
  decidesPerson,
  type Inherited,
  keptPerson,
  keyInTarget,
  knownPerson,
  newValueOf,
  nextPerson,
} from './person.ts';
import {
  dataIn,
  exactId,
  type Fallback,
  isWrapped,
  namedId,
  pinned,
  type Place,
  placeOf,
  placeOfMany,
  relatedPlace,
} from './place.ts';
import { type Args, argsOf, entriesOf, isArgs, mapItems, mapMembers, once } from './values.ts';
import { uniqueOf, whereOf } from './where.ts';
import { flatOf, idOf, refuseIndexColumn, refuseUnknown, selectRow, type Work } from './work.ts';

/** The rewritten data of a new row, and what is known of it. */
interface Created extends Fallback {
  readonly data: Args;
}

interface Needs {
  readonly id?: boolean;
  readonly person?: boolean;
  readonly inherited?: Inherited | undefined;
}

export async function createOf(work: Work, model: Model, data: unknown, needs: Needs = {}): Promise<Created> {
  const { columns, values: given, relations } = splitOf(work, model, data, false);
  const values = model.core ? withPartners(model.core, given) : given;
  const nest = async (hasKey: boolean): Promise<void> => {
    const own = relations.filter(([name]) => hasKey === (model.columns.get(name)?.key?.size ?? 0) > 0);
    await nestInto(work, model, { place: undefined, value }, own, columns);
  };
  // Once, because a number of a sequence is another one each time.
  const value = once(async (column) => {
    await linked;
    return newValueOf(work, model, columns, column, needs.inherited);
  });
  // The rows that the foreign keys of this row refer to. They can name its person, and ask nothing of it.
  const linked = nest(true);
  let person: Args | undefined;
  const own = async (): Promise<void> => {
    if (needs.id || bindsRow(model, values)) {
      const [column = ''] = model.id;
      if (model.id.length === 1) await value(column);
      if (idOf(model, columns) === undefined) refuseWithoutId(model, column);
    }
    if (needs.person || hasPerson(model, values)) {
      person = {};
      for (const column of model.subject) person[column] = await value(column);
    }
    seal(work, model, values, columns, idOf(model, columns), person);
  };
  await Promise.all([linked, nest(false), own()]);
  return { data: columns, id: idOf(model, columns), person, value };
}

interface Updated {
  readonly data: Args;
  readonly id: RecordId | undefined;
  /** What `where` must say, because encryption relied on it. */
  readonly pins: Args;
}

/** `own` is the id that the condition names. */
async function updateOf(
  work: Work,
  model: Model,
  data: unknown,
  place: Place,
  own?: RecordId,
): Promise<Updated> {
  const { columns, values: given, relations } = splitOf(work, model, data, true);
  const values = model.core ? withoutOwn(model.core, given, own) : given;
  // Nobody knows in which order the database changes this column and writes the rows inside.
  const value = async (column: string) => (columns[column] === undefined ? place.value(column) : undefined);
  await nestInto(work, model, { place, value }, relations, columns);
  const needsId = bindsRow(model, values);
  const changesId =
    model.id.some((column) => columns[column] !== undefined) && [...model.encrypted.values()].some(isBound);
  const id = needsId || changesId ? await place.id() : undefined;
  if (changesId) refuseNewId(model, columns, id);
  const next = await nextPerson(work, model, columns);
  const isKept = hasPerson(model, values) || Object.keys(next).length > 0;
  const person = isKept ? await place.person() : undefined;
  seal(work, model, values, columns, id, isKept ? keptPerson(model, next, person) : undefined);
  return { data: columns, id: needsId ? id : undefined, pins: { ...person, ...place.read } };
}

/** An update of one row. */
export async function updateOne(work: Work, model: Model, found: unknown, data: unknown, place: Place) {
  const { data: written, id, pins } = await updateOf(work, model, data, place, exactId(model, found));
  return { where: pinned(model, found, id, pins), data: written };
}

/** An update that writes the same to all rows that it finds. */
export async function updateAll(work: Work, model: Model, found: unknown, data: unknown, more: object = {}) {
  const place = { ...placeOfMany(work, model, found, data), ...more };
  return { where: found, data: (await updateOf(work, model, data, place)).data };
}

/**
 * Updates of the rows that were found, one by one, because the ciphertexts of each are bound to its id. Each repeats the
 * condition of the app, because a row can change after its id was read.
 */
export async function updateEach(work: Work, model: Model, found: unknown, data: unknown, rows: unknown) {
  const updates = (Array.isArray(rows) ? (rows as Args[]) : []).map(async (row) => {
    const where = { ...argsOf([...model.id, ...model.subject], (column) => row[column]), AND: [found ?? {}] };
    return { where, data: (await updateOf(work, model, data, placeOf(work, model, where, data))).data };
  });
  return Promise.all(updates);
}

/** An upsert of one row. Without the row id, it could update a row that is inserted concurrently. */
export async function upsertOne(
  work: Work,
  model: Model,
  { where, create, update }: Args,
  placeOfRow: (found: unknown, created: Created) => Place,
  inherited?: Inherited,
) {
  const found = await uniqueOf(work, model, where);
  const values = valuesIn(model, update, exactId(model, found));
  const id = bindsRow(model, values) && namedId(model, found) === undefined;
  const person = hasPerson(model, values) && knownPerson(model, found) === undefined;
  const created = await createOf(work, model, create, { id, person, inherited });
  // Without the rows that the create makes, because only one of both happens.
  const updated = await updateOne({ ...work, made: [] }, model, found, update, placeOfRow(found, created));
  return { where: updated.where, create: created.data, update: updated.data };
}

/** Whether an update of any number of rows must know their ids. */
export function needsRow(model: Model, data: unknown): boolean {
  return bindsRow(model, valuesIn(model, data));
}

function valuesIn(model: Model, data: unknown, own?: RecordId): Args {
  const values = entriesOf(isArgs(data) ? data : {}).flatMap(([name, value]) => {
    const field = model.encrypted.get(name);
    return field ? [[name, valueOf(model, field, value)] as const] : [];
  });
  return model.core ? withoutOwn(model.core, Object.fromEntries(values), own) : {};
}

type NestedWrite = readonly [name: string, target: Model, value: unknown];

function splitOf(work: Work, model: Model, data: unknown, isUpdate: boolean) {
  if (!isArgs(data)) {
    const remedy = 'pass the values by the names of their fields';
    return refuse('unknown_argument', { table: model.name }, '`data` must be an object', remedy);
  }
  const columns: Args = {};
  const values: Args = {};
  const relations: NestedWrite[] = [];
  for (const [name, value] of entriesOf(data)) {
    const field = model.encrypted.get(name);
    if (field) {
      requireJsonValue(model, field, value);
      values[name] = isUpdate ? valueOf(model, field, value) : value;
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
  // What becomes of a handle in a copy of its row, which no field takes.
  if (names === '') return value;
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

function refuseWithoutId(model: Model, column: string): never {
  const pass =
    model.id.length > 1
      ? 'pass the whole id in `data` of a separate operation'
      : 'pass the id in `data`, pass `newId`';
  const problem = 'the id of a new row must be known before its fields are encrypted';
  const remedy = `${pass}, or define the fields with context: 'field'`;
  return refuse('row_unknown', { table: model.name, column }, problem, remedy);
}

function seal(
  { sealings }: Work,
  { core: table }: Model,
  values: Args,
  into: Args,
  id: RecordId | undefined,
  person: Args | undefined,
): void {
  if (!table || Object.keys(values).length === 0) return;
  sealings.push({ table, values, id, person, put: (stored) => void Object.assign(into, stored) });
}

/** A relation in the data of a row. */
interface Relation {
  readonly work: Work;
  readonly model: Model;
  readonly target: Model;
  readonly name: string;
  readonly outer: Outer;
}

/** The row around a nested write. A new row has no place. */
interface Outer {
  readonly place: Place | undefined;
  value(column: string): Promise<unknown>;
}

async function nestInto(
  work: Work,
  model: Model,
  outer: Outer,
  relations: readonly NestedWrite[],
  into: Args,
): Promise<void> {
  const written = relations.map(async ([name, target, value]) => {
    if (!isArgs(value)) {
      const problem = 'a nested write must be an object';
      const remedy = 'pass an object such as `{ create: { … } }`';
      refuse('unknown_argument', { table: model.name, column: name }, problem, remedy);
    }
    into[name] = await mapMembers(value, (write, given) => {
      const rewrite = Object.hasOwn(nested, write) ? nested[write] : undefined;
      return (rewrite ?? refuseUnknown(model, write, `\`${name}\``))(
        { work, model, target, name, outer },
        given,
      );
    });
  });
  await Promise.all(written);
}

/** A foreign key that refers to the outer row has the value of this row, and can name the person of the inner row. */
const inheritedBy =
  ({ model, target, name, outer }: Relation): Inherited =>
  async (column) => {
    const reference = keyInTarget(model, target, name)?.get(column);
    return reference === undefined ? undefined : outer.value(reference);
  };

async function inheritedPerson(relation: Relation): Promise<Args | undefined> {
  const person: Args = {};
  for (const column of relation.target.subject) {
    person[column] = await inheritedBy(relation)(column);
    if (person[column] === undefined) return undefined;
  }
  return person;
}

/** A nested write reads the row to find out whose data it is, if neither its condition nor the outer row says this. */
const personOf = (relation: Relation, where: unknown, read: Place['person']) => async () =>
  knownPerson(relation.target, where) ?? (await inheritedPerson(relation)) ?? read();

type Rewrite = (relation: Relation, given: unknown) => Promise<unknown>;

const createEach: Rewrite = (relation, given) =>
  mapItems(given, async (item) => {
    const needs = { inherited: inheritedBy(relation) };
    return (await createOf(relation.work, relation.target, item, needs)).data;
  });

const findEach: Rewrite = async ({ work, target }, given) =>
  typeof given === 'boolean' ? given : mapItems(given, (item) => uniqueOf(work, target, item));

/** Connecting or disconnecting rows changes their foreign key. It must not change whose data they are. */
const linkEach: Rewrite = (relation, given) => {
  const { model, target, name } = relation;
  if (given === false || !decidesPerson(model, target, name)) return findEach(relation, given);
  const problem = `the encrypted values of ${target.name} belong to the person whom this relation names`;
  const remedy = 'read the rows, create them for the other person and delete the old ones';
  return refuse('subject_unknown', { table: model.name, column: name }, problem, remedy);
};

const nested: Readonly<Record<string, Rewrite>> = {
  create: createEach,
  connect: linkEach,
  set: linkEach,
  disconnect: linkEach,
  delete: findEach,
  deleteMany: ({ work, target }, given) => mapItems(given, (item) => whereOf(work, target, item)),
  async createMany(relation, given) {
    const { data, ...others } = requireArgs(relation, given, 'createMany', ['data', 'skipDuplicates']);
    return { data: await createEach(relation, data), ...others };
  },
  connectOrCreate: (relation, given) =>
    mapItems(given, async (item) => {
      const { where, create } = requireArgs(relation, item, 'connectOrCreate', ['where', 'create']);
      const { work, model, target, name } = relation;
      const sought = Object.entries(flatOf(target, where));
      const key = keyInTarget(model, target, name);
      const isFound = (row: unknown) =>
        !key && sought.every(([column, value]) => Object(row)[column] === value);
      // Prisma finds the row that an equal look-up has just created, so it is created once, with the data that came first. It is
      // another row each time if its own look-up would not find it, or if its key names the row around it.
      const known = work.made.find((each) => each.target === target && isFound(each.where));
      const data = known?.data ?? createEach(relation, create);
      if (isFound(create)) work.made.push({ target, where: Object.fromEntries(sought), data });
      const [found, made] = await Promise.all([uniqueOf(work, target, where), data]);
      // Connects only what belongs to the same person already.
      const person = decidesPerson(model, target, name) ? await inheritedPerson(relation) : undefined;
      return { where: pinned(target, found, undefined, person), create: made };
    }),
  update: (relation, given) =>
    mapItems(given, async (item) => {
      const { work, target } = relation;
      const update = requireArgs(relation, item);
      const found = await uniqueOf(work, target, isWrapped(update) ? update['where'] : undefined);
      const data = dataIn(update);
      const updated = await updateOne(work, target, found, data, placeIn(relation, found, data));
      return isWrapped(update) || updated.where !== undefined ? withWhere(updated) : updated.data;
    }),
  async updateMany(relation, given) {
    const { work, target, name } = relation;
    const items = [given].flat().map(async (item) => {
      const { where, data } = requireArgs(relation, item, 'updateMany', ['where', 'data']);
      const outer = requirePlace(relation);
      const found = await whereOf(work, target, where);
      if (!needsRow(target, data)) {
        const person = personOf(relation, found, async () => undefined);
        return [await updateAll(work, target, found, data, { person })];
      }
      const inner = withWhere({ where: found, select: selectRow(target) });
      return updateEach(work, target, found, data, (await outer.find({ [name]: inner }))?.[name]);
    });
    return (await Promise.all(items)).flat();
  },
  upsert: (relation, given) =>
    mapItems(given, async (item) => {
      const upsert = requireArgs(relation, item, 'upsert', ['where', 'create', 'update']);
      const place = (found: unknown, created: Created) => placeIn(relation, found, upsert['update'], created);
      return withWhere(await upsertOne(relation.work, relation.target, upsert, place, inheritedBy(relation)));
    }),
};

/** The place of the row that a nested update changes. A condition names a row of a list, and a row of one is read with the outer. */
function placeIn(relation: Relation, where: unknown, data: unknown, fallback?: Fallback): Place {
  const { work, model, target, name } = relation;
  const outer = requirePlace(relation);
  const place = model.columns.get(name)?.isList
    ? placeOf(work, target, where, data, fallback)
    : relatedPlace(outer, target, name, where, fallback);
  return { ...place, person: personOf(relation, where, place.person) };
}

const withWhere = ({ where, ...others }: Args): Args => (where === undefined ? others : { where, ...others });

function requirePlace({ target, outer: { place } }: Relation): Place {
  const remedy = 'use `create`, `connect` or `connectOrCreate`';
  const problem = 'a new row has no related rows to update';
  return place ?? refuse('unknown_argument', { table: target.name }, problem, remedy);
}

function requireArgs({ target, name }: Relation, item: unknown, write?: string, names?: string[]): Args {
  if (!isArgs(item)) {
    const problem = `the nested write \`${name}\` takes an object`;
    return refuse('unknown_argument', { table: target.name }, problem, 'pass an object with its arguments');
  }
  const entries = entriesOf(item);
  const other = names && entries.find(([member]) => !names.includes(member));
  return other ? refuseUnknown(target, other[0], `\`${write}\``) : Object.fromEntries(entries);
}
