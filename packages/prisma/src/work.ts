// The work on one operation: what it gathers, how it reads before it writes, and what all its parts ask of a model.
import type { RecordId } from '@eaas/sdk/fields';
import { refuseStatement as refuse, type Statement, type Unsealed } from '@eaas/sdk/internal';
import { storedIn } from './id-form.ts';
import type { Model, Models, RuntimeField } from './models.ts';
import { type Args, argsOf, entriesOf, isArgs, joinConditions } from './values.ts';

export interface Work {
  readonly models: Models;
  readonly sealings: Unsealed[];
  /** The rows that look-ups create if they find none. */
  readonly made: { readonly target: Model; readonly where: Args; readonly data: Promise<unknown> }[];
  readonly isRead: boolean;
  readonly statement: Statement;
  /** Returns the first row, or null; with `isNeeded`, Prisma throws if there is none. */
  find(model: Model, args: Args, isNeeded?: boolean): Promise<Args | null>;
  findMany(model: Model, args: Args): Promise<unknown>;
  /** Takes the next number of a sequence, or null if the column has none. */
  nextNumber(model: Model, column: RuntimeField): Promise<number | bigint | null>;
}

/** The parts of searches whose near misses are dropped after decryption, by field. */
export type Near = Record<string, Args>;

/** Where a condition stands. */
export interface Scope {
  /** Whether `NOT` is around it. */
  readonly isNegated?: boolean;
  /** Takes near misses. Only for a condition that every row of a list must meet. */
  readonly near?: Near | undefined;
  /** The conditions of a unique look-up, by field: each is one column and its value. */
  readonly unique?: Readonly<Record<string, Args>> | undefined;
}

export function idOf({ id, columns }: Model, row: Args): RecordId | undefined {
  const parts = id.map((column) => storedIn(columns.get(column), row[column]).id);
  if (parts.some((part) => part === undefined || part === null)) return undefined;
  if (parts.length === 1) return parts[0] as RecordId;
  // Escapes `%` and `/`, so that the compound ids (`a/b`, `c`) and (`a`, `b/c`) give different texts.
  return parts.map((part) => String(part).replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}

/**
 * A Prisma schema can give a compound key any name, so every name that is neither a column nor an operator counts as a
 * compound key.
 */
export function compoundsOf({ columns }: Model, where: Args): Record<string, Args> {
  const isKey = (name: string): boolean => !columns.has(name) && !/^(?:AND|OR|NOT)$/.test(name);
  return Object.fromEntries(
    Object.entries(where).filter((entry): entry is [string, Args] => isKey(entry[0]) && isArgs(entry[1])),
  );
}

/** A unique look-up as a filter, in which the columns of compound keys are among the others. */
export function flatOf(model: Model, where: unknown): Args {
  const given = isArgs(where) ? where : {};
  const keys = compoundsOf(model, given);
  const others = entriesOf(given).filter(([name]) => !Object.hasOwn(keys, name));
  return joinConditions([...Object.values(keys), Object.fromEntries(others)]);
}

/** Selects what a write must know of a row: its id, and whose data it is. */
export function selectRow({ core, id, subject, columns }: Model): Args {
  const known = [...id, ...subject].filter((column) => core && columns.has(column));
  return argsOf(known, () => true);
}

export function refuseIndexColumn(model: Model, name: string): void {
  const field = model.indexes.get(name);
  if (field === undefined) return;
  const index = model.encrypted.get(field)?.indexes.find(({ column }) => column === name);
  const fields = index?.fields.map((each) => `\`${each.name}\``).join(' and ');
  const place = { table: model.name, column: name };
  refuse('index_column', place, 'the extension computes this column', `use ${fields ?? field} instead`);
}

export function refuseUnknown(model: Model, name: string, where: string): never {
  const known = [...model.columns.keys()].filter((column) => !model.indexes.has(column)).join('`, `');
  const problem = `${where} has an unknown member \`${name}\``;
  return refuse('unknown_argument', { table: model.name }, problem, `the model has \`${known}\``);
}
