import { writeUint32 } from './bytes.ts';
import { InputError } from './errors.ts';
import { maxContext, maxContextName, prefixLength } from './limits.ts';
import { hasControlCharacter, toUtf8 } from './text.ts';

/**
 * Names and values that the encryption authenticates but does not encrypt. Decryption needs the same context as
 * encryption.
 */
export type Context = Readonly<Record<string, string>>;

/**
 * Encodes a context: the pae of its names and values, sorted by the bytes of the names. A missing context counts as
 * empty. Throws InputError for an invalid name and for an encoding of more than 4,096 bytes.
 */
export function encodeContext(context?: Context): Uint8Array<ArrayBuffer> {
  return additionalData([], context).slice();
}

// Encodings share this memory, which is safe because engines read the AAD only during their call.
const room = /* @__PURE__ */ new Uint8Array(prefixLength + maxContext);

let fixed: { readonly context: Context; readonly encoded: Uint8Array } | undefined;

export function fixContext(context: Context): Context {
  encodeContext(context);
  const copy = Object.freeze({ ...context });
  fixed = { context: copy, encoded: encodeContext(copy) };
  return copy;
}

/** The next call of this function overwrites the returned bytes. */
export function additionalData(prefix: ArrayLike<number>, context?: Context): Uint8Array<ArrayBuffer> {
  if (context && context === fixed?.context) {
    room.set(prefix);
    room.set(fixed.encoded, prefix.length);
    return room.subarray(0, prefix.length + fixed.encoded.length);
  }
  // A Map, for example, would count as an empty context.
  if (Object.prototype.toString.call(context ?? {}) !== '[object Object]')
    refuse('context must be an object');
  const members: Readonly<Record<string, unknown>> = { ...context };
  const names = Object.keys(members);
  requireOwn(context, names.length);
  // Each member of a context takes at least 9 encoded bytes: two lengths of 4 bytes, and a name of at least one byte.
  requireRoom(names.length * 9);
  room.set(prefix);
  const start = prefix.length;
  writeUint32(room, start, names.length * 2);
  let end = start + 4;
  for (const name of names.sort(bytewise)) {
    const at = end + 4;
    const value = members[name];
    end = writeText(end, name);
    if (end === at || end > at + maxContextName)
      refuse(`context must have names of 1 to ${maxContextName} bytes`);
    if (name === '__proto__') refuse('context must not have a member `__proto__`');
    if (typeof value !== 'string') refuse('context must have only strings as values');
    end = writeText(end, value);
  }
  requireRoom(end - start);
  return room.subarray(0, end);
}

/** The encoding ignores inherited members, so the encryption would not authenticate them. */
export function requireOwn(context: Context | undefined, own: number): void {
  let all = 0;
  for (const _ in context) all++;
  if (all !== own) refuse('context must not have inherited members');
}

function writeText(at: number, text: string): number {
  let end = at + 4;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 32 || unit > 126) {
      if (hasControlCharacter(text)) refuse('context must not have control characters');
      end = at + 4;
      for (const byte of toUtf8(text, 'context')) room[end++] = byte;
      break;
    }
    room[end++] = unit;
  }
  writeUint32(room, at, end - at - 4);
  return end;
}

function bytewise(a: string, b: string): number {
  let at = 0;
  while (a[at] && a[at] === b[at]) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

function requireRoom(bytes: number): void {
  if (bytes > maxContext) refuse(`context must have at most ${maxContext} bytes when encoded`);
}

function refuse(reason: string): never {
  throw new InputError(reason);
}
