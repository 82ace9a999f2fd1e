import { createOf, needsPerson, needsRow, updateOf } from './data.ts';
import { refuseStatement as refuse } from '@eaas/sdk/internal';
import type { Model } from './models.ts';
import { decidesPerson, type Inherited, keyInTarget, knownPerson } from './person.ts';
import { type Fallback, knownId, pinned, placeOf, placeOfMany, relatedPlace, relatedRows } from './place.ts';
import { type Args, entriesOf, isArgs, mapItems, pick } from './values.ts';
import { type Outer, type Place, refuseUnknown, type Work } from './work.ts';
import { uniqueOf, whereOf } from './where.ts';

interface Relation {
  readonly work: Work;
  readonly model: Model;
  readonly target: Model;
  readonly name: string;
  readonly outer: Outer;
}

type Rewrite = (relation: Relation, value: unknown) => Promise<unknown>;

export async function nestedOf(
  work: Work,
  model: Model,
  target: Model,
  name: string,
  value: unknown,
  outer: Outer,
): Promise<unknown> {
  if (!isArgs(value)) {
    const problem = 'a nested write must be an object';
    const remedy = 'pass an object such as `{ create: { … } }`';
    return refuse('unknown_argument', { table: model.name, column: name }, problem, remedy);
  }
  const relation: Relation = { work, model, target, name, outer };
  const rewritten = entriesOf(value).map(async ([write, given]) => {
    const rewrite = Object.hasOwn(writes, write) ? writes[write] : undefined;
    return [write, await (rewrite ?? refuseUnknown(model, write, `\`${name}\``))(relation, given)];
  });
  return Object.fromEntries(await Promise.all(rewritten)) as Args;
}

/** A foreign key that refers to the outer row has the value of this row, and can name the person of the inner row. */
const inheritedBy =
  ({ model, target, name, outer }: Relation): Inherited =>
  async (column) => {
    const reference = keyInTarget(model, target, name)?.get(column);
    return reference === undefined ? undefined : outer.value(reference);
  };

async function inheritedPerson(relation: Relation): Promise<Args | undefined> {
  const { target } = relation;
  const found = target.subject.map(async (column) => [column, await inheritedBy(relation)(column)] as const);
  const columns = await Promise.all(found);
  return columns.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(columns);
}

