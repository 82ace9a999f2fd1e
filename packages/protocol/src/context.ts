import { InputError } from './errors.ts';
import { maxContext, maxContextName, prefixLength } from './limits.ts';
import { writeUint32 } from './pae.ts';
import { hasControlCharacter, toUtf8 } from './text.ts';

/** Names and values that are authenticated with a ciphertext but not hidden: opening needs the very same. */
export type Context = Readonly<Record<string, string>>;

/**
 * The bytes of a context: pae of names and values, in the bytewise order of the names. No context and an empty one
 * are the same. Throws InputError for a name of 0 or more than 128 bytes, `__proto__`, a control character, or more
 * than 4,096 bytes in all.
 */
export function encodeContext(context?: Context): Uint8Array<ArrayBuffer> {
  return additionalData([], context).slice();
}

// Written over by every call: to allocate takes as long as the rest, and an engine is done with it when it returns.
const room = /* @__PURE__ */ new Uint8Array(prefixLength + maxContext);

/**
 * The bytes of a context behind at most 20 others: what an envelope authenticates besides its plaintext. They are
 * there until the next call.
 */
export function additionalData(prefix: ArrayLike<number>, context?: Context): Uint8Array<ArrayBuffer> {
  // A list, a text or a Map would else pass for a context without names.
  if (Object.prototype.toString.call(context ?? {}) !== '[object Object]') refuse('is not an object');
  const members: Readonly<Record<string, unknown>> = { ...context };
  const names = Object.keys(members);
  // Before any work: a member takes at least two lengths and a byte.
  requireRoom(names.length * 9);
  room.set(prefix);
  const start = prefix.length;
  writeUint32(room, start, names.length * 2);
  let end = start + 4;
  for (const name of names.sort(bytewise)) {
    const at = end + 4;
    const value = members[name];
    end = writeText(end, name);
    if (end === at || end > at + maxContextName) refuse(`has a name of 0 or over ${maxContextName} bytes`);
    if (name === '__proto__') refuse('cannot have the name `__proto__`');
    if (typeof value !== 'string') refuse('has a value that is not a string');
    end = writeText(end, value);
  }
  requireRoom(end - start);
  return room.subarray(0, end);
}

/** Writes its length and its UTF-8, and answers where it ends: what does not fit is counted. */
function writeText(at: number, text: string): number {
  let end = at + 4;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 32 || unit > 126) {
      if (hasControlCharacter(text)) refuse('has a control character');
      end = at + 4;
      for (const byte of toUtf8(text, 'context')) room[end++] = byte;
      break;
    }
    room[end++] = unit;
  }
  writeUint32(room, at, end - at - 4);
  return end;
}

/** The order of their UTF-8, which is that of code points. */
function bytewise(a: string, b: string): number {
  let at = 0;
  while (a[at] && a[at] === b[at]) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

function requireRoom(bytes: number): void {
  if (bytes > maxContext) refuse(`takes more than ${maxContext} bytes`);
}

function refuse(reason: string): never {
  throw new InputError(`context ${reason}`);
}
