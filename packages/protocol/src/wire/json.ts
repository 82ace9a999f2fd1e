import { InputError } from '../errors.ts';
import { limits } from './limits.ts';

/**
 * JSON, strictly: refuses with InputError, besides what JSON.parse refuses, a name that stands twice in an
 * object (the last would win unseen), more than eight levels, and a list or an object with more members than any call
 * takes: whoever checks a million of them keeps everybody else waiting.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError('the body is not valid JSON');
  }
  checkTokens(text);
  return value;
}

// The text is known to be JSON when this runs, so strings and brackets are all that has to be told apart. No
// pattern finds the strings: one of several megabytes would exhaust the stack of the regular expression.
function checkTokens(text: string): void {
  const levels: Level[] = [];
  let last = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = stringEnd(text, at);
      last = text.slice(at, end);
      at = end - 1;
    } else if (char === ':') {
      addName(levels.at(-1)?.names, last);
    } else if (char === ',') {
      countMember(levels.at(-1));
    } else if (char === '{' || char === '[') {
      levels.push({ names: char === '{' ? new Set() : null, members: 1 });
      if (levels.length > limits.jsonDepth) {
        throw new InputError(`the body is nested deeper than ${limits.jsonDepth} levels`);
      }
    } else if (char === '}' || char === ']') {
      levels.pop();
    }
  }
}

interface Level {
  /** Those seen so far in an object; null for a list. */
  readonly names: Set<string> | null;
  members: number;
}

function countMember(level: Level | undefined): void {
  if (level && ++level.members > limits.jsonMembers) {
    throw new InputError(`the body has a list or an object with more than ${limits.jsonMembers} members`);
  }
}

/** Where the string that opens at `start` is over: behind the first quote that no backslash escapes. */
function stringEnd(text: string, start: number): number {
  let quote = start;
  let backslashes: number;
  do {
    quote = text.indexOf('"', quote + 1);
    backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes++;
  } while (backslashes % 2 === 1);
  return quote + 1;
}

function addName(names: Set<string> | null | undefined, token: string): void {
  const name = String(JSON.parse(token));
  if (names?.has(name)) throw new InputError(`the body has the field \`${name.slice(0, 64)}\` twice`);
  names?.add(name);
}

/** Whether no text in a JSON value, names included, has a lone surrogate. */
export function isWellFormedJson(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormedJson(member));
}
