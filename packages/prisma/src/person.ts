// The person whose data a row is: which columns name them, and what is known about these columns before a write.
import { isSameId, refuseStatement as refuse } from '@eaas/sdk/internal';
import { storedIn } from './id-form.ts';
import { type Model, type RuntimeField, targetOf } from './models.ts';
import { type Args, argsOf, isArgs, joinConditions } from './values.ts';
import { compoundsOf, type Work } from './work.ts';

/** Returns the column that a condition names, and whether all rows that match have exactly this value. */
export function namedIn(model: Model, where: unknown, column: string): ReturnType<typeof storedIn> {
  const isPlain = (value: unknown): boolean =>
    value === null || /^(?:string|number|bigint|boolean)$/.test(typeof value);
  const places = isArgs(where) ? [where, ...Object.values(compoundsOf(model, where))] : [];
  return storedIn(model.columns.get(column), places.find((each) => isPlain(each[column]))?.[column]);
}

/** Returns the column of a row that a condition names, or undefined if rows with other values can match too. */
export function knownValue(model: Model, where: unknown, column: string): unknown {
  const { id, isExact } = namedIn(model, where, column);
  return isExact ? id : undefined;
}

/** Returns the columns that name the person of all rows that match, or undefined if the condition lacks one of them. */
export function knownPerson(model: Model, where: unknown): Args | undefined {
  const person = argsOf(model.subject, (column) => knownValue(model, where, column));
  return Object.values(person).includes(undefined) ? undefined : person;
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
  const relation = relationBy(model, column, ({ name }) => isArgs(row[name]));
  if (relation) return linkedValue(work, model, row, relation, column);
  const given = await inherited?.(column);
  if (given !== undefined) return storedIn(field, given).id;
  const [id] = model.id;
  const own = id === column && model.id.length === 1 ? model.newId : undefined;
  if (own) row[column] = own();
  else if (field?.isRandom) row[column] = crypto.randomUUID();
  // Several rows can connect this one and ask for its number at once: the first number stays.
  else if (field?.isSerial) {
    const number = await work.nextNumber(model, field);
    row[column] ??= number;
  }
  return row[column];
}

/** The relation whose foreign key contains a column. */
const relationBy = (
  { columns }: Model,
  column: string,
  isWritten: (relation: RuntimeField) => boolean,
): RuntimeField | undefined =>
  Array.from(columns.values()).find((each) => each.key?.has(column) && isWritten(each));

/**
 * Returns the column of the row that a nested write of one row connects or creates, or undefined if it is unknown. What
 * must be read is added to the condition, so that no other row is connected if the rows change concurrently.
 */
async function linkedValue(
  work: Work,
  model: Model,
  row: Args,
  relation: RuntimeField,
  column: string,
): Promise<unknown> {
  const { name, key } = relation;
  const target = targetOf(work.models, model, name);
  const reference = key?.get(column) ?? '';
  const write = row[name] as Args;
  const { connectOrCreate, ...others } = write;
  const { create, connect } = others;
  if (!target) return undefined;
  if (isArgs(create)) return newValueOf(work, target, create, reference);
  const select = argsOf([...(key?.values() ?? [])], () => true);
  if (isArgs(connect)) {
    const known = knownValue(target, connect, reference);
    if (known !== undefined) return known;
    const found = await work.find(target, { where: connect, select }, true);
    row[name] = { ...write, connect: { ...connect, ...found } };
    return found?.[reference];
  }
  if (!isArgs(connectOrCreate)) return undefined;
  const { where, create: made } = connectOrCreate;
  if (!isArgs(where) || !isArgs(made)) return undefined;
  const known = knownValue(target, where, reference);
  if (known !== undefined && storedIn(target.columns.get(reference), made[reference]).id === known) {
    return known;
  }
  const found = await work.find(target, { where, select });
  const value = found ? found[reference] : await newValueOf(work, target, made, reference);
  // The first of several columns decides.
  if (row[name] !== write) return linkedValue(work, model, row, relation, column);
  if (value === undefined) return undefined;
  // With the new value, because a row that comes to be meanwhile would be of somebody else.
  const created = { where: joinConditions([where, { [reference]: value }]), create: made };
  row[name] = { ...others, ...(found ? { connect: { ...where, ...found } } : { connectOrCreate: created }) };
  return value;
}

/**
 * Returns the columns of the person that an update writes, with the value undefined if nobody knows it. What an update keeps
 * is not among them.
 */
export async function nextPerson(work: Work, model: Model, columns: Args): Promise<Args> {
  const next: Args = {};
  for (const column of model.subject) {
    const given = columns[column];
    // An update of the other row does not change which row it is.
    const isLinked = ({ name }: RuntimeField): boolean =>
      isArgs(columns[name]) && Object.keys(columns[name]).some((operation) => operation !== 'update');
    const relation = relationBy(model, column, isLinked);
    if (given !== undefined) {
      next[column] = storedIn(model.columns.get(column), isArgs(given) ? given['set'] : given).id;
    } else if (relation) next[column] = await linkedValue(work, model, columns, relation, column);
  }
  return next;
}

/** Refuses to change the person of a row. Returns the person, for a row that had none and gets one. */
export function keptPerson(model: Model, next: Args, current: Args | undefined): Args | undefined {
  const changed = Object.keys(next).filter(
    (column) => next[column] === undefined || !isSameId(next[column], current?.[column]),
  );
  const isNew = (column: string): boolean =>
    typeof model.core?.plan.subject === 'string' &&
    current?.[column] === null &&
    (next[column] ?? null) !== null;
  const column = changed.find((each) => !isNew(each));
  if (column === undefined) return changed.length === 0 ? current : next;
  const problem = 'the encrypted values of the row belong to the person whom this field names';
  const remedy = 'read the row, create it for the other person and delete the old one';
  return refuse('subject_unknown', { table: model.name, column }, problem, remedy);
}
