// Reads JSON of strangers: one scan that counts, then one JSON.parse. The scan bounds what JSON.parse can cost, and finds
// what it would hide: a repeated name, and which item of a batch is at fault.
import { InputError } from '../errors.ts';
import type { Steps } from '../steps.ts';
import { fromUtf8, utf8Length } from '../text.ts';
import { limits } from './limits.ts';

const notJson = 'the body is not valid JSON';
const loneSurrogate = 'a string has a lone surrogate: it is not valid Unicode';

/**
 * Parses a JSON body strictly. Throws InputError for invalid JSON or UTF-8, a repeated name or a lone surrogate, and if a
 * limit in `limits` is exceeded. With `refuseItem`, a fault in an item of the body's list `items` does not fail the body:
 * what `refuseItem` returns takes the place of the item. The scan, JSON.parse and the check of surrogates are a
 * step each, because each can take 20 ms.
 */
export function* readJson(
  bytes: Uint8Array,
  refuseItem?: (item: unknown, fault: string) => unknown,
): Steps<unknown> {
  const text = decode(bytes);
  const scan = new Scan(text, refuseItem !== undefined);
  scan.run();
  yield;
  const body = parse(text, () => (refuseItem ? invalidItem(text, scan.itemEnds) : notJson));
  yield;
  const mayBeIllFormed = /\\ud/i.test(text);
  const isIllFormed = (value: unknown): boolean => mayBeIllFormed && !isWellFormed(value);
  if (!refuseItem) {
    if (isIllFormed(body)) throw new InputError(loneSurrogate);
    return body;
  }
  const items: unknown = typeof body === 'object' && body ? Reflect.get(body, 'items') : undefined;
  if (!Array.isArray(items)) return body;
  const judged = items.map((item: unknown, index) => {
    const fault = scan.faults.get(index) ?? (isIllFormed(item) ? loneSurrogate : undefined);
    return fault === undefined ? item : refuseItem(item, fault);
  });
  return Object.assign(body as object, { items: judged });
}

function decode(bytes: Uint8Array): string {
  try {
    return fromUtf8(bytes);
  } catch {
    throw new InputError('the request body must be valid UTF-8');
  }
}

function parse(text: string, reason: () => string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InputError(reason());
  }
}

function invalidItem(text: string, ends: readonly number[]): string {
  const items = ends.slice(1).map((end, index) => text.slice((ends[index] ?? 0) + 1, end));
  const index = items.findIndex((item) => item.trim() !== '' && !isJson(item));
  return index < 0 ? notJson : `${notJson}: see \`items[${index}]\``;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  // `Object.entries` would take three times as long.
  for (const name in value) if (!name.isWellFormed() || !isWellFormed(Reflect.get(value, name))) return false;
  return true;
}

const shortName = 32;
const letters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Decodes the escapes of a short name, in a third of the time that a call of JSON.parse takes. A body can have 90,000 such
 * names. What is no escape may become anything, because JSON.parse refuses the body later.
 */
function unescaped(spelled: string): string {
  let name = '';
  let start = 0;
  for (let at = spelled.indexOf('\\'); at >= 0; at = spelled.indexOf('\\', start)) {
    name += spelled.slice(start, at);
    const letter = spelled[at + 1] ?? '';
    start = at + (letter === 'u' ? 6 : 2);
    let code = 0;
    for (let digit = at + 2; digit < start; digit++) code = 16 * code + hexValue(spelled.charCodeAt(digit));
    name += letter === 'u' ? String.fromCharCode(code) : (letters[letter] ?? letter);
  }
  return name + spelled.slice(start);
}

/** The value of a hexadecimal digit, of either case. */
const hexValue = (digit: number): number => (digit & 15) + (digit > 0x39 ? 9 : 0);

const [quote, backslash, comma, colon] = Array.from('"\\,:', (character) => character.charCodeAt(0));
const [openList, closeList, openObject, closeObject] = Array.from('[]{}', (each) => each.charCodeAt(0));

/** The depth of the list of a batch's items: `{"items":[` */
const batchDepth = 2;

