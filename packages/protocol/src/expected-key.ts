// Refuses an envelope under another key than the caller expects, before it is unwrapped, and says what is probably wrong.
import { DecryptionError, InputError } from './errors.ts';
import { parseUuid } from './uuid.ts';

/** The key that an envelope is expected to have: one key id, a list of key ids, or explicitly any key. */
export type ExpectedKey = { readonly keyId: string | readonly string[] } | { readonly anyKey: true };

const short = (id: string) => id.slice(0, 8);

/** Throws DecryptionError for an envelope of an unexpected key. Throws InputError if `expected` names no key. */
export function requireExpectedKey(keyId: string, expected: ExpectedKey, wrappedKey?: Uint8Array): void {
  const { anyKey, keyId: names = [] } = expected as { anyKey?: true; keyId?: string | readonly string[] };
  if (anyKey) return;
  const named = [names].flat();
  if (named.length === 0) throw new InputError('pass the expected key as `keyId`');
  const ids = named.map((name) => parseUuid(name) ?? 'invalid');
  if (ids.includes(keyId)) return;
  const accepted = ids.slice(0, 9).map(short).join(' or ');
  // UUIDs of version 8 are ids that a local service derives from a secret.
  const isDerived = [keyId, ...ids].every((id) => id[14] === '8');
  const other = isDerived
    ? 'is the first secret missing, or its place changed?'
    : 'is it from another environment?';
  const hint = wrappedKey?.[0] === 2 ? "pass the intake key's id as `keyId`" : other;
  throw new DecryptionError(
    `the value is under the key ${short(keyId)}, and only ${accepted} is accepted (${hint})`,
    keyId,
    ids,
  );
}
