import { needsRow } from './data.ts';
import { refuseStatement as refuse, type Statement } from '@eaas/sdk/internal';
import type { Model, Models, RuntimeField } from './models.ts';
import { nestedOf } from './nested.ts';
import { openResult } from './open.ts';
import { type Rewritten, rewrite } from './operations.ts';
import type { Shape } from './selection.ts';
import { type Args, isArgs, joinConditions, pick } from './values.ts';
import { compoundsOf, selectRow, type Work } from './work.ts';
import { whereOf } from './where.ts';

export interface Executor {
  run(model: Model, operation: string, args: Args): Promise<unknown>;
  /** Takes the next numbers of the sequence of a column. */
  numbers(model: Model, column: RuntimeField, count: number): Promise<readonly (string | null)[]>;
  query(args: Args): Promise<unknown>;
  queryEach(model: Model, args: readonly Args[]): Promise<readonly unknown[]>;
}

export interface Operation {
  readonly model: Model;
  readonly operation: string;
  readonly args: Args;
  readonly path: readonly string[];
}

export async function perform(
  models: Models,
  statement: Statement,
  executor: Executor,
  { model, operation, args, path }: Operation,
): Promise<unknown> {
  const work = workOf(models, statement, executor, operation);
  const open = async (shape: Shape | undefined, result: unknown): Promise<void> =>
    shape && openResult(work, shape, result);
  if (isRowByRow(model, operation, args)) {
    const rows = await executor.run(model, 'findMany', await rowsToUpdate(work, model, args));
    const updates = await updatesOf(work, model, operation, args, rows as Args[]);
    await statement.seal(work.sealings);
    const results = await executor.queryEach(
      model,
      updates.map((update) => update.args),
    );
    const whole = joinResults(operation, results);
    if (updates[0]) await open(updates[0].shape, whole);
    return whole;
  }
  const rewritten = await rewrite(work, model, operation, args);
  await statement.seal(work.sealings);
  const result = await executor.query(rewritten.args);
  if (operation === 'upsert' && result === null && model.subject.length > 0) refuseOfOther(model);
  await open(rewritten.shape && shapeAt(rewritten.shape, path), result);
  return result;
}

/** Prisma lets PostgreSQL do some upserts, and then does not say that the row exists and `where` does not match it. */
function refuseOfOther(model: Model): never {
  const problem = 'nothing was written, because the row exists and `where` does not match it';
  const remedy = 'name the person whose row it is in `where`';
  return refuse('subject_unknown', { table: model.name, column: model.subject[0] }, problem, remedy);
}

function workOf(models: Models, statement: Statement, executor: Executor, operation: string): Work {
  return {
    models,
    sealings: [],
    nested: nestedOf,
    isRead: /^(?:find|count|aggregate|groupBy)/.test(operation),
    statement,
    async find(model, args, isNeeded = false) {
      const name = isNeeded ? 'findFirstOrThrow' : 'findFirst';
      const row = await executor.run(model, name, filtering(model, args));
      return isArgs(row) ? row : null;
    },
    nextNumber: numbersFrom(executor),
  };
}

/** One query takes the numbers for all rows that ask at once. */
function numbersFrom(executor: Executor): Work['nextNumber'] {
  const asking = new Map<RuntimeField, { count: number; numbers: ReturnType<Executor['numbers']> }>();
  const take = async (model: Model, column: RuntimeField) => {
    await Promise.resolve();
    const count = asking.get(column)?.count ?? 0;
    asking.delete(column);
    return executor.numbers(model, column, count);
  };
  return async (model, column) => {
    const asked = asking.get(column) ?? { count: 0, numbers: take(model, column) };
    asking.set(column, asked);
    const at = asked.count++;
    const number = (await asked.numbers)[at] ?? null;
    if (number === null) return null;
    return column.type === 'BigInt' ? BigInt(number) : Number(number);
  };
}

function filtering(model: Model, { where, ...args }: Args): Args {
  if (!isArgs(where)) return { ...args, where };
  const compounds = compoundsOf(model, where);
  const others = Object.entries(where).filter(([key]) => !Object.hasOwn(compounds, key));
  return { ...args, where: joinConditions([Object.fromEntries(others), ...Object.values(compounds)]) };
}

function joinResults(operation: string, results: readonly unknown[]): unknown {
  if (operation === 'updateManyAndReturn') return results.flat();
  const counts = results.map((result) => (isArgs(result) ? Number(result['count']) : 0));
  return { count: counts.reduce((sum, count) => sum + count, 0) };
}

function shapeAt(shape: Shape, path: readonly string[]): Shape {
  return path.reduce<Shape>((outer, name) => {
    return (
      outer.relations.get(name) ??
      refuse(
        'unknown_argument',
        { table: outer.model.name, column: name },
        'the relation was not selected',
        'read it with `include` or `select`',
      )
    );
  }, shape);
}

function isRowByRow(model: Model, operation: string, args: Args): boolean {
  return operation.startsWith('updateMany') && needsRow(model, args['data']);
}

async function rowsToUpdate(work: Work, model: Model, { where, limit }: Args): Promise<Args> {
  return {
    where: await whereOf(work, model, where),
    select: selectRow(model),
    ...(limit === undefined ? {} : { take: limit }),
  };
}

/** Each update repeats the conditions of the app, because a row can change after the extension has read its id. */
async function updatesOf(
  work: Work,
  model: Model,
  operation: string,
  args: Args,
  rows: readonly Args[],
): Promise<Rewritten[]> {
  return Promise.all(
    rows.map((row) => {
      const own = { ...pick(row, [...model.id, ...model.subject]), AND: [args['where'] ?? {}] };
      return rewrite(work, model, operation, { ...args, where: own, limit: undefined });
    }),
  );
}
