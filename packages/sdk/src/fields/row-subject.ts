// The person whose data a row is: how a definition finds it in the row, and which values it accepts.
import { FormatError, InputError } from '@eaas/protocol/internal-core';
import { isBytes, isSubjectWrapped, personName } from '@eaas/protocol/internal';
import { viewBase64 } from '@eaas/protocol/base64';
import { kindOf } from '@eaas/protocol/internal-options';
import { person } from '../client/caller.ts';
import type { Row } from './internals.ts';
import type { TablePlan } from './plan.ts';

/**
 * Returns the subject of a row, or undefined if the table has none. `given` is the option `subject` of the call. Throws
 * InputError for a value that names nobody, so that no value of a person is encrypted without them, and FormatError if the
 * value was read from a stored row, because then the row is at fault and not the call.
 */
export function subjectOfRow(
  { table, subject }: TablePlan,
  row: Row | undefined,
  id: string | undefined,
  given: string | undefined,
  isRead = false,
): string | undefined {
  if (subject === undefined) return given;
  const source =
    typeof subject === 'string'
      ? `the column \`${table}.${subject}\``
      : `the function \`subject\` of ${table}`;
  if (!row) {
    if (given !== undefined) return given;
    throw new InputError(
      `the values of ${table} belong to people, and this call has no row: pass the option \`subject\``,
    );
  }
  if (given !== undefined)
    throw new InputError(`${source} names the person of each row: leave out the option \`subject\``);
  const value =
    typeof subject === 'string' ? (Object.hasOwn(row, subject) ? row[subject] : undefined) : subject(row);
  const name =
    typeof value === 'bigint' || Number.isSafeInteger(value)
      ? String(value)
      : typeof value === 'string'
        ? personName(value)
        : undefined;
  if (name !== undefined && person(name, '') === true) return name;
  const place = id === undefined ? 'a row' : `row ${id.replace(/\p{Cc}/gu, '\ufffd')}`;
  const remedy = typeof subject === 'string' ? 'have the column in the row' : 'return the id of the person';
  const isStored = isRead && (typeof subject !== 'string' || Object.hasOwn(row, subject));
  throw new (isStored ? FormatError : InputError)(
    `${source} must name the person of ${place}: a text of 1 to 256 bytes of UTF-8 without control ` +
      `characters, a safe integer or a bigint (got ${kindOf(value)}): ${remedy}`,
  );
}

/** Whether a ciphertext belongs to a person. One from before does not, and is read without a subject. */
export function isOfPerson(ciphertext: string | Uint8Array): boolean {
  // The wrapped key begins at byte 26 of an envelope. The eight characters are bytes 24 to 29.
  if (isBytes(ciphertext)) return isSubjectWrapped(ciphertext.subarray(26, 28));
  const bytes = viewBase64(ciphertext.slice(32, 40));
  return bytes !== undefined && isSubjectWrapped(bytes.subarray(2, 4));
}
