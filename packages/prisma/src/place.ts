import type { RecordId } from '@eaas/sdk/fields';
import { refuseStatement as refuse } from '@eaas/sdk/internal';
import { storedIn } from './id-form.ts';
import type { Model } from './models.ts';
import { knownPerson, knownValue } from './person.ts';
import { type Args, isArgs, once, pick } from './values.ts';
import { compoundsOf, idOf, type Place, selectRow, type Work } from './work.ts';

/** The row that an upsert creates if it finds none. */
export interface Fallback {
  readonly id: RecordId | undefined;
  readonly person: Args | undefined;
  value(column: string): Promise<unknown>;
}

/** The place of a row that a condition names. */
export function placeOf(work: Work, model: Model, where: unknown, fallback?: Fallback): Place {
  const at = { root: model, where, path: [] };
  return rowPlace(model, at, where, fallback, (select, isNeeded) =>
    work.find(model, { where, select }, isNeeded && !fallback),
  );
}

/** The place of any number of rows that a condition names. They can belong to several people. */
export function placeOfMany(work: Work, model: Model, where: unknown): Place {
  return { ...placeOf(work, model, where), person: async () => knownPerson(model, where) };
}

/** The place of the one row that a relation leads to. */
export function relatedPlace(
  work: Work,
  outer: Place,
  target: Model,
  relation: string,
  fallback?: Fallback,
): Place {
  const at = { root: outer.root, where: outer.where, path: [...outer.path, relation] };
  return rowPlace(target, at, undefined, fallback, (select) =>
    relatedRows(work, outer, target, relation, undefined, select),
  );
}

function rowPlace(
  model: Model,
  at: Pick<Place, 'root' | 'where' | 'path'>,
  where: unknown,
  fallback: Fallback | undefined,
  find: (select: Args, isNeeded: boolean) => Promise<unknown>,
): Place {
  const named = idIn(model, where);
  const isExact = model.id.every((column) => storedIn(model.columns.get(column), named?.[column]).isExact);
  const known = isExact && named ? idOf(model, named) : undefined;
  let reading: Promise<unknown> | undefined;
  const rowOf = async (): Promise<Args | undefined> => {
    const row = await (reading ??= find(selectRow(model), true));
    return isArgs(row) ? row : undefined;
  };
  const read: Args = {};
  const readOnce = once(async (column) => {
    const row = await find({ [column]: true }, false);
    const value = isArgs(row) ? row[column] : await fallback?.value(column);
    if (value !== undefined) read[column] = value;
    return value;
  });
  return {
    ...at,
    read,
    async id() {
      if (known !== undefined) return known;
      const row = await rowOf();
      return (row && idOf(model, row)) ?? fallback?.id ?? refuseAbsent(model);
    },
    async person() {
      const person = knownPerson(model, where);
      if (person) return person;
      const row = await rowOf();
      return row ? pick(row, model.subject) : fallback?.person;
    },
    async value(column) {
      const value = knownValue(model, where, column);
      return value === undefined ? readOnce(column) : value;
    },
  };
}

export async function relatedRows(
  work: Work,
  { root, where, path }: Place,
  target: Model,
  relation: string,
  filter: unknown,
  columns = selectRow(target),
): Promise<unknown> {
  const inner: Args = { select: columns, ...(filter === undefined ? {} : { where: filter }) };
  const select = [...path, relation].reduceRight<Args>(
    (within, name) => ({ select: { [name]: within } }),
    inner,
  );
  const row = await work.find(root, { where, ...select });
  return [...path, relation].reduce<unknown>((found, name) => (isArgs(found) ? found[name] : undefined), row);
}

/** The columns of the id in a condition that names it. */
function idIn(model: Model, where: unknown): Args | undefined {
  if (!isArgs(where)) return undefined;
  const isPlain = (columns: Args): boolean =>
    model.id.every((column) => /^(?:string|number|bigint)$/.test(typeof columns[column]));
  return [where, ...Object.values(compoundsOf(model, where))].find(isPlain);
}

export function knownId(model: Model, where: unknown): RecordId | undefined {
  const columns = idIn(model, where);
  return columns && idOf(model, columns);
}

/**
 * Adds the row id, and the other columns that encryption relied on, to `where`. Otherwise the update could write the
 * ciphertexts to a different row, or for a different person, if the rows change concurrently.
 */
export function pinned(model: Model, given: unknown, id: RecordId | undefined, pins: Args = {}): unknown {
  const added = Object.entries(pins).filter(([column]) => knownValue(model, given, column) === undefined);
  const where = added.length > 0 ? { ...(isArgs(given) ? given : {}), ...Object.fromEntries(added) } : given;
  if (id === undefined || knownId(model, where) !== undefined) return where;
  const [column = ''] = model.id;
  if (model.id.length === 1) return { ...(isArgs(where) ? where : {}), [column]: id };
  const problem = 'the compound id of the row must be known';
  const remedy = 'name the row by its compound id in `where`';
  return refuse('row_unknown', { table: model.name }, problem, remedy);
}

function refuseAbsent(model: Model): never {
  const problem = 'the row to update was not found, so its id is unknown';
  const remedy = 'pass its id, or create the row first';
  return refuse('row_unknown', { table: model.name }, problem, remedy);
}
