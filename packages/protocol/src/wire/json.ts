// Reads JSON of strangers: one scan that bounds what JSON.parse can cost, one JSON.parse, and one walk over the result.
import { InputError } from '../errors.ts';
import { fromUtf8 } from '../text.ts';
import { limits } from './limits.ts';

const tooManyNames = `the body has more than ${limits.jsonNames} object members in total`;

/**
 * Parses a JSON body. Throws InputError for invalid JSON or UTF-8, for a lone surrogate, and if a limit in `limits` is
 * exceeded. With `refuseItem`, a fault in an item of the body's list `items` does not fail the body: what `refuseItem`
 * returns takes the place of the item.
 */
export function readJson(bytes: Uint8Array, refuseItem?: (item: unknown, fault: string) => unknown): unknown {
  const text = orInvalid(() => fromUtf8(bytes), 'the request body must be valid UTF-8');
  const { values, names } = scan(text);
  if (values > limits.jsonValues) throw new InputError(`the body has more than ${limits.jsonValues} values`);
  if (!refuseItem && names > limits.jsonNames) throw new InputError(tooManyNames);
  const body: unknown = orInvalid(() => JSON.parse(text) as unknown, 'the body is not valid JSON');
  if (!refuseItem || !hasItems(body)) {
    checkLimits(body, 0);
    return body;
  }

  checkLimits(body, 0, body.items);
  if (!Array.isArray(body.items)) return body;
  body.items = body.items.map((item: unknown) => {
    try {
      checkLimits(item, itemDepth);
      return item;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return refuseItem(item, error.message.replace(/^the body/, 'the item'));
    }
  });
  return body;
}

const hasItems = (body: unknown): body is { items: unknown } =>
  typeof body === 'object' && body !== null && 'items' in body;

function orInvalid<T>(read: () => T, fault: string): T {
  try {
    return read();
  } catch {
    throw new InputError(fault);
  }
}

const quote = 0x22; // "
const comma = 0x2c; // ,
const colon = 0x3a; // :
const openList = 0x5b; // [
const backslash = 0x5c; // \
const closeList = 0x5d; // ]
const openObject = 0x7b; // {
const closeObject = 0x7d; // }

/** How deep the items of a batch are: `{"items":[` */
const itemDepth = 2;

/**
 * Counts the values and names that a text has if it is JSON. There is one value more than there are commas and lists and
 * objects that are not empty.
 */
function scan(text: string) {
  let values = 1;
  let names = 0;
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isClosing = code === closeList || code === closeObject;
    if (code === quote) at = endOfString(text, at);
    else if (code === colon) names++;
    else if (code === comma || code === openList || code === openObject) values++;
    else if (isClosing && (previous === openList || previous === openObject)) values--;
    if (code > 0x20) previous = code;
  }
  return { values, names };
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/**
 * Throws InputError if a value that stands `depth` levels deep exceeds a limit or has a lone surrogate. The list `apart` is
 * left out.
 */
function checkLimits(root: unknown, depth: number, apart?: unknown): void {
  let names = 0;
  const check = (value: unknown, level: number): void => {
    if (typeof value === 'string') checkText(value);
    if (typeof value !== 'object' || value === null || value === apart) return;
    if (level === limits.jsonDepth) {
      throw new InputError(`the body is nested deeper than ${limits.jsonDepth} levels`);
    }
    if (Array.isArray(value)) {
      checkMembers(value.length);
      for (const member of value) check(member, level + 1);
      return;
    }
    let members = 0;
    // `Object.entries` would take three times as long.
    for (const name in value) {
      checkMembers(++members);
      if (++names > limits.jsonNames) throw new InputError(tooManyNames);
      checkText(name);
      check(Reflect.get(value, name), level + 1);
    }
  };
  check(root, depth);
}

function checkMembers(count: number): void {
  if (count > limits.jsonMembers) {
    throw new InputError(`the body has a list or an object with more than ${limits.jsonMembers} members`);
  }
}

function checkText(text: string): void {
  if (!text.isWellFormed()) throw new InputError('a string has a lone surrogate: it is not valid Unicode');
}
