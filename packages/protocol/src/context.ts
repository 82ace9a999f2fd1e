import { InputError } from './errors.ts';
import { limits } from './limits.ts';
import { pae } from './pae.ts';
import { hasControlCharacter, toUtf8, utf8Length } from './text.ts';

/** Names and values that are authenticated with a ciphertext but not hidden: opening needs the very same. */
export type Context = Readonly<Record<string, string>>;

const none = pae();

/**
 * The bytes of a context: names and values in the bytewise order of the names. No context and an empty one are
 * the same. Throws InputError for a name of 0 or more than 128 bytes, `__proto__`, a control character, or more
 * than 4,096 bytes in all.
 */
export function encodeContext(context?: Context | undefined): Uint8Array<ArrayBuffer> {
  if (context === undefined) return none;
  const names = Object.keys(context).sort(byBytes);
  if (names.length === 0) return none;
  const encoded = pae(...names.flatMap((name) => [checkName(name), checkValue(name, context[name])]));
  if (encoded.length > limits.contextEncoded) {
    throw new InputError(
      `context takes ${encoded.length} bytes, and at most ${limits.contextEncoded} are allowed`,
    );
  }
  return encoded;
}

function checkName(name: string): string {
  if (name === '' || utf8Length(name) > limits.contextName) {
    throw new InputError(`context: a name has 1 to ${limits.contextName} bytes`);
  }
  if (name === '__proto__') throw new InputError('context: `__proto__` cannot be a name');
  if (hasControlCharacter(name)) throw new InputError('context: a name has a control character');
  toUtf8(name, 'context: a name');
  return name;
}

function checkValue(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new InputError(`context: the value of \`${name}\` is not a string`);
  if (hasControlCharacter(value)) {
    throw new InputError(`context: the value of \`${name}\` has a control character`);
  }
  toUtf8(value, `context: the value of \`${name}\``);
  return value;
}

/** UTF-8 bytewise order is code point order, which UTF-16 order is not. */
function byBytes(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
