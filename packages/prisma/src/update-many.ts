import { needsRow } from './data.ts';
import type { Model } from './models.ts';
import { type Rewritten, rewrite } from './operations.ts';
import type { Args } from './values.ts';
import { idColumns, selectId, type Work } from './work.ts';
import { whereOf } from './where.ts';

export function isRowByRow(model: Model, operation: string, args: Args): boolean {
  return operation.startsWith('updateMany') && needsRow(model, args['data']);
}

export async function rowsToUpdate(work: Work, model: Model, { where, limit }: Args): Promise<Args> {
  return {
    where: await whereOf(work, model, where),
    select: selectId(model),
    ...(limit === undefined ? {} : { take: limit }),
  };
}

/** Each update repeats the conditions of the app, because a row can change after the extension has read its id. */
export async function updatesOf(
  work: Work,
  model: Model,
  operation: string,
  args: Args,
  rows: readonly Args[],
): Promise<Rewritten[]> {
  return Promise.all(
    rows.map((row) => {
      const own = { ...idColumns(model, row), AND: [args['where'] ?? {}] };
      return rewrite(work, model, operation, { ...args, where: own, limit: undefined });
    }),
  );
}
