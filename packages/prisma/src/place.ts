import type { RecordId } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import { ignoresCase } from './id-form.ts';
import type { Model } from './models.ts';
import { type Args, isArgs } from './values.ts';
import { compoundsOf, idOf, type Place, selectId, type Work } from './work.ts';

export function placeOf(
  work: Work,
  model: Model,
  where: unknown,
  fallback?: () => RecordId | undefined,
): Place {
  const id = async (): Promise<RecordId> => {
    const known = knownId(model, where);
    if (known !== undefined && !model.id.some((column) => ignoresCase(model.columns.get(column))))
      return known;
    const args = { where, select: selectId(model) };
    const row = await (fallback ? work.find(model, args) : work.findOrThrow(model, args));
    return (row && idOf(model, row)) ?? fallback?.() ?? refuseAbsent(model);
  };
  return { root: model, where, path: [], id };
}

export function relatedPlace(
  work: Work,
  parent: Place,
  target: Model,
  relation: string,
  fallback?: () => RecordId | undefined,
): Place {
  const path = [...parent.path, relation];
  const id = async (): Promise<RecordId> => {
    const row = await relatedRows(work, parent, target, relation, undefined);
    return (isArgs(row) ? idOf(target, row) : undefined) ?? fallback?.() ?? refuseAbsent(target);
  };
  return { root: parent.root, where: parent.where, path, id };
}

export async function relatedRows(
  work: Work,
  { root, where, path }: Place,
  target: Model,
  relation: string,
  filter: unknown,
): Promise<unknown> {
  const inner: Args = { select: selectId(target), ...(filter === undefined ? {} : { where: filter }) };
  const select = [...path, relation].reduceRight<Args>(
    (within, name) => ({ select: { [name]: within } }),
    inner,
  );
  const row = await work.find(root, { where, ...select });
  return [...path, relation].reduce<unknown>((found, name) => (isArgs(found) ? found[name] : undefined), row);
}

export function knownId(model: Model, where: unknown): RecordId | undefined {
  if (!isArgs(where)) return undefined;
  const isPlain = (columns: Args): boolean =>
    model.id.every((column) => /^(?:string|number|bigint)$/.test(typeof columns[column]));
  const columns = [where, ...Object.values(compoundsOf(model, where))].find(isPlain);
  return columns && idOf(model, columns);
}

/**
 * Adds the row id to `where`. Without the id, the update could write the ciphertexts to a different row if the rows
 * change concurrently.
 */
export function pinned(model: Model, where: unknown, id: RecordId | undefined): unknown {
  if (id === undefined || knownId(model, where) !== undefined) return where;
  const [column = ''] = model.id;
  if (model.id.length === 1) return { ...(isArgs(where) ? where : {}), [column]: id };
  return refuse(
    'unknown_id',
    { model: model.name },
    'the compound id of the row must be known',
    'name the row by its compound id in `where`',
  );
}

function refuseAbsent(model: Model): never {
  return refuse(
    'unknown_id',
    { model: model.name },
    'the row to update was not found, so its id is unknown',
    'pass its id, or create the row first',
  );
}
