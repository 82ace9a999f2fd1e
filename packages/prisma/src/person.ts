// The person whose data a row is: which columns name them, and what is known about these columns before a write.
import type { Tables } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import { ignoresCase, storedForm } from './id-form.ts';
import { type Model, type RuntimeField, targetOf } from './models.ts';
import { type Args, isArgs } from './values.ts';
import { compoundsOf, type Work } from './work.ts';

export interface SubjectColumns {
  readonly columns: readonly string[];
  /** False if a function names the person. It reads the columns that the definition lists with `unencrypted`. */
  readonly isColumn: boolean;
}

/** The columns that name the person, by table of the definition. */
export type People = ReadonlyMap<string, SubjectColumns>;

export function peopleOf(tables: Tables): People {
  const people = new Map<string, SubjectColumns>();
  for (const [table, { subject, ...members }] of Object.entries(tables)) {
    if (typeof subject === 'string') people.set(table, { columns: [subject], isColumn: true });
    if (typeof subject !== 'function') continue;
    const columns = Object.keys(members).filter((name) => Object(members[name]).unencrypted === true);
    people.set(table, { columns, isColumn: false });
    if (columns.length > 0) continue;
    refuse(
      'definition',
      { model: table },
      'nobody knows which fields the function `subject` reads',
      "list them in the definition, such as ...unencrypted('patientId')",
    );
  }
  return people;
}

/** Returns the column of a row that a condition names, or undefined if rows with other values can match too. */
export function knownValue(model: Model, where: unknown, column: string): unknown {
  const field = model.columns.get(column);
  if (!isArgs(where) || ignoresCase(field)) return undefined;
  const isPlain = (value: unknown): boolean =>
    value === null || /^(?:string|number|bigint|boolean)$/.test(typeof value);
  const found = [where, ...Object.values(compoundsOf(model, where))].find((each) => isPlain(each[column]));
  return storedForm(field, found?.[column]);
}

/** Returns the columns that name the person of all rows that match, or undefined if the condition lacks one of them. */
export function knownPerson(model: Model, where: unknown): Args | undefined {
  const columns = model.subject.map((column) => [column, knownValue(model, where, column)] as const);
  return columns.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(columns);
}

/** Returns the columns of a row that name its person. */
export function personIn(model: Model, row: Args): Args {
  return Object.fromEntries(model.subject.map((column) => [column, row[column]]));
}

/** Throws if a row that is written names nobody. A function of the row decides itself what null means. */
export function requirePerson(model: Model, person: Args | undefined, remedy: string): Args {
  const place = { model: model.name, field: model.subject.find((column) => person?.[column] === undefined) };
  if (!person || place.field !== undefined) {
    const problem = 'the person whose data the row is must be known before its fields are encrypted';
    return refuse('unknown_subject', place, problem, remedy);
  }
  const [field] = model.subject;
  if (!model.isSubjectColumn || field === undefined || person[field] !== null) return person;
  const advice = `write \`${field}\` too; an update names the row with \`${field}: null\` in \`where\``;
  return refuse('unknown_subject', { model: model.name, field }, 'the field names nobody', advice);
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
  if (row[column] !== undefined) return storedForm(field, row[column]);
  for (const [name, reference, target] of relationsBy(work, model, column)) {
    if (isArgs(row[name])) return linkedValue(work, target, row, name, reference);
  }
  const given = await inherited?.(column);
  if (given !== undefined) return storedForm(field, given);
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
  const made = storedForm(target.columns.get(column), connectOrCreate['create'][column]);
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
    if (!next || (next.value !== undefined && comparable(next.value) === comparable(current?.[column])))
      continue;
    if (!model.isSubjectColumn || current?.[column] !== null || (next.value ?? null) === null) {
      refuse(
        'unsupported_value',
        { model: model.name, field: column },
        'the encrypted values of the row belong to the person whom this field names',
        'read the row, create it for the other person and delete the old one',
      );
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
    return { value: storedForm(model.columns.get(column), isArgs(given) ? given['set'] : given) };
  }
  for (const [name, reference, target] of relationsBy(work, model, column)) {
    const write = columns[name];
    if (!isArgs(write) || Object.keys(write).every((operation) => operation === 'update')) continue;
    return { value: await linkedValue(work, target, columns, name, reference) };
  }
  return undefined;
}

/** A number and a bigint can be the same person. */
const comparable = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
