import { inLine, nearestOf } from '@eaas/protocol/internal';
import { InvalidArgumentError } from 'commander';
import { parseTimestamp, type Permission, permissions } from '@eaas/protocol/wire';

export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Pass true or false.');
  return text === 'true';
}

/** Stands for null, which Commander cannot hold. */
const none = Symbol('null');

/** Parses the text `null` as null, and any other text with `parse`. */
export function orNull(parse: (text: string, before: unknown) => unknown) {
  return (text: string, before: unknown): unknown => (text === 'null' ? none : parse(text, before));
}

/** Returns the fields of the API that the options name, as `--key-ids` names `key_ids`. */
export function fieldsOf(options: object): Record<string, unknown> {
  const { tenant: _, json: __, ...given } = options as Record<string, unknown>;
  const fields = Object.entries(given).map(([name, value]) => {
    const field = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [field, value === none ? null : value];
  });
  return Object.fromEntries(fields) as Record<string, unknown>;
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('Pass a whole number that is not negative.');
}

export function daysTo(most: number) {
  return (text: string): number => {
    const days = wholeNumber(text);
    if (days <= most) return days;
    throw new InvalidArgumentError(`Pass a number of days from 0 to ${most}.`);
  };
}

export function moment(text: string): number {
  const value = parseTimestamp(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError('Pass a date with a time, as in 2026-08-11T09:30:00Z.');
}

export function list(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

export function permissionList(text: string): Permission[] {
  const names = list(text);
  if (names.join() === 'all') return [...permissions];
  return names.map((name) => {
    if (name === 'all')
      throw new InvalidArgumentError('"all" grants every permission: pass "all" without other permissions.');
    return permissionNamed(name, permissions, ', or all');
  });
}

export function permissionNamed<Name extends string>(
  name: string,
  permissions: readonly Name[],
  orElse = '',
): Name {
  const found = permissions.find((permission) => permission === name);
  if (found) return found;
  const nearest = nearestOf(permissions, name);
  const advice = nearest ? `Did you mean "${nearest}"?` : `Choose from ${permissions.join(', ')}${orElse}.`;
  throw new InvalidArgumentError(`"${inLine(name)}" is not a permission. ${advice}`);
}
