import type { Rule } from './require-options.ts';

/** Accepts every value. Use this rule for options that other code checks. */
export const anything: Rule = () => true;

const kind =
  (expected: string): Rule =>
  (value) =>
    (value !== null && expected.endsWith(typeof value)) || expected;

export const flag: Rule = /* @__PURE__ */ kind('a boolean');
export const text: Rule = /* @__PURE__ */ kind('a string');
export const number: Rule = /* @__PURE__ */ kind('a number');
export const callback: Rule = /* @__PURE__ */ kind('a function');
export const object: Rule = /* @__PURE__ */ kind('an object');

export const list: Rule = (value) => Array.isArray(value) || 'an array';

export const iterable: Rule = (value) =>
  (typeof value === 'object' && value !== null && Symbol.iterator in value) || 'an array';

/** Accepts null or an object. Other code checks the members of the object. */
export const context: Rule = (value, name) => value === null || object(value, name);

/**
 * Accepts every value that has all methods in `names`. The error for another value says that `expected` was expected.
 */
export const having =
  (expected: string, ...names: readonly PropertyKey[]): Rule =>
  (value) =>
    names.every((name) => typeof Object(value)[name] === 'function') || expected;

export const signal: Rule = /* @__PURE__ */ having('an AbortSignal', 'addEventListener');

export const numberFrom =
  (least: number, most = Infinity): Rule =>
  (value) =>
    (typeof value === 'number' && value >= least && value <= most) || `a number from ${least} to ${most}`;

export const atLeastZero: Rule = /* @__PURE__ */ numberFrom(0);
export const atLeastOne: Rule = /* @__PURE__ */ numberFrom(1);

/** Accepts the integers from `least` to `most`. If `most` is Infinity, the rule also accepts Infinity. */
export const countFrom =
  (least: number, most = Infinity): Rule =>
  (value) =>
    ((Number.isInteger(value) || value === most) && numberFrom(least, most)(value, '') === true) ||
    `an integer from ${least} to ${most}`;

export const integerFrom =
  (least: number): Rule =>
  (value) =>
    (Number.isSafeInteger(value) && (value as number) >= least) || `an integer of at least ${least}`;

export const positiveInteger: Rule = /* @__PURE__ */ integerFrom(1);
