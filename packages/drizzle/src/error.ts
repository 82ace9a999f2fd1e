import { DrizzleQueryError } from 'drizzle-orm';
import { npmVersion } from 'drizzle-orm/version';
import { EaasError } from '@eaas/sdk';
import type { ColumnPlace } from '@eaas/sdk/fields';

/** The reason for an EncryptedColumnError. */
export type EncryptedColumnErrorCode =
  /** The definition of the column or its table is invalid. */
  | 'schema'
  /**
   * A plaintext value reached the database driver, because the statement was not started on the database that
   * `withEncryption` returned.
   */
  | 'not_encrypted'
  /**
   * A stored value was read without decryption, because the query was not started on the database that
   * `withEncryption` returned.
   */
  | 'not_decrypted'
  /** A comparison uses an encrypted column that has no index column. */
  | 'not_searchable'
  /** The SQL cannot work on ciphertexts. Examples are `like`, `<` and `order by`. */
  | 'not_supported'
  /** The ciphertext is bound to the id of its row, but the statement changes the id or runs before the id is known. */
  | 'row_unknown'
  /** The statement does not say whose data the row is, or changes whose data it is. */
  | 'subject_unknown'
  /** The result could not be decrypted: it has no row id, or another definition of a table hides an encrypted column. */
  | 'cannot_open'
  /** The statement changes too many rows. The error message names the limit. */
  | 'too_many_rows'
  /** A synchronous call cannot encrypt or decrypt, because encryption is asynchronous. */
  | 'synchronous';

/**
 * Thrown for a statement that cannot work on an encrypted column. The message contains the column and the remedy, but
 * never a value.
 */
export class EncryptedColumnError extends EaasError {
  override readonly name = 'EncryptedColumnError';
  readonly code: EncryptedColumnErrorCode;
  readonly table: string | undefined;
  readonly column: string | undefined;
  /** How to change the statement or the definition. */
  readonly remedy: string;

  constructor(
    code: EncryptedColumnErrorCode,
    { table, column }: ColumnPlace,
    problem: string,
    remedy: string,
  ) {
    const place = [table, column].filter((name) => name !== undefined).join('.');
    super(`${place === '' ? '' : `${place}: `}${problem}: ${remedy}`);
    this.code = code;
    this.table = table;
    this.column = column;
    this.remedy = remedy;
  }
}

export function refuse(...given: ConstructorParameters<typeof EncryptedColumnError>): never {
  throw new EncryptedColumnError(...given);
}

export function refuseSql(place: ColumnPlace): never {
  const problem = 'the database sees only ciphertexts, so this SQL cannot work on the column';
  const remedy =
    'use `eq`, `ne`, `inArray`, `notInArray`, `isNull`, `isNotNull` or `matches`, or compute after decryption';
  return refuse('not_supported', place, problem, remedy);
}

/** For a call that would build its statement before values are encrypted, or return rows before they are decrypted. */
export function refuseToBuild(method: string): never {
  const problem = `\`${method}\` cannot wait for encryption and decryption, which are asynchronous`;
  return refuse('synchronous', {}, problem, 'await the statement itself');
}

/** Throws for Drizzle 1.0, whose builders are others. A peer dependency says so too, but npm can be told to ignore it. */
export function requireVersion(): void {
  if (npmVersion.startsWith('0.')) return;
  const problem = `this version works with drizzle-orm below 0.46 (got ${npmVersion})`;
  refuse('schema', {}, problem, 'install drizzle-orm 0.45');
}

/** What the database says when the guard of an upsert fails, and SQL for it. A statement does not have it as one text. */
export const unknownRow = { text: 'eaas: unknown row', sql: "'eaas: ' || 'unknown row'" };

/** Returns an error of Drizzle, and of the driver in it, without parameters: ciphertexts and fingerprints. */
export function withoutParameters(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error;
  return new DrizzleQueryError(error.query, [], withoutCiphertexts(error.cause) as Error);
}

function withoutCiphertexts(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  // A copy, because nobody can change what postgres.js adds.
  const copy: object = Object.setPrototypeOf(
    new Error(error.message),
    Object.getPrototypeOf(error) as object,
  );
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
