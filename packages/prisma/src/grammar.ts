// The grammar of Prisma in one table: what each operation returns, and how its arguments are rewritten, so that no value is sent
// before it is encrypted. An operation or an argument that is not in the table is refused, because it could hold such a value.
import { refuseStatement as refuse } from '@eaas/sdk/internal';
import type { Model } from './models.ts';
import { placeOf } from './place.ts';
import { argumentsOf, readOf, refuseColumns } from './selection.ts';
import { type Args, entriesOf, mapItems } from './values.ts';
import { uniqueOf, whereOf } from './where.ts';
import { selectRow, type Work } from './work.ts';
import { createOf, needsRow, updateAll, updateEach, updateOne, upsertOne } from './writes.ts';

interface Operation {
  readonly isRead?: boolean;
  /** Absent if the result has no rows. */
  readonly rows?: 'one' | 'list';
  /** The arguments that `by` rewrites. All others are those of a read. */
  readonly takes?: readonly string[];
  readonly by?: (work: Work, model: Model, args: Args) => Promise<Args | Args[]>;
}

const unique: Operation = {
  rows: 'one',
  takes: ['where'],
  by: async (work, model, { where }) => ({ where: await uniqueOf(work, model, where) }),
};

const createMany: Operation = {
  takes: ['data'],
  by: async (work, model, { data }) => ({
    data: await mapItems(data, async (row) => (await createOf(work, model, row)).data),
  }),
};

const updateMany: Operation = {
  takes: ['where', 'data', 'limit'],
  async by(work, model, { where, data, limit }) {
    const found = await whereOf(work, model, where);
    if (!needsRow(model, data)) return { ...(await updateAll(work, model, found, data)), limit };
    const read = { where: found, select: selectRow(model), ...(limit === undefined ? {} : { take: limit }) };
    return updateEach(work, model, found, data, await work.findMany(model, read));
  },
};

const operations: Readonly<Record<string, Operation>> = {
  findUnique: { ...unique, isRead: true },
  findUniqueOrThrow: { ...unique, isRead: true },
  findFirst: { isRead: true, rows: 'one' },
  findFirstOrThrow: { isRead: true, rows: 'one' },
  findMany: { isRead: true, rows: 'list' },
  create: { ...createMany, rows: 'one' },
  createMany,
  createManyAndReturn: { ...createMany, rows: 'list' },
  update: {
    rows: 'one',
    takes: ['where', 'data'],
    async by(work, model, { where, data }) {
      const found = await uniqueOf(work, model, where);
      return orNowhere(found, await updateOne(work, model, found, data, placeOf(work, model, found, data)));
    },
  },
  updateMany,
  updateManyAndReturn: { ...updateMany, rows: 'list' },
  upsert: {
    rows: 'one',
    takes: ['where', 'create', 'update'],
    by: async (work, model, args) =>
      orNowhere(
        args['where'],
        await upsertOne(work, model, args, (found, created) =>
          placeOf(work, model, found, args['update'], created),
        ),
      ),
  },
  delete: unique,
  deleteMany: {},
  count: {
    isRead: true,
    takes: ['select'],
    async by(work, model, { select }) {
      refuseColumns(work, model, select, '_count');
      return { select };
    },
  },
  aggregate: { isRead: true },
  groupBy: { isRead: true },
};

/** Prisma refuses to write without a condition, and shall go on to do so. */
const orNowhere = (given: unknown, args: Args): Args => (given ? args : { ...args, where: given });

export function operationOf(model: Model, name: string): Operation {
  if (Object.hasOwn(operations, name)) return operations[name] as Operation;
  const problem = `the operation \`${name}\` is not supported`;
  const remedy = `use ${Object.keys(operations).join(', ')}`;
  return refuse('unknown_argument', { table: model.name }, problem, remedy);
}

/** Returns the arguments of one query, or of one for each row, and what of the result is to be opened. */
export async function rewrite(work: Work, model: Model, name: string, given: Args) {
  const { rows, takes = [], by } = operationOf(model, name);
  const isOwn = (argument: string): boolean => takes.includes(argument);
  const others = Object.fromEntries(Object.entries(given).filter(([argument]) => !isOwn(argument)));
  // First, because it finds out whether a user is needed, and the other reads ids.
  const { args, shape } = rows
    ? await readOf(work, model, others, rows === 'list')
    : { args: await argumentsOf(work, model, others), shape: undefined };
  const made = (await by?.(work, model, given)) ?? {};
  const join = (own: Args): Args => ({ ...args, ...Object.fromEntries(entriesOf(own)) });
  return { args: Array.isArray(made) ? made.map(join) : join(made), shape };
}
