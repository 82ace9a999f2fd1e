// Checks the options of public calls, so that a typing error fails at once and its message names what was expected. The
// rules for single values follow the functions.
import { isBytes } from './bytes.ts';
import { isPromise } from './engines/engine.ts';
import { InputError } from './errors.ts';
import { suggestion } from './nearest.ts';

/**
 * Returns true for a valid value. For an invalid value, the function returns a description of valid values, or throws
 * InputError.
 */
export interface Rule {
  (value: unknown, name: string): true | string;
  /** Whether the rule is also asked about an option that is there with the value undefined. */
  readonly refusesUndefined?: boolean;
}

/** A rule for each option of a call, or the name of one that many calls share. */
export type OptionRules<T> = { readonly [Name in keyof T]-?: Rule | keyof typeof shared };

/** Throws InputError for an unknown option, for an option with an invalid value, and for options that are no object. */
export function requireOptions<T>(rules: OptionRules<T>, given: T, of: string): void {
  // Refuses a promise, which a missing `await` can cause. The call would otherwise ignore the options in the promise.
  if (typeof given !== 'object' || given === null || Array.isArray(given) || isPromise(given)) {
    throw new InputError(`\`${of}\` takes an object of options (got ${kindOf(given)})`);
  }
  for (const name in given) {
    if (!Object.hasOwn(rules, name)) {
      if (Object.hasOwn(given, name)) throw unknownOption(rules, name.slice(0, 64), of);
      continue;
    }
    const value: unknown = given[name];
    const rule = ruleOf(rules[name]);
    if (value === undefined && !rule.refusesUndefined) continue;
    const expected = rule(value, name);
    if (expected !== true) throw mismatch(`\`${name}\` of \`${of}\``, expected, value);
  }
}

function unknownOption(known: object, name: string, of: string): InputError {
  const names = Object.keys(known);
  // Other libraries call a context so.
  const advice = suggestion(name === 'aad' ? 'context' : name, names, `: it takes \`${names.join('`, `')}\``);
  return new InputError(`\`${of}\` has no option \`${name}\`${advice}`);
}

/** Throws InputError for a value that is not an array. */
export function requireArray(items: unknown): void {
  if (!Array.isArray(items)) throw new InputError(`expected an array (got ${kindOf(items)})`);
}

/** Throws InputError for an argument that breaks the rule. */
export function requireKind(rule: Rule | keyof typeof shared, value: unknown, argument: string): void {
  const expected = ruleOf(rule)(value, argument);
  if (expected !== true) throw mismatch(argument, expected, value);
}

const ruleOf = (rule: Rule | keyof typeof shared): Rule => (typeof rule === 'string' ? shared[rule] : rule);

function mismatch(argument: string, expected: string, value: unknown): InputError {
  // Shows a number only where a number was expected. Other numbers can be values of the app.
  const got = typeof value === 'number' && /number|integer/.test(expected) ? value : kindOf(value);
  return new InputError(`${argument} must be ${expected} (got ${got})`);
}

/**
 * Also returns true for a Date that was created in another JavaScript context (realm), for which `instanceof Date` is
 * false. Jest runs tests in a separate context, so tests get such Dates from Node.
 */
export function isDate(value: unknown): value is Date {
  return kindOf(value) === 'a Date';
}

/**
 * Describes the type of a value for an error message. The description never contains a string or bytes of the value.
 */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  if (value === '') return 'an empty string';
  if (isBytes(value)) return `a Uint8Array of ${value.length} bytes`;
  const kind = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
  return `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}

/**
 * Describes a text that is not the expected one, and every other value as `kindOf` does. A variable can have quotes around its
 * text, or what a header has before a token.
 */
export function otherKindOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') return kindOf(value);
  const [start] = /^(?:["']|Bearer )/i.exec(value) ?? [];
  return start ? `text that begins with \`${start.trim()}\`` : 'another string';
}

/** Accepts every value. Use this rule for options that other code checks. */
export const anything: Rule = () => true;

const kind =
  (expected: string): Rule =>
  (value) =>
    (value !== null && expected.endsWith(typeof value)) || expected;

/** Accepts booleans. */
export const flag: Rule = /* @__PURE__ */ kind('a boolean');
/** Accepts strings. */
export const text: Rule = /* @__PURE__ */ kind('a string');
/** Accepts numbers. */
export const number: Rule = /* @__PURE__ */ kind('a number');
/** Accepts functions. */
export const callback: Rule = /* @__PURE__ */ kind('a function');
/** Accepts objects. Other code checks their members. */
export const object: Rule = /* @__PURE__ */ kind('an object');

/** Accepts arrays. */
export const list: Rule = (value) => Array.isArray(value) || 'an array';

/** Accepts every object that `for … of` accepts. */
export const iterable: Rule = (value) =>
  (typeof value === 'object' && value !== null && Symbol.iterator in value) || 'an array';

/** Accepts the given texts. */
export function oneOf(...texts: readonly unknown[]): Rule {
  return (value) => texts.includes(value) || `'${texts.join("' or '")}'`;
}

/**
 * Accepts every value that has all methods in `names`. The error for another value says that `expected` was expected.
 */
export const having =
  (expected: string, ...names: readonly PropertyKey[]): Rule =>
  (value) =>
    names.every((name) => typeof Object(value)[name] === 'function') || expected;

/** Accepts AbortSignals, also those of polyfills. */
export const signal: Rule = /* @__PURE__ */ having('an AbortSignal', 'addEventListener');

/** Accepts the numbers from `least` to `most`. */
export const numberFrom =
  (least: number, most = Infinity): Rule =>
  (value) =>
    (typeof value === 'number' && value >= least && value <= most) || `a number from ${least} to ${most}`;

/** Accepts numbers from 1. */
export const atLeastOne: Rule = /* @__PURE__ */ numberFrom(1);

/** Accepts the integers from `least` to `most`. If `most` is Infinity, the rule also accepts Infinity. */
export const countFrom =
  (least: number, most = Infinity): Rule =>
  (value) =>
    ((Number.isInteger(value) || value === most) && numberFrom(least, most)(value, '') === true) ||
    `an integer from ${least} to ${most}`;

/** Accepts the integers from `least`. */
export const integerFrom =
  (least: number): Rule =>
  (value) =>
    (Number.isSafeInteger(value) && (value as number) >= least) || `an integer of at least ${least}`;

/** Accepts the integers from 1. */
export const positiveInteger: Rule = /* @__PURE__ */ integerFrom(1);

const shared = {
  anything,
  flag,
  text,
  callback,
  object,
  iterable,
  signal,
  atLeastOne,
  positiveInteger,
};
