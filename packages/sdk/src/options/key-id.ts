import { InputError, parseUuid } from '@eaas/protocol/internal-core';
import { kindOf, type Rule } from '@eaas/protocol/internal-options';

export const keyId: Rule = (value, name) => {
  const isText = typeof value === 'string';
  if (isText && parseUuid(value)) return true;
  // The error does not show a text, because a caller can pass a value or a secret by mistake.
  const got = isText ? `text of ${value.length} characters` : kindOf(value);
  throw new InputError(
    `\`${name}\` must be a UUID (got ${got}): pass the \`key_id\` that \`keys.create\` returned`,
  );
};

/** One key id or an array of key ids. Each is valid or throws. */
export const keyIds: Rule = (value, name) => [value].flat().every((id) => keyId(id, name)) as true;

export function requireKeyId(given: string | undefined, name = 'keyId'): string {
  if (given === undefined)
    throw new InputError('`keyId` is missing: pass it to the client or set EAAS_KEY_ID');
  keyId(given, name);
  return given;
}
