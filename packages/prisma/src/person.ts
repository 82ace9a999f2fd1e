// The person whose data a row is: which columns name them, and what is known about these columns before a write.
import { isSameId, refuseStatement as refuse } from '@eaas/sdk/internal';
import { storedIn } from './id-form.ts';
import { type Model, type RuntimeField, targetOf } from './models.ts';
import { type Args, isArgs } from './values.ts';
import { compoundsOf, type Work } from './work.ts';

/** Returns the column of a row that a condition names, or undefined if rows with other values can match too. */
export function knownValue(model: Model, where: unknown, column: string): unknown {
  if (!isArgs(where)) return undefined;
  const isPlain = (value: unknown): boolean =>
    value === null || /^(?:string|number|bigint|boolean)$/.test(typeof value);
  const found = [where, ...Object.values(compoundsOf(model, where))].find((each) => isPlain(each[column]));
  const { id, isExact } = storedIn(model.columns.get(column), found?.[column]);
  return isExact ? id : undefined;
}

/** Returns the columns that name the person of all rows that match, or undefined if the condition lacks one of them. */
export function knownPerson(model: Model, where: unknown): Args | undefined {
  const columns = model.subject.map((column) => [column, knownValue(model, where, column)] as const);
  return columns.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(columns);
}

/** Returns the foreign key that the rows of a nested write have in their own model, with the columns of the outer row. */
export function keyInTarget(model: Model, target: Model, relation: string): RuntimeField['key'] {
  const { relationName } = model.columns.get(relation) ?? {};
  const back = Array.from(target.columns.values()).find(
    ({ name, type, relationName: other, key }) =>
      type === model.name &&
      other === relationName &&
      (key?.size ?? 0) > 0 &&
      !(target === model && name === relation),
  );
  return back?.key;
}

/** Whether a nested write decides by its foreign key whose data the inner rows are. */
export function decidesPerson(model: Model, target: Model, relation: string): boolean {
  const key = keyInTarget(model, target, relation);
  return target.subject.some((column) => key?.has(column));
}

/** Returns a column of the row around a nested write. */
export type Inherited = (column: string) => Promise<unknown>;

/**
 * Returns the value that a column of a new row will have, or undefined if nobody knows it. Makes a random default
 * or a number itself, and adds it to the row.
 */
export async function newValueOf(
  work: Work,
  model: Model,
  row: Args,
  column: string,
  inherited?: Inherited,
): Promise<unknown> {
  const field = model.columns.get(column);
  if (row[column] !== undefined) return storedIn(field, row[column]).id;
  for (const [name, reference, target] of relationsBy(work, model, column)) {
    if (isArgs(row[name])) return linkedValue(work, target, row, name, reference);
  }
  const given = await inherited?.(column);
  if (given !== undefined) return storedIn(field, given).id;
  const [id] = model.id;
  const own = id === column && model.id.length === 1 ? model.newId : undefined;
  if (own) row[column] = own();
  else if (field?.isRandom) row[column] = crypto.randomUUID();
  else if (field?.isSerial) row[column] = await work.nextNumber(model, field);
  return row[column];
}

/** The relations whose foreign key contains a column, each with the column that it refers to. */
function relationsBy({ models }: Work, model: Model, column: string): [string, string, Model][] {
  return Array.from(model.columns.values()).flatMap(({ name, key }): [string, string, Model][] => {
    const [reference, target] = [key?.get(column), targetOf(models, model, name)];
    return reference === undefined || !target ? [] : [[name, reference, target]];
  });
}

/**
 * Returns the column of the row that a nested write of one row connects or creates, or undefined if it is unknown. What
 * must be read is added to the condition, so that no other row is connected if the rows change concurrently.
 */
async function linkedValue(
  work: Work,
  target: Model,
  row: Args,
  name: string,
  column: string,
): Promise<unknown> {
  const write = row[name] as Args;
  const { create, connect, connectOrCreate } = write;
  if (isArgs(create)) return newValueOf(work, target, create, column);
  if (isArgs(connect)) {
    const known = knownValue(target, connect, column);
    if (known !== undefined) return known;
    const found = await work.find(target, { where: connect, select: { [column]: true } }, true);
    row[name] = { ...write, connect: { ...connect, ...found } };
    return found?.[column];
  }
  if (!isArgs(connectOrCreate) || !isArgs(connectOrCreate['create'])) return undefined;
  const known = knownValue(target, connectOrCreate['where'], column);
  const made = storedIn(target.columns.get(column), connectOrCreate['create'][column]).id;
  return made === known ? known : undefined;
}

/** Refuses to change the person of a row. Returns the person, for a row that had none and gets one. */
export async function keptPerson(
  work: Work,
  model: Model,
  columns: Args,
  current: Args | undefined,
): Promise<Args | undefined> {
  let person = current;
  for (const column of model.subject) {
    const next = await nextValueOf(work, model, columns, column);
    if (!next || (next.value !== undefined && isSameId(next.value, current?.[column]))) continue;
    if (
      typeof model.core?.plan.subject !== 'string' ||
      current?.[column] !== null ||
      (next.value ?? null) === null
    ) {
      const problem = 'the encrypted values of the row belong to the person whom this field names';
      const remedy = 'read the row, create it for the other person and delete the old one';
      refuse('subject_unknown', { table: model.name, column }, problem, remedy);
    }
    person = { [column]: next.value };
  }
  return person;
}

export async function changesPerson(work: Work, model: Model, columns: Args): Promise<boolean> {
  const next = await Promise.all(model.subject.map((column) => nextValueOf(work, model, columns, column)));
  return next.some((each) => each !== undefined);
}

/** Returns what an update makes of a column, with the value undefined if nobody knows it; undefined if it keeps it. */
async function nextValueOf(
  work: Work,
  model: Model,
  columns: Args,
  column: string,
): Promise<{ value: unknown } | undefined> {
  const given = columns[column];
  if (given !== undefined) {
    return { value: storedIn(model.columns.get(column), isArgs(given) ? given['set'] : given).id };
  }
  for (const [name, reference, target] of relationsBy(work, model, column)) {
    const write = columns[name];
    if (!isArgs(write) || Object.keys(write).every((operation) => operation === 'update')) continue;
    return { value: await linkedValue(work, target, columns, name, reference) };
  }
  return undefined;
}
