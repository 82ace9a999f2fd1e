import { DecryptionError, InputError } from './errors.ts';
import { parseUuid } from './uuid.ts';

/** The key that an envelope is expected to have: one key id, a list of key ids, or explicitly any key. */
export type ExpectedKey = { readonly keyId: string | readonly string[] } | { readonly anyKey: true };

/** Throws DecryptionError for an envelope of an unexpected key. Throws InputError if `expected` names no key. */
export function requireExpectedKey(keyId: string, expected: ExpectedKey): void {
  const { anyKey, keyId: names = [] } = expected as { anyKey?: true; keyId?: string | readonly string[] };
  if (anyKey) return;
  const named = [names].flat();
  if (named.length === 0)
    throw new InputError('pass the id of the expected key as `keyId`, or pass `anyKey: true`');
  if (!named.some((name) => parseUuid(name) === keyId)) throw new DecryptionError();
}
