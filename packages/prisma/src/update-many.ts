import { needsRow } from './data.ts';
import type { Model } from './models.ts';
import { type Rewritten, rewrite } from './operations.ts';
import type { Args } from './values.ts';
import { idColumns, selectId, type Work } from './work.ts';
import { whereOf } from './where.ts';

/** Returns whether an operation must write each row separately, because its ciphertexts are bound to the row id. */
export function isRowByRow(model: Model, operation: string, args: Args): boolean {
  return operation.startsWith('updateMany') && needsRow(model, args['data']);
}

/** Returns the query for the ids of the rows that an `updateMany` changes. */
export async function rowsToUpdate(work: Work, model: Model, { where, limit }: Args): Promise<Args> {
  return {
    where: await whereOf(work, model, where),
    select: selectId(model),
    ...(limit === undefined ? {} : { take: limit }),
  };
}

/**
 * Returns one `updateMany` per row. Each update keeps the conditions of the app, because the row can have changed since
 * the query.
 */
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
