import { InputError } from './errors.ts';
import { maxContext, maxContextName } from './limits.ts';
import { pae } from './pae.ts';
import { hasControlCharacter, toUtf8 } from './text.ts';

/** Names and values that are authenticated with a ciphertext but not hidden: opening needs the very same. */
export type Context = Readonly<Record<string, string>>;

const none = /* @__PURE__ */ pae();

/**
 * The bytes of a context: names and values in the bytewise order of the names. No context and an empty one are
 * the same. Throws InputError for a name of 0 or more than 128 bytes, `__proto__`, a control character, or more
 * than 4,096 bytes in all.
 */
export function encodeContext(context?: Context): Uint8Array<ArrayBuffer> {
  // A list, a text or a Map would else pass for a context without names.
  if (Object.prototype.toString.call(context ?? {}) !== '[object Object]') refuse('is not an object');
  const entries = Object.entries(context ?? {});
  // Before any work: a member takes at least two lengths and a byte.
  if (entries.length * 9 > maxContext) refuse(`takes more than the ${maxContext} bytes that are allowed`);
  const members = entries.map(encodeMember);
  if (members.length === 0) return none;
  members.sort(([a], [b]) => compareBytes(a, b));
  const encoded = pae(...members.flat());
  if (encoded.length > maxContext)
    refuse(`takes ${encoded.length} bytes, and at most ${maxContext} are allowed`);
  return encoded;
}

function encodeMember([name, value]: [string, unknown]): [Uint8Array, Uint8Array] {
  const nameBytes = toUtf8(name, 'context');
  if (name === '' || nameBytes.length > maxContextName)
    refuse(`has a name of 0 or over ${maxContextName} bytes`);
  if (name === '__proto__') refuse('cannot have the name `__proto__`');
  if (typeof value !== 'string') refuse('has a value that is not a string');
  if (hasControlCharacter(name + value)) refuse('has a control character');
  return [nameBytes, toUtf8(value, 'context')];
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

function refuse(reason: string): never {
  throw new InputError(`context ${reason}`);
}
