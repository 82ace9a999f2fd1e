import type { RecordId } from '@eaas/sdk/fields';
import { refuse } from './errors.ts';
import type { Model, Models } from './models.ts';
import type { Args } from './values.ts';

/** A row to encrypt, and the object that gets its ciphertexts. */
export interface Sealing {
  readonly model: Model;
  readonly values: Args;
  readonly into: Args;
  readonly id: RecordId | undefined;
}

/** Where the rows of an update are: in the result of a query for one row, along relations. */
export interface Place {
  readonly root: Model;
  readonly where: unknown;
  readonly path: readonly string[];
  /** Returns the id of the row, from `where` or from the database. Throws if there is no such row. */
  id(): Promise<RecordId>;
}

/** Rewrites the nested write of a relation. `place` is undefined if the row is new. */
type Nested = (
  work: Work,
  model: Model,
  target: Model,
  name: string,
  value: unknown,
  place: Place | undefined,
) => Promise<unknown>;

/** What rewriting one operation needs from outside. */
export interface Work {
  readonly models: Models;
  /** The rows that the operation writes. They are encrypted together after the rewriting. */
  readonly sealings: Sealing[];
  /** Returns the fingerprints of all stored rows that can have this value. */
  fingerprints(table: string, field: string, value: unknown): Promise<readonly string[]>;
  /** Returns the first row, or null. Throws if the operation is part of a batch transaction. */
  find(model: Model, args: Args): Promise<Args | null>;
  /** Returns the first row. Throws Prisma's own error if there is no such row. */
  findOrThrow(model: Model, args: Args): Promise<Args | null>;
  /** Rewrites a nested write. A member, because rewriting data and rewriting nested writes call each other. */
  nested: Nested;
}

/** The id of a row, as the context of its ciphertexts contains it. Undefined if a column of the id is missing. */
export function idOf({ id }: Model, row: Args): RecordId | undefined {
  const parts = id.map((column) => row[column]);
  if (parts.some((part) => part === undefined || part === null)) return undefined;
  if (parts.length === 1) return parts[0] as RecordId;
  // Escaped, so that the parts `a/b` and `c` are not the id of `a` and `b/c`.
  return parts.map((part) => String(part).replaceAll('%', '%25').replaceAll('/', '%2F')).join('/');
}

/** The columns of the id, to select or to pin a row. */
export function idColumns({ id }: Model, row: Args): Args {
  return Object.fromEntries(id.map((column) => [column, row[column]]));
}

/** The selection of the id. */
export function selectId({ id }: Model): Args {
  return Object.fromEntries(id.map((column) => [column, true]));
}

/** Throws if the app names an index column. The extension alone writes and reads it. */
export function refuseIndexColumn(model: Model, name: string): void {
  const field = model.indexes.get(name);
  if (field === undefined) return;
  refuse('index_column', model, name, `the extension computes this column: use \`${field}\` instead`);
}

/** Throws for an argument or a column that this version does not know, because it could hold a plaintext. */
export function refuseUnknown(model: Model, name: string, where: string): never {
  return refuse('unknown_argument', model, undefined, `${where} has an unknown member \`${name}\``);
}
