// The row that an update changes: what its condition says of it, and else what one read says of it, and of the rows that its
// relations lead to.
import type { RecordId } from '@eaas/sdk/fields';
import { refuseStatement as refuse } from '@eaas/sdk/internal';
import { type Model, type Models, targetOf } from './models.ts';
import { keyInTarget, knownPerson, knownValue, namedIn } from './person.ts';
import { type Args, argsOf, entriesOf, isArgs } from './values.ts';
import { idOf, selectRow, type Work } from './work.ts';

export interface Place {
  /** Reads the row, with the rows that its relations lead to: once, whatever is asked of it. */
  row(): Promise<Args | undefined>;
  /** Reads something else of the row. */
  find(select: Args): Promise<Args | undefined>;
  id(): Promise<RecordId>;
  /** Returns the columns that name the person, or undefined if they are unknown and there is no one row to read. */
  readonly person: () => Promise<Args | undefined>;
  /** Returns a column of the row, for the rows inside it. Notes it in `read` if it had to be read. */
  value(column: string): Promise<unknown>;
  readonly read: Args;
}

/** The row that an upsert creates if it finds none. */
export interface Fallback {
  readonly id: RecordId | undefined;
  readonly person: Args | undefined;
  value(column: string): Promise<unknown>;
}

type Read = (select: Args, isNeeded?: boolean) => Promise<unknown>;

/** The place of a row that a condition names. `data` is what is written to it. */
export function placeOf(work: Work, model: Model, where: unknown, data: unknown, fallback?: Fallback): Place {
  const find: Read = async (select, isNeeded) => work.find(model, { where, select }, isNeeded);
  const row = async () => find(selectOf(work.models, model, [data]), !fallback);
  return placeBy(model, where, fallback, find, row);
}

/** The place of any number of rows that a condition names. They can belong to several people. */
export function placeOfMany(work: Work, model: Model, where: unknown, data: unknown): Place {
  return { ...placeOf(work, model, where, data), person: async () => knownPerson(model, where) };
}

/** The place of the one row that a relation leads to. The read of the outer row has it. */
export function relatedPlace(
  outer: Place,
  target: Model,
  relation: string,
  where: unknown,
  fallback?: Fallback,
): Place {
  const find: Read = async (select) => (await outer.find({ [relation]: { select } }))?.[relation];
  const row = async () => (await outer.row())?.[relation];
  return placeBy(target, where, fallback, find, row);
}

function placeBy(
  model: Model,
  where: unknown,
  fallback: Fallback | undefined,
  find: Read,
  readRow: () => Promise<unknown>,
): Place {
  let reading: Promise<unknown> | undefined;
  const row = async (): Promise<Args | undefined> => {
    reading ??= readRow();
    return argsIn(await reading);
  };
  const read: Args = {};
  return {
    row,
    read,
    find: async (select) => argsIn(await find(select)),
    async id() {
      const known = exactId(model, where);
      if (known !== undefined) return known;
      const found = await row();
      return (found && idOf(model, found)) ?? fallback?.id ?? refuseAbsent(model);
    },
    async person() {
      const known = knownPerson(model, where);
      if (known) return known;
      const found = await row();
      return found ? argsOf(model.subject, (column) => found[column]) : fallback?.person;
    },
    async value(column) {
      const known = knownValue(model, where, column);
      if (known !== undefined) return known;
      const found = await row();
      const value = found ? found[column] : await fallback?.value(column);
      if (value !== undefined) read[column] = value;
      return value;
    },
  };
}

const argsIn = (value: unknown): Args | undefined => (isArgs(value) ? value : undefined);

/** Selects what updates can need of a row, and of the rows that they update along relations of one row. */
function selectOf(models: Models, model: Model, updates: readonly unknown[]): Args {
  const select = selectRow(model);
  for (const [name, value] of updates.filter(isArgs).flatMap(entriesOf)) {
    const target = targetOf(models, model, name);
    if (!target || !isArgs(value)) continue;
    for (const column of keyInTarget(model, target, name)?.values() ?? []) select[column] = true;
    if (model.columns.get(name)?.isList) continue;
    const { update, upsert } = value;
    const inner = [
      ...(isArgs(update) ? [dataIn(update)] : []),
      ...(isArgs(upsert) ? [upsert['update']] : []),
    ];
    const within = selectOf(models, target, inner);
    if (inner.length > 0 && Object.keys(within).length > 0) select[name] = { select: within };
  }
  return select;
}

/** The data of a nested update, which stands in it alone or beside a condition. */
export function dataIn(update: Args): unknown {
  return isWrapped(update) ? update['data'] : update;
}

export function isWrapped(update: Args): boolean {
  const names = entriesOf(update).map(([name]) => name);
  return names.includes('data') && names.every((name) => name === 'data' || name === 'where');
}

/**
 * Adds the row id, and the other columns that encryption relied on, to `where`. Otherwise the update could write the
 * ciphertexts to a different row, or for a different person, if the rows change concurrently.
 */
export function pinned(model: Model, given: unknown, id: RecordId | undefined, pins: Args = {}): unknown {
  const added = Object.entries(pins).filter(([column]) => knownValue(model, given, column) === undefined);
  const where = added.length > 0 ? { ...argsIn(given), ...Object.fromEntries(added) } : given;
  if (id === undefined || namedId(model, where) !== undefined) return where;
  const [column = ''] = model.id;
  if (model.id.length === 1) return { ...argsIn(where), [column]: id };
  const problem = 'the compound id of the row must be known';
  const remedy = 'name the row by its compound id in `where`';
  return refuse('row_unknown', { table: model.name }, problem, remedy);
}

/** The id that a condition names, if only the row with this id matches. */
export const exactId = (model: Model, where: unknown): RecordId | undefined =>
  idOf(
    model,
    argsOf(model.id, (column) => knownValue(model, where, column)),
  );

/** The id that a condition names, also if it ignores case and the row has another. */
export const namedId = (model: Model, where: unknown): RecordId | undefined =>
  idOf(
    model,
    argsOf(model.id, (column) => namedIn(model, where, column).id),
  );

function refuseAbsent(model: Model): never {
  const problem = 'the row to update was not found, so its id is unknown';
  const remedy = 'pass its id, or create the row first';
  return refuse('row_unknown', { table: model.name }, problem, remedy);
}
