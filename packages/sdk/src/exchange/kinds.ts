/**
 * A kind describes how to check that a JSON value has the type `T`:
 *
 * - `[kind]`: the value must be an array, and each item must have the kind in the brackets.
 * - `[kind, null]`: the value must be null or have the kind in the brackets.
 * - An object with kinds: the value must be an object with these members. Optional members of `T` are not checked.
 * - `text`: the value must be a string. For a union of strings, every string is accepted, because a newer service can
 *   add strings to the union.
 */
export type Kind<T> = null extends T
  ? readonly [Kind<NonNullable<T>>, null]
  : [T] extends [string]
    ? 'text' | 'hash' | 'name'
    : [T] extends [number]
      ? 'count'
      : [T] extends [boolean]
        ? 'truth'
        : T extends readonly (infer Item)[]
          ? readonly [Kind<Item>]
          : string extends keyof T
            ? 'object'
            : { readonly [Name in keyof T as undefined extends T[Name] ? never : Name]: Kind<T[Name]> };

export type AnyKind = keyof typeof checks | readonly [AnyKind] | readonly [AnyKind, null] | Members;
interface Members {
  readonly [name: string]: AnyKind;
}

const checks = {
  text: (value: unknown) => typeof value === 'string',
  hash: (value: unknown) => typeof value === 'string' && /^[\da-f]{64}$/.test(value),
  name: isName,
  count: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  truth: (value: unknown) => typeof value === 'boolean',
  object: isObject,
};

export function hasKind(value: unknown, kind: AnyKind): boolean {
  if (typeof kind === 'string') return checks[kind](value);
  if (isList(kind)) {
    if (kind.length === 2) return value === null || hasKind(value, kind[0]);
    return Array.isArray(value) && value.every((item) => hasKind(item, kind[0]));
  }
  if (!isObject(value)) return false;
  for (const name in kind) if (!hasKind(value[name], kind[name] as AnyKind)) return false;
  return true;
}

const isList = (kind: AnyKind): kind is readonly [AnyKind] | readonly [AnyKind, null] => Array.isArray(kind);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns whether a value is a valid code or request id. A text with an API key is not valid, because errors show codes
 * and request ids, and a faulty server could return the API key of the request.
 */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,64}$/.test(value) && !value.includes('eaas_sk_');
}
