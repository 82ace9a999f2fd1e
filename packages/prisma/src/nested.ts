import { createOf, needsRow, updateOf } from './data.ts';
import { refuse } from './error.ts';
import type { Model } from './models.ts';
import { knownId, pinned, placeOf, relatedPlace, relatedRows } from './place.ts';
import { type Args, entriesOf, isArgs, mapItems } from './values.ts';
import { idColumns, idOf, type Place, refuseUnknown, type Work } from './work.ts';
import { uniqueOf, whereOf } from './where.ts';

interface Relation {
  readonly work: Work;
  readonly target: Model;
  readonly name: string;
  readonly place: Place | undefined;
}

type Rewrite = (relation: Relation, value: unknown) => Promise<unknown>;

export async function nestedOf(
  work: Work,
  model: Model,
  target: Model,
  name: string,
  value: unknown,
  place: Place | undefined,
): Promise<unknown> {
  if (!isArgs(value)) {
    return refuse(
      'unknown_argument',
      { model: model.name, field: name },
      'a nested write must be an object',
      'pass an object such as `{ create: { … } }`',
    );
  }
  const relation: Relation = { work, target, name, place };
  const rewritten = entriesOf(value).map(async ([write, given]) => {
    const rewrite = Object.hasOwn(writes, write) ? writes[write] : undefined;
    return [write, await (rewrite ?? refuseUnknown(model, write, `\`${name}\``))(relation, given)];
  });
  return Object.fromEntries(await Promise.all(rewritten)) as Args;
}

const createEach: Rewrite = ({ work, target }, given) =>
  mapItems(given, (item) => createOf(work, target, item));

const findEach: Rewrite = async ({ work, target }, given) =>
  typeof given === 'boolean' ? given : mapItems(given, (item) => uniqueOf(work, target, item));

const writes: Readonly<Record<string, Rewrite>> = {
  create: createEach,
  connect: findEach,
  set: findEach,
  disconnect: findEach,
  delete: findEach,
  deleteMany: ({ work, target }, given) => mapItems(given, (item) => whereOf(work, target, item)),
  async createMany(relation, given) {
    const { data, skipDuplicates, ...others } = requireArgs(relation, given);
    refuseOthers(relation, others, 'createMany');
    return {
      data: await createEach(relation, data),
      ...(skipDuplicates === undefined ? {} : { skipDuplicates }),
    };
  },
  connectOrCreate: (relation, given) =>
    mapItems(given, async (item) => {
      const { where, create, ...others } = requireArgs(relation, item);
      refuseOthers(relation, others, 'connectOrCreate');
      const { work, target } = relation;
      return { where: await uniqueOf(work, target, where), create: await createOf(work, target, create) };
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
  if (!isWrapped && updated.id === undefined) return updated.data;
  return withWhere(pinned(target, found, updated.id), { data: updated.data });
}

async function updateManyItem(relation: Relation, item: unknown): Promise<unknown[]> {
  const { work, target, name } = relation;
  const { where, data, ...others } = requireArgs(relation, item);
  refuseOthers(relation, others, 'updateMany');
  const found = await whereOf(work, target, where);
  const parent = requirePlace(relation);
  if (!needsRow(target, data)) {
    const { data: updated } = await updateOf(work, target, data, placeOf(work, target, found));
    return [{ where: found, data: updated }];
  }
  const rows = await relatedRows(work, parent, target, name, found);
  const list = Array.isArray(rows) ? (rows as Args[]) : [];
  return Promise.all(
    list.map(async (row) => {
      const columns = idColumns(target, row);
      const { data: updated } = await updateOf(work, target, data, placeOf(work, target, columns));
      return { where: { AND: [found ?? {}, columns] }, data: updated };
    }),
  );
}

/** Without the row id, the update could change a row that is inserted concurrently. */
async function upsertItem(relation: Relation, item: unknown): Promise<unknown> {
  const { work, target } = relation;
  const { where, create, update, ...others } = requireArgs(relation, item);
  refuseOthers(relation, others, 'upsert');
  const found = await uniqueOf(work, target, where);
  const mustPin = needsRow(target, update);
  const created = await createOf(work, target, create, mustPin && knownId(target, found) === undefined);
  const place = await childPlace(relation, found, () => idOf(target, created));
  const updated = await updateOf(work, target, update, place);
  return withWhere(pinned(target, found, updated.id), { create: created, update: updated.data });
}

async function childPlace(
  relation: Relation,
  where: unknown,
  fallback?: () => ReturnType<typeof idOf>,
): Promise<Place> {
  const { work, target, name } = relation;
  const parent = requirePlace(relation);
  if (knownId(target, where) !== undefined) return placeOf(work, target, where, fallback);
  const along = relatedPlace(work, parent, target, name, fallback);
  if (where === undefined) return along;
  const inList = placeOf(work, target, where, fallback);
  const id = async () => {
    // Reads the related rows to find out whether the relation is a list, because Prisma's data model does not say this.
    const rows = await relatedRows(work, parent, target, name, undefined);
    return Array.isArray(rows) ? inList.id() : along.id();
  };
  return { ...inList, id };
}

function withWhere(where: unknown, others: Args): Args {
  return where === undefined ? others : { where, ...others };
}

function requirePlace({ target, place }: Relation): Place {
  const remedy = 'use `create`, `connect` or `connectOrCreate`';
  const problem = 'a new row has no related rows to update';
  return place ?? refuse('unknown_argument', { model: target.name }, problem, remedy);
}

function requireArgs({ target, name }: Relation, item: unknown): Args {
  if (isArgs(item)) return item;
  const problem = `the nested write \`${name}\` takes an object`;
  return refuse('unknown_argument', { model: target.name }, problem, 'pass an object with its arguments');
}

function refuseOthers({ target }: Relation, others: Args, write: string): void {
  for (const [name] of entriesOf(others)) refuseUnknown(target, name, `\`${write}\``);
}
