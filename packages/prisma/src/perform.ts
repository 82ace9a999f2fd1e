// One operation from what the app asked to what it gets: rewritten, encrypted in one call, sent, and opened.
import { heldIn, refuseStatement as refuse, type Statement, withoutHandles } from '@eaas/sdk/internal';
import { operationOf, rewrite } from './grammar.ts';
import { type Model, type Models, type RuntimeField, targetOf } from './models.ts';
import { openResult } from './open.ts';
import type { Shape } from './selection.ts';
import { type Args, entriesOf, isArgs } from './values.ts';
import { flatOf, type Work } from './work.ts';

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
  const { isRead = false } = operationOf(model, operation);
  for (const written of [args['data'], args['create'], args['update']]) {
    requireUser(models, statement, model, written);
  }
  const work = workOf(models, statement, executor, isRead);
  const { args: rewritten, shape } = await rewrite(work, model, operation, args);
  await statement.seal(work.sealings);
  const result = Array.isArray(rewritten)
    ? joinResults(await executor.queryEach(model, withoutHandles(rewritten)), shape !== undefined)
    : await executor.query(withoutHandles(rewritten));
  if (operation === 'upsert' && result === null && model.subject.length > 0) refuseOfOther(model);
  if (shape) await openResult(work, shapeAt(shape, path), result);
  return result;
}

/** Throws for encrypted fields that an operation writes without a user, before it reads anything. */
function requireUser(models: Models, statement: Statement, model: Model, written: unknown): void {
  for (const [name, value] of [written].flat().flatMap((each) => (isArgs(each) ? entriesOf(each) : []))) {
    const target = targetOf(models, model, name);
    if (heldIn(isArgs(value) ? value['set'] : value)) continue; // It is left alone, or refused.
    if (model.core && model.encrypted.has(name)) statement.requireUser(model.core);
    // The members of an operation such as `connect` stand for the same model, and those of JSON for none.
    else if (target || !model.columns.has(name)) requireUser(models, statement, target ?? model, value);
  }
}

/** Prisma lets PostgreSQL do some upserts, and then does not say that the row exists and `where` does not match it. */
function refuseOfOther(model: Model): never {
  const problem = 'nothing was written, because the row exists and `where` does not match it';
  const remedy = 'name the person whose row it is in `where`';
  return refuse('subject_unknown', { table: model.name, column: model.subject[0] }, problem, remedy);
}

function workOf(models: Models, statement: Statement, executor: Executor, isRead: boolean): Work {
  return {
    models,
    sealings: [],
    made: [],
    isRead,
    statement,
    async find(model, { where, ...args }, isNeeded = false) {
      if (isArgs(where) && Object.keys(where).length === 0) refuseAny(model);
      const name = isNeeded ? 'findFirstOrThrow' : 'findFirst';
      const row = await executor.run(model, name, withoutHandles({ ...args, where: flatOf(model, where) }));
      return isArgs(row) ? row : null;
    },
    findMany: async (model, args) => executor.run(model, 'findMany', withoutHandles(args)),
    nextNumber: numbersFrom(executor),
  };
}

/** Prisma refuses to write one row without a condition, but would not notice if the row that is read first were pinned. */
function refuseAny({ name: table }: Model): never {
  const problem = '`where` names no row, because all its members are undefined';
  refuse('unknown_argument', { table }, problem, 'pass the value of a unique field');
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

function joinResults(results: readonly unknown[], hasRows: boolean): unknown {
  if (hasRows) return results.flat();
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
