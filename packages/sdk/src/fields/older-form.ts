// The older form of a field's values, which the version of the app before this one reads and writes: while both versions run, a
// field with `plaintext(read, { write })` goes on to write it.
import { attempt, InputError, isBytes } from '@eaas/protocol/internal';
import type { Field } from './field.ts';
import { refuse } from './value-types.ts';

/**
 * What each ciphertext matches in SQL, with `%` after it: `like` knows no other length. A user can choose a text that begins like a
 * ciphertext, but hardly one of this length.
 */
export const sealedLike = `eaasA${'_'.repeat(215)}`;

/** For adapters: whether a field writes the older form, and no ciphertexts. */
export const writesOlder = ({ previous }: Pick<Field<unknown>, 'previous'>): boolean =>
  previous?.write !== undefined;

/** Returns a value in the older form, by the app's own function. Throws unless `read` can read it. */
export async function olderForm({ previous }: Field<unknown>, value: unknown): Promise<string | Uint8Array> {
  let written: unknown;
  try {
    written = await previous?.write?.(value);
    await previous?.read(written, {});
  } catch {
    // Without the original error as `cause`, because it might quote the value.
    refuse('`write` of `plaintext` threw an error for the value, or `read` for what it wrote: correct them');
  }
  if (typeof written === 'string' || isBytes(written)) return written;
  return refuse('`write` must return text or bytes: encrypt a column of another type into a new column');
}

/**
 * For adapters: returns the text under which a search finds a value in the older form, or undefined if that text is not known.
 * Throws while a field writes texts that differ each time, because then no search finds what the version before writes.
 */
export async function olderTextOf(field: Field<unknown>, value: unknown): Promise<string | undefined> {
  // A text that is read as itself is a value of which it is an older form.
  if (!writesOlder(field)) {
    return typeof value === 'string' && (await readOf(field, value)) === value ? value : undefined;
  }
  const text = await olderForm(field, value);
  const again = await olderForm(field, value);
  if (typeof text === 'string' && text === again) return text;
  throw new InputError(
    'the version before stores the value as another text each time, so a search would miss what it writes: ' +
      'search by another column until `write` is removed',
  );
}

/** What the app's own function reads, or undefined if it throws. */
const readOf = async ({ previous }: Field<unknown>, value: string): Promise<unknown> =>
  Promise.resolve(attempt(() => previous?.read(value, {}))).catch(() => undefined);
