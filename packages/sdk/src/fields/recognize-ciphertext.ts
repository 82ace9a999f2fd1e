// Tells ciphertexts from plaintext while a migration leaves both in a column, and reports ciphertexts where the app expects none.
import { FormatError, readHeader, storedCiphertext } from '@eaas/protocol/internal';
import { viewBase64 } from '@eaas/protocol/internal-base64';
import { inside } from '../client/inside.ts';
import type { FieldsClient, Row } from './internals.ts';

type Ciphertext = string | Uint8Array;

/**
 * Returns whether a value is encrypted. Use this function during a migration, while a table contains plaintext and
 * ciphertexts. During this time, anyone who can write to the table can replace a ciphertext by plaintext.
 *
 * @example
 * ```ts
 * import { isEncrypted } from '@eaas/sdk/fields';
 *
 * const ciphertext = await eaas.encrypt('hello');
 * console.log(isEncrypted(ciphertext), isEncrypted('hello')); // true false
 * ```
 */
export function isCiphertext(value: unknown): boolean {
  const ciphertext = storedCiphertext(value);
  return ciphertext !== undefined && headerIn(ciphertext) === 'present';
}

export function ciphertextAmongPlaintext(value: unknown): Ciphertext | undefined {
  const ciphertext = storedCiphertext(value);
  return ciphertext !== undefined && headerIn(ciphertext) !== 'none' ? ciphertext : undefined;
}

/** Returns whether one of the values holds a ciphertext, of which it looks at `most` members at most. */
function someHoldCiphertext(values: readonly unknown[], most: number): boolean {
  for (const value of withMembers(values, most)) {
    if (typeof value === 'string' && value.startsWith('eaas') && isCiphertext(value)) return true;
    if (value instanceof Uint8Array && isCiphertext(value.subarray(0, fixedHeaderCharacters))) return true;
  }
  return false;
}

/**
 * Returns the values and `most` of the members of plain objects and arrays in them, the outermost first, so that the JSON of a user
 * can neither overflow the stack nor take long.
 */
export function* withMembers(values: readonly unknown[], most = Infinity): Generator {
  const found = new Set(values);
  const limit = found.size + most;
  // The loop also visits the members that it adds.
  for (const value of found) {
    yield value;
    if (typeof value !== 'object' || found.size === limit) continue;
    const prototype: unknown = Array.isArray(value) ? null : Object.getPrototypeOf(Object(value));
    // Skips instances of classes, because reading a member of an ORM object can load more rows.
    if (prototype !== null && prototype !== Object.prototype) continue;
    for (const member of Object.values(Object(value))) if (found.size < limit) found.add(member);
  }
}

const fixedHeaderBytes = 26;
const fixedHeaderCharacters = 36;

function headerIn(ciphertext: Ciphertext): 'present' | 'cut' | 'none' {
  const isText = typeof ciphertext === 'string';
  if (ciphertext.length < (isText ? fixedHeaderCharacters : fixedHeaderBytes)) {
    const isCut = isText ? /^eaasA[Q-Za-f][A-Za-z0-9+/]*$/.test(ciphertext) : ciphertext[3] === 1;
    return isCut ? 'cut' : 'none';
  }
  const bytes = isText ? viewBase64(ciphertext.slice(0, fixedHeaderCharacters)) : ciphertext;
  if (!bytes) return 'none';
  try {
    readHeader(bytes);
    return 'present';
  } catch (error) {
    if (error instanceof FormatError) return 'none';
    throw error;
  }
}

/** The names of a column and its table, as far as they are known. */
export interface ColumnPlace {
  readonly table?: string | undefined;
  readonly column?: string | undefined;
}

/**
 * Emits the event `unexpected_ciphertext` of the client for the columns of rows that hold a ciphertext, except those in
 * `known`. Each column causes at most one event, because users can type texts that look like ciphertexts as often as they like.
 */
export function reportRows(
  client: FieldsClient,
  table: string,
  rows: readonly Row[],
  known: ReadonlySet<string>,
): void {
  const emit = client[inside]?.emit;
  if (!emit) return;
  const found = reported.get(client) ?? new Set();
  const columns = new Set<string>();
  for (const row of rows) for (const column in row) if (!known.has(column)) columns.add(column);
  for (const column of columns) {
    const values = rows.map((row) => row[column]);
    const place = JSON.stringify([table, column]);
    if (found.has(place) || found.size === mostColumns || !someHoldCiphertext(values, mostMembers)) continue;
    reported.set(client, found.add(place));
    emit({ type: 'unexpected_ciphertext', table, column });
  }
}

const reported = new WeakMap<FieldsClient, Set<string>>();
const mostColumns = 1_000;
const mostMembers = 1_000;
