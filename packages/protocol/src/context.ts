// Checks contexts and encodes them as AAD. Every value passes here, so the memory is shared, and the last context is remembered.
import { writeUint32 } from './bytes.ts';
import { InputError } from './errors.ts';
import { maxContext, maxContextName, prefixLength } from './format-sizes.ts';
import { hasControlCharacter, toUtf8 } from './text.ts';

/**
 * Names and values that the encryption authenticates but does not encrypt. Decryption needs the same context as
 * encryption.
 */
export type Context = Readonly<Record<string, string>>;

/**
 * Encodes the names and values of a context with `pae`, sorted by the bytes of the names. A missing context counts as
 * empty. Throws InputError for an invalid name and for an encoding of more than 4,096 bytes.
 */
export function encodeContext(context?: Context): Uint8Array<ArrayBuffer> {
  return additionalData([], context).slice();
}

// Every encoding reuses this memory, because an engine reads the AAD only during its call.
const room = /* @__PURE__ */ new Uint8Array(prefixLength + maxContext);

/** What the memory holds up to an end, because making a view takes longer than an encoding. */
const views: Uint8Array<ArrayBuffer>[] = [];

/** The last encoded context. It is kept because consecutive values of a column often have the same context. */
let last: { readonly members: Context; readonly count: number; readonly end: number } | undefined;

/** A context that is valid, and whose encoding cannot change: calls neither check nor copy it. */
export abstract class FixedContext {
  /** Writes the encoding into the memory, and returns where it ends. */
  abstract write(room: Uint8Array): number;
}

/** Checks a context and returns a frozen copy of it. Throws InputError for an invalid one. */
export function fixContext(context: Context): Context {
  return context instanceof FixedContext ? context : Object.freeze(encoded(context).members);
}

/** Returns the AAD, in memory that the next call overwrites. */
export function additionalData(prefix: ArrayLike<number>, context?: Context): Uint8Array<ArrayBuffer> {
  const { end } = encoded(context ?? {});
  const start = prefixLength - prefix.length;
  room.set(prefix, start);
  if (start > 0) return room.subarray(start, end);
  views[end] ??= room.subarray(0, end);
  return views[end];
}

export function encoded(context: Context): NonNullable<typeof last> {
  if (last && context === last.members) return last;
  // The count equals that of no other context.
  if (context instanceof FixedContext) {
    last = { members: context, count: Number.NaN, end: context.write(room) };
    return last;
  }
  // Refuses objects such as a Map, whose entries are not members and would therefore not be authenticated.
  if (Object.prototype.toString.call(context) !== '[object Object]') refuse('context must be an object');
  if (last && isEqual(context, last)) return last;
  last = undefined;
  // Copies the members, because the caller can change the context object later.
  const members = { ...context };
  const names = Object.keys(members);
  // Refuses inherited members, because the encoding ignores them, so the encryption would not authenticate them.
  let least = 0;
  for (const name in context) {
    if (!Object.hasOwn(context, name)) refuse('context must not have inherited members');
    least += 8 + name.length;
  }
  // Throws before the sorting if the members cannot fit, because comparing long names takes long.
  requireRoom(least);
  writeUint32(room, prefixLength, names.length * 2);
  let end = prefixLength + 4;
  for (const name of names.sort(bytewise)) {
    const at = end + 4;
    const value: unknown = members[name];
    end = writeText(end, name);
    if (end === at || end > at + maxContextName) {
      refuse(`context must have names of 1 to ${maxContextName} bytes`);
    }
    if (name === '__proto__') refuse('context must not have a member `__proto__`');
    if (typeof value !== 'string') refuse('context must have only strings as values');
    end = writeText(end, value);
  }
  requireRoom(end - prefixLength);
  last = { members, count: names.length, end };
  return last;
}

function isEqual(context: Context, { members, count }: NonNullable<typeof last>): boolean {
  // `for … in` also finds inherited members, which no valid context has. A context with inherited members therefore
  // never equals the context of the previous call. The caller checks the whole context, and refuses it.
  for (const name in context) {
    if (!Object.hasOwn(context, name) || !Object.hasOwn(members, name)) return false;
    if (context[name] !== members[name]) return false;
    count--;
  }
  return count === 0;
}

export function writeText(at: number, text: string): number {
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
