import { InputError, parseUuid } from '@eaas/protocol';
import { kindOf, type Rule } from './require-options.ts';

export const keyId: Rule = (value, name) => {
  const id = typeof value === 'string' ? value : '';
  if (parseUuid(id)) return true;
  // The error shows only a text of at most 40 characters, such as the name of a key. A longer text is not shown,
  // because it might be an API key or a data key.
  const got = /^[\w .-]{1,40}$/.test(id) ? `the name "${id}"` : kindOf(value);
  throw new InputError(
    `\`${name}\` must be a UUID (got ${got}): pass the \`key_id\` that \`keys.create\` returned`,
  );
};

/** One key id or an array of key ids. */
export const keyIds: Rule = (value, name) => [value].flat().every((id) => keyId(id, name)) || '';

export function requireKeyId(given: string | undefined, name = 'keyId'): string {
  if (given === undefined)
    throw new InputError('`keyId` is missing: pass it to the client or set EAAS_KEY_ID');
  keyId(given, name);
  return given;
}