const createEach: Rewrite = (relation, given) =>
  mapItems(given, async (item) => {
    const { data } = await createOf(relation.work, relation.target, item, {
      inherited: inheritedBy(relation),
    });
    return data;
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

const writes: Readonly<Record<string, Rewrite>> = {
  create: createEach,
  connect: linkEach,
  set: linkEach,
  disconnect: linkEach,
  delete: findEach,
  deleteMany: ({ work, target }, given) => mapItems(given, (item) => whereOf(work, target, item)),
  async createMany(relation, given) {
    const { data, skipDuplicates } = requireArgs(relation, given, 'createMany', ['data', 'skipDuplicates']);
    return {
      data: await createEach(relation, data),
      ...(skipDuplicates === undefined ? {} : { skipDuplicates }),
    };
  },
  connectOrCreate: (relation, given) =>
    mapItems(given, async (item) => {
      const { where, create } = requireArgs(relation, item, 'connectOrCreate', ['where', 'create']);
      const { work, model, target, name } = relation;
      const found = await uniqueOf(work, target, where);
      const inherited = inheritedBy(relation);
      const { data } = await createOf(work, target, create, { inherited });
      // Connects only what belongs to the same person already.
      const person = decidesPerson(model, target, name) ? await inheritedPerson(relation) : undefined;
      return { where: pinned(target, found, undefined, person), create: data };
    }),
  update: (relation, given) => mapItems(given, (item) => updateItem(relation, item)),
  async updateMany(relation, given) {
    const items = await Promise.all([given].flat().map((item) => updateManyItem(relation, item)));
    return items.flat();
  },
  upsert: (relation, given) => mapItems(given, (item) => upsertItem(relation, item)),
};

async function updateItem(relation: Relation, item: unknown): Promise<unknown> {
  const { work, target } = relation;
  const given = requireArgs(relation, item);
  const names = entriesOf(given).map(([name]) => name);
  const isWrapped = names.includes('data') && names.every((name) => name === 'data' || name === 'where');
  const { where, data } = isWrapped ? given : { where: undefined, data: given };
  const found = await uniqueOf(work, target, where);
  const place = await childPlace(relation, found);
  const updated = await updateOf(work, target, data, place);
  const isPinned = updated.id !== undefined || Object.keys(updated.pins).length > 0;
  if (!isWrapped && !isPinned) return updated.data;
  return withWhere(pinned(target, found, updated.id, updated.pins), { data: updated.data });
}

async function updateManyItem(relation: Relation, item: unknown): Promise<unknown[]> {
  const { work, target, name } = relation;
  const { where, data } = requireArgs(relation, item, 'updateMany', ['where', 'data']);
  const found = await whereOf(work, target, where);
  const outer = requirePlace(relation);
  if (!needsRow(target, data)) {
    const place = withInherited(relation, found, placeOfMany(work, target, found));
    const { data: updated } = await updateOf(work, target, data, place);
    return [{ where: found, data: updated }];
  }
  const rows = await relatedRows(work, outer, target, name, found);
  const list = Array.isArray(rows) ? (rows as Args[]) : [];
  return Promise.all(
    list.map(async (row) => {
      const columns = pick(row, [...target.id, ...target.subject]);
      const { data: updated } = await updateOf(work, target, data, placeOf(work, target, columns));
      return { where: { AND: [found ?? {}, columns] }, data: updated };
    }),
  );
}

/** Without the row id, the update could change a row that is inserted concurrently. */
async function upsertItem(relation: Relation, item: unknown): Promise<unknown> {
  const { work, target } = relation;
  const { where, create, update } = requireArgs(relation, item, 'upsert', ['where', 'create', 'update']);
  const found = await uniqueOf(work, target, where);
  const mustPin = needsRow(target, update);
  const created = await createOf(work, target, create, {
    id: mustPin && knownId(target, found) === undefined,
    person: needsPerson(target, update) && knownPerson(target, found) === undefined,
    inherited: inheritedBy(relation),
  });
  const place = await childPlace(relation, found, created);
  const updated = await updateOf(work, target, update, place);
  const one = pinned(target, found, updated.id, updated.pins);
  return withWhere(one, { create: created.data, update: updated.data });
}

async function childPlace(relation: Relation, where: unknown, fallback?: Fallback): Promise<Place> {
  const { work, target, name } = relation;
  const outer = requirePlace(relation);
  const inList = placeOf(work, target, where, fallback);
  if (knownId(target, where) !== undefined) return withInherited(relation, where, inList);
  const along = relatedPlace(work, outer, target, name, fallback);
  if (where === undefined) return withInherited(relation, where, along);
  const found = async (): Promise<Place> => {
    // Reads the related rows to find out whether the relation is a list, because Prisma's data model does not say this.
    const rows = await relatedRows(work, outer, target, name, undefined);
    return Array.isArray(rows) ? inList : along;
  };
  const place = {
    ...inList,
    id: async () => (await found()).id(),
    person: async () => (await found()).person(),
  };
  return withInherited(relation, where, place);
}

/** A nested write reads the row to find out whose data it is, if neither its condition nor the outer row says this. */
function withInherited(relation: Relation, where: unknown, place: Place): Place {
  const person = async () =>
    knownPerson(relation.target, where) ?? (await inheritedPerson(relation)) ?? place.person();
  return { ...place, person };
}

function withWhere(where: unknown, others: Args): Args {
  return where === undefined ? others : { where, ...others };
}

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
  const other = names && entriesOf(item).find(([member]) => !names.includes(member));
  return other ? refuseUnknown(target, other[0], `\`${write}\``) : item;
}
