import { inLine, nearestOf } from '@eaas/protocol/internal';
import { InvalidArgumentError } from 'commander';
import { parseTimestamp, type Permission, permissions } from '@eaas/protocol/wire';

export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Pass true or false.');
  return text === 'true';
}

/** Returns the text `null` for an unlimited quota, because Commander replaces null by an empty text. */
export function numberOrNull(text: string): number | 'null' {
  return text === 'null' ? text : wholeNumber(text);
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

/** As `list`, or the text `null` for none. */
export function listOrNull(text: string): string[] | 'null' {
  return text === 'null' ? text : list(text);
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
