import { DecryptionError, InputError } from './errors.ts';
import { parseUuid } from './uuid.ts';

/** Which key an envelope must name: one, several, or, said aloud, any at all. */
export type ExpectedKey = KeyIds | { readonly anyKey: true };
interface KeyIds {
  readonly keyId: string | readonly string[];
}

/** Throws DecryptionError unless the key is one that the caller expects, InputError when none is named. */
export function requireExpectedKey(keyId: string, expected: ExpectedKey): void {
  const { anyKey, keyId: names = [] } = expected as Partial<Record<'anyKey', true> & KeyIds>;
  if (anyKey) return;
  const named = [names].flat();
  if (named.length === 0) {
    throw new InputError('name the key that you expect: `keyId`, or `anyKey: true`');
  }
  if (!named.some((name) => parseUuid(name) === keyId)) throw new DecryptionError();
}
