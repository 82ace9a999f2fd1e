// A value is late: it is encrypted, or turned into fingerprints, when its statement runs. A run is one execution of a
// statement, or of a batch of statements, and begins with what the app wrote.
import { SQL, type SQLChunk } from 'drizzle-orm';
import type { Statement } from '@eaas/sdk/internal';
import type { Access } from './access.ts';
import { refuseToBuild } from './error.ts';

/** SQL that is known when its statement runs. Drizzle carries it like any SQL, and cannot build it before. */
export class Late extends SQL {
  constructor() {
    super([{ getSQL: () => refuseToBuild('getSQL') } as never]);
  }

  settle(known: SQLChunk): void {
    this.queryChunks[0] = known;
  }
}

export interface Run {
  readonly access: Access;
  /** The statement in the core, which encrypts, searches and opens for one user. */
  readonly statement: Statement;
  /** Makes the fingerprints of conditions and the ciphertexts of rows that the app passed, and draws ids. */
  readonly first: (() => Promise<void>)[];
  /** Makes the ciphertexts of rows that a condition must find before, or whose ids PostgreSQL must draw before. */
  readonly later: (() => Promise<void>)[];
}

export const newRun = (access: Access): Run => ({
  access,
  statement: access.core.begin(),
  first: [],
  later: [],
});

export const isSettled = ({ first, later }: Run): boolean => first.length + later.length === 0;

/** Settles everything late in a run. What does not depend on each other goes into one request. */
export async function settle({ first, later }: Run): Promise<void> {
  await Promise.all(first.map(async (step) => step()));
  await Promise.all(later.map(async (step) => step()));
}
