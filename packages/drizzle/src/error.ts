// What Drizzle's statements cannot do, in its own words, and errors of drivers without ciphertexts.
import type { DrizzleQueryError } from 'drizzle-orm';
import { npmVersion } from 'drizzle-orm/version';
import { refuseStatement as refuse } from '@eaas/sdk/internal';

export { refuse };

export function refuseSql(place: Parameters<typeof refuse>[1]): never {
  const problem = 'the database sees only ciphertexts, so this SQL cannot work on the column';
  const remedy =
    'use `eq`, `ne`, `inArray`, `notInArray`, `isNull`, `isNotNull` or `matches`, or compute after decryption';
  return refuse('not_supported', place, problem, remedy);
}

/** For a call that would build its statement before values are encrypted, or return rows before they are decrypted. */
export function refuseToBuild(method: string): never {
  const problem = `\`${method}\` cannot wait for encryption or decryption`;
  return refuse('synchronous', {}, problem, 'await the statement itself');
}

/**
 * Throws for Drizzle 1.0, whose builders are others, and before 0.45.2, where a name from a user could inject SQL (CVE-2026-39356).
 * A peer dependency says so too, but npm can be told to ignore it.
 */
export function requireVersion(): void {
  if (/^0\.45\.(?:[2-9]|\d\d)/.test(npmVersion)) return;
  const problem = `this needs drizzle-orm from 0.45.2, below 0.46 (got ${npmVersion})`;
  refuse('definition', {}, problem, 'install drizzle-orm 0.45');
}

/** What the database says when the guard of an upsert fails, and SQL for it. A statement does not have it as one text. */
export const unknownRow = { text: 'eaas: unknown row', sql: "'eaas: ' || 'unknown row'" };

/**
 * Returns an error of Drizzle, and of the driver in it, without parameters: ciphertexts and fingerprints. Of a long statement,
 * such as an insert of many rows, it has the beginning.
 */
export function withoutParameters(error: unknown): unknown {
  const { query, cause, constructor } = Object(error) as DrizzleQueryError;
  // By its text, because an app that loads Drizzle as CommonJS has a class of its own.
  if (!(error instanceof Error && error.message.startsWith('Failed query: '))) return error;
  const begin = query.length > 2000 ? `${query.slice(0, 2000)}…` : query;
  return new (constructor as typeof DrizzleQueryError)(begin, [], withoutCiphertexts(cause) as Error);
}

function withoutCiphertexts(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // A copy, because nobody can change what postgres.js adds.
  const prototype = Object.getPrototypeOf(error) as object;
  const copy = Object.setPrototypeOf(new Error(error.message), prototype) as object;
  for (const name of Object.getOwnPropertyNames(error)) {
    if (['parameters', 'args', 'sql'].includes(name)) continue;
    const own: unknown = Reflect.get(error, name);
    const value = typeof own === 'string' ? own.replaceAll(stored, '…') : withoutCiphertexts(own);
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, name);
    Object.defineProperty(copy, name, { value, enumerable, configurable: true, writable: true });
  }
  return copy;
}

const stored = /eaasA[\w+/=]*|\b[\da-f]{64}\b/g;
