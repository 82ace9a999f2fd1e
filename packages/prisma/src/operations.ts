import { createOf, needsPerson, needsRow, updateOf } from './data.ts';
import { refuseStatement as refuse } from '@eaas/sdk/internal';
import type { Model } from './models.ts';
import { refuseAggregate, refuseEncrypted, refuseEncryptedIn } from './order.ts';
import { knownPerson } from './person.ts';
import { knownId, pinned, placeOf, placeOfMany } from './place.ts';
import { readOf, type Shape } from './selection.ts';
import { type Args, entriesOf, mapItems } from './values.ts';
import { refuseUnknown, type Work } from './work.ts';
import { uniqueOf, whereOf } from './where.ts';

export interface Rewritten {
  readonly args: Args;
  readonly shape: Shape | undefined;
}

type Rewrite = (work: Work, model: Model, args: Args) => Promise<Rewritten>;

export function rewrite(work: Work, model: Model, operation: string, args: Args): Promise<Rewritten> {
  const known = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (known) return known(work, model, args);
  const problem = `the operation \`${operation}\` is not supported`;
  const remedy = `use ${Object.keys(operations).join(', ')}`;
  return refuse('unknown_argument', { table: model.name }, problem, remedy);
}

const finding: Rewrite = (work, model, args) => readOf(work, model, args);

const findingMany: Rewrite = (work, model, args) => readOf(work, model, args, true);

const findingUnique: Rewrite = async (work, model, { where, ...others }) =>
  withArgs(await readOf(work, model, others), { where: await uniqueOf(work, model, where) });

const creating: Rewrite = async (work, model, { data, ...others }) =>
  withArgs(await readOf(work, model, others), { data: (await createOf(work, model, data)).data });

const creatingMany: Rewrite = async (work, model, { data, skipDuplicates, ...others }) => {
  const rows = await mapItems(data, async (row) => (await createOf(work, model, row)).data);
  return withArgs(await readOf(work, model, others), { data: rows, skipDuplicates });
};

const updating: Rewrite = async (work, model, { where, data, ...others }) => {
  const found = await uniqueOf(work, model, where);
  const updated = await updateOf(work, model, data, placeOf(work, model, found));
  return withArgs(await readOf(work, model, others), {
    // Prisma refuses an update without `where`.
    where: found && pinned(model, found, updated.id, updated.pins),
    data: updated.data,
  });
};

/** For ciphertexts that are bound to the row id, `perform.ts` updates the rows one by one. */
const updatingMany: Rewrite = async (work, model, { where, data, limit, ...others }) => {
  const found = await whereOf(work, model, where);
  const place = (needsRow(model, data) ? placeOf : placeOfMany)(work, model, found);
  const updated = await updateOf(work, model, data, place);
  return withArgs(await readOf(work, model, others), { where: found, data: updated.data, limit });
};

const upserting: Rewrite = async (work, model, { where, create, update, ...others }) => {
  const found = await uniqueOf(work, model, where);
  const mustPin = needsRow(model, update) && knownId(model, found) === undefined;
  const person = needsPerson(model, update) && knownPerson(model, found) === undefined;
  const created = await createOf(work, model, create, { id: mustPin, person });
  const updated = await updateOf(work, model, update, placeOf(work, model, found, created));
  return withArgs(await readOf(work, model, others), {
    where: found && pinned(model, found, updated.id, updated.pins),
    create: created.data,
    update: updated.data,
  });
};

const deletingMany: Rewrite = async (work, model, { where, limit, ...others }) => {
  for (const [name] of entriesOf(others)) refuseUnknown(model, name, '`deleteMany`');
  return withoutRows(
    withArgs(await readOf(work, model, {}), { where: await whereOf(work, model, where), limit }),
  );
};

const counting: Rewrite = async (work, model, { select, ...others }) => {
  refuseAggregate(model, '_count', select);
  return withoutRows(withArgs(await readOf(work, model, others), { select }));
};

const aggregating: Rewrite = async (work, model, args) => {
  const { aggregates, others } = splitAggregates(model, args);
  return withoutRows(withArgs(await readOf(work, model, others), aggregates));
};

const grouping: Rewrite = async (work, model, { by, having, ...args }) => {
  for (const column of [by].flat()) refuseEncrypted(model, column, 'by');
  refuseEncryptedIn(model, having, 'having');
  const { aggregates, others } = splitAggregates(model, args);
  return withoutRows(withArgs(await readOf(work, model, others), { by, having, ...aggregates }));
};

const operations: Readonly<Record<string, Rewrite>> = {
  findUnique: findingUnique,
  findUniqueOrThrow: findingUnique,
  findFirst: finding,
  findFirstOrThrow: finding,
  findMany: findingMany,
  create: creating,
  createMany: async (...given) => withoutRows(await creatingMany(...given)),
  createManyAndReturn: creatingMany,
  update: updating,
  updateMany: async (...given) => withoutRows(await updatingMany(...given)),
  updateManyAndReturn: updatingMany,
  upsert: upserting,
  delete: findingUnique,
  deleteMany: deletingMany,
  count: counting,
  aggregate: aggregating,
  groupBy: grouping,
};

function splitAggregates(model: Model, args: Args): { aggregates: Args; others: Args } {
  const isAggregate = (name: string): boolean => /^_(?:count|min|max|avg|sum)$/.test(name);
  const entries = entriesOf(args);
  for (const [name, value] of entries) if (isAggregate(name)) refuseAggregate(model, name, value);
  const aggregates = Object.fromEntries(entries.filter(([name]) => isAggregate(name)));
  const others = Object.fromEntries(entries.filter(([name]) => !isAggregate(name)));
  return { aggregates, others };
}

function withArgs({ args, shape }: Rewritten, more: Args): Rewritten {
  return { args: { ...args, ...Object.fromEntries(entriesOf(more)) }, shape };
}

function withoutRows({ args }: Rewritten): Rewritten {
  const others = Object.entries(args).filter(([name]) => name !== 'omit');
  return { args: Object.fromEntries(others), shape: undefined };
}
