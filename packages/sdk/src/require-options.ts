import { InputError } from '@eaas/protocol';
import { nearestOf } from '@eaas/protocol/internal';

export type OptionNames<T> = { readonly [Name in keyof T]-?: true };

export function requireOptions<T>(known: OptionNames<T>, given: T, of: string): void {
  if (typeof given !== 'object' || given === null) {
    throw new InputError(`\`${of}\` takes an object of options (got ${kindOf(given)})`);
  }
  for (const name in given) {
    if (known[name] !== true && Object.hasOwn(given, name)) throw unknownOption(Object.keys(known), name, of);
  }
}

function unknownOption(known: readonly string[], name: string, of: string): InputError {
  const shown = name.slice(0, 64);
  const near = nearestOf(known, shown);
  const advice = near
    ? `did you mean \`${near}\`?`
    : `it takes ${known.map((option) => `\`${option}\``).join(', ')}`;
  return new InputError(`\`${of}\` has no option \`${shown}\`: ${advice}`);
}

/** The returned text never contains a string or bytes of the value. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  if (value instanceof Uint8Array) return `a Uint8Array of ${value.length} bytes`;
  const kind = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}
