import type { RecordId } from '@eaas/sdk/fields';
import { refuse } from './errors.ts';
import type { Model, Models } from './models.ts';
import { type Args, isArgs } from './values.ts';

/**
 * The fingerprints to search for, by index column. An index column with several parts has a list of fingerprints for
 * each part.
 */
export type Terms = Readonly<Record<string, readonly (string | readonly string[])[]>>;

/** Values of a row to encrypt, and the object that receives the ciphertexts. */
export interface Sealing {
  readonly model: Model;
  readonly values: Args;
  readonly into: Args;
  readonly id: RecordId | undefined;
}

/**
 * Identifies the rows that an update changes: the row that `where` finds, or rows that a path of relations leads to.
 */
export interface Place {
  readonly root: Model;
  readonly where: unknown;
  readonly path: readonly string[];
  /** Returns the id of the row, from `where` or from the database. Throws if the row does not exist. */
  id(): Promise<RecordId>;
}

/** Encrypts the nested write of a relation. `place` is undefined if the row that has the relation is new. */
type Nested = (
  work: Work,
  model: Model,
  target: Model,
  name: string,
  value: unknown,
  place: Place | undefined,
) => Promise<unknown>;

/** The functions and lists that the rewriting of one operation needs. */
export interface Work {
  readonly models: Models;
  /** The values that the operation writes. All values are encrypted together, after the arguments were rewritten. */
  readonly sealings: Sealing[];
  /** Whether the operation only reads. */
  readonly isRead: boolean;
  /** Returns the fingerprints to search for, by index column. */
  search(table: string, query: Args): Promise<Terms>;
  /** Returns the first matching row, or null. Throws if the operation is part of a batch transaction. */
  find(model: Model, args: Args): Promise<Args | null>;
  /** Returns the first matching row. Throws Prisma's own error if no row matches. */
  findOrThrow(model: Model, args: Args): Promise<Args | null>;
  /** Encrypts a nested write. Not imported directly, because `data.ts` and `nested.ts` would then import each other. */
  nested: Nested;
}

/** Returns the row id to which ciphertexts are bound. Returns undefined if a column of the id is missing. */
export function idOf({ id }: Model, row: Args): RecordId | undefined {
  const parts = id.map((column) => row[column]);
  if (parts.some((part) => part === undefined || part === null)) return undefined;
  if (parts.length === 1) return parts[0] as RecordId;
  // Escapes the columns of a compound id, because the columns `a/b` and `c` must not have the same id as `a` and `b/c`.
  return parts.map((part) => String(part).replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}

/** Returns the id columns of a row with their values. */
export function idColumns({ id }: Model, row: Args): Args {
  return Object.fromEntries(id.map((column) => [column, row[column]]));
}

/** Returns the compound keys in a unique `where`, with their columns. The schema can give compound keys any name. */
export function compoundsOf({ columns }: Model, where: Args): Record<string, Args> {
  const isKey = (name: string): boolean => !columns.has(name) && !/^(?:AND|OR|NOT)$/.test(name);
  return Object.fromEntries(
    Object.entries(where).filter((entry): entry is [string, Args] => isKey(entry[0]) && isArgs(entry[1])),
  );
}

/** Returns a `select` for the id columns. */
export function selectId({ id }: Model): Args {
  return Object.fromEntries(id.map((column) => [column, true]));
}

/**
 * Throws EncryptedModelError if the app uses an index column, because only the extension reads and writes index
 * columns.
 */
export function refuseIndexColumn(model: Model, name: string): void {
  const field = model.indexes.get(name);
  if (field === undefined) return;
  refuse('index_column', model, name, `the extension computes this column: use \`${field}\` instead`);
}

/**
 * Throws EncryptedModelError for an argument or a column that this version does not know, because its value could be
 * plaintext.
 */
export function refuseUnknown(model: Model, name: string, where: string): never {
  return refuse('unknown_argument', model, undefined, `${where} has an unknown member \`${name}\``);
}