interface Level {
  readonly names: Set<string> | null;
  members: number;
}

/** Counts what a text has if it is JSON. JSON.parse decides later whether it is. */
class Scan {
  /** The first fault of each item of a batch. */
  readonly faults = new Map<number, string>();
  /** Where the list of a batch begins, and where each item ends. */
  readonly itemEnds: number[] = [];
  readonly #text: string;
  readonly #isBatch: boolean;
  readonly #levels: Level[] = [];
  #depth = 0;
  #values = 0;
  #names = 0;
  #lastString = '';

  constructor(text: string, isBatch: boolean) {
    this.#text = text;
    this.#isBatch = isBatch;
  }

  run(): void {
    const text = this.#text;
    let inWord = false;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const wasInWord = inWord;
      inWord = false;
      if (code === quote) at = this.#readString(at);
      else if (code === comma) this.#addMember(at);
      else if (code === colon) this.#addName();
      else if (code === openList || code === openObject) this.#open(at, code === openObject);
      else if (code === closeList || code === closeObject) this.#close(at);
      else if (code > 0x20) {
        inWord = true;
        if (!wasInWord) this.#values++;
      }
    }
  }

  /** Returns where the string ends. */
  #readString(start: number): number {
    let end = start;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw new InputError(notJson);
    } while (this.#isEscaped(end));
    this.#values++;
    this.#lastString = this.#text.slice(start + 1, end);
    return end;
  }

  #isEscaped(at: number): boolean {
    let before = at - 1;
    while (this.#text.charCodeAt(before) === backslash) before--;
    return (at - before) % 2 === 0;
  }

  #open(at: number, isObject: boolean): void {
    this.#values++;
    this.#checkValues();
    if (++this.#depth === batchDepth && this.#isBatch) this.#beginItem(at);
    if (this.#depth > limits.jsonDepth) this.#refuse(`is nested deeper than ${limits.jsonDepth} levels`);
    else this.#levels[this.#depth - 1] = { names: isObject ? new Set() : null, members: 1 };
  }

  #close(at: number): void {
    if (this.#depth === 0) throw new InputError(notJson);
    if (this.#depth-- === batchDepth && this.#isBatch) this.itemEnds.push(at);
  }

  #addMember(at: number): void {
    this.#checkValues();
    if (this.#depth === batchDepth && this.#isBatch) this.#beginItem(at);
    else if (this.#depth <= limits.jsonDepth) {
      const level = this.#levels[this.#depth - 1];
      if (level && ++level.members > limits.jsonMembers)
        this.#refuse(`has a list or an object with more than ${limits.jsonMembers} members`);
    }
  }

  #beginItem(at: number): void {
    this.itemEnds.push(at);
    this.#names = 0;
  }

  #addName(): void {
    this.#values--;
    const { names } = this.#levels[Math.min(this.#depth, limits.jsonDepth) - 1] ?? {};
    if (!names || this.#depth > limits.jsonDepth) return;
    if (++this.#names > limits.jsonNames)
      this.#refuse(`has more than ${limits.jsonNames} object members in total`);
    const spelled = this.#lastString;
    if (spelled.length > limits.jsonName / 3 && utf8Length(spelled) > limits.jsonName - 2)
      this.#refuse(`has a field name longer than ${limits.jsonName} bytes`);
    const name = !spelled.includes('\\')
      ? spelled
      : spelled.length <= shortName
        ? unescaped(spelled)
        : String(parse(`"${spelled}"`, () => notJson));
    if (names.has(name)) this.#refuse(`has the field \`${name.slice(0, 64)}\` twice`);
    names.add(name);
  }

  #checkValues(): void {
    if (this.#values > limits.jsonValues)
      throw new InputError(`the body has more than ${limits.jsonValues} values`);
  }

  #refuse(reason: string): void {
    const index = this.itemEnds.length - 1;
    if (!this.#isBatch || this.#depth < batchDepth) throw new InputError(`the body ${reason}`);
    if (!this.faults.has(index)) this.faults.set(index, `the item ${reason}`);
  }
}
