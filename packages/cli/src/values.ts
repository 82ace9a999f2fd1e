// How commands parse what a person types for an option.
import { inLine, nearestOf } from '@eaas/protocol/internal';
import { InvalidArgumentError } from 'commander';
import { parseTimestamp, type Permission, permissions } from '@eaas/protocol/wire';

/** Makes a parser of what reads a text, or returns undefined. */
export function parsed<T>(what: string, read: (text: string) => T | undefined) {
  return (text: string): T => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`Pass ${what}.`);
  };
}

export const trueOrFalse = parsed('true or false', (text) =>
  /^(?:true|false)$/.test(text) ? text === 'true' : undefined,
);

/** Stands for null, which Commander cannot hold. */
const none = Symbol('null');

/** Parses the text `null` as null, and any other text with `parse`. */
export function orNull(parse: (text: string, before: unknown) => unknown) {
  return (text: string, before: unknown): unknown => (text === 'null' ? none : parse(text, before));
}

/** Returns the fields of the API that the options name, as `--key-ids` names `key_ids`. */
export function fieldsOf(options: object): Record<string, unknown> {
  const { tenant: _, json: __, remote: ___, ...given } = options as Record<string, unknown>;
  const fields = Object.entries(given).map(([name, value]) => [fieldOf(name), value === none ? null : value]);
  return Object.fromEntries(fields) as Record<string, unknown>;
}

export const fieldOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const wholeIn = (text: string): number | undefined =>
  /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;

export const wholeNumber = parsed('a whole number that is not negative', wholeIn);

export const daysTo = (most: number) =>
  parsed(`a number of days from 0 to ${most}`, (text) => {
    const days = wholeIn(text);
    return days !== undefined && days <= most ? days : undefined;
  });

export const moment = parsed('a date with a time, as in 2026-08-11T09:30:00Z', parseTimestamp);

/** Parses a day, such as 2026-07-01, as a time of it in UTC. */
export const dayAt = (time: string) =>
  parsed('a day, such as 2026-07-01', (text) => {
    const moment = parseTimestamp(`${text}T${time}Z`);
    return moment === undefined ? undefined : new Date(moment);
  });

/** Parses a month, such as 2026-10, as its first moment and that of the next one. */
export const month = parsed('a month, as in 2026-10', (text) => {
  const since = parseTimestamp(`${text}-01T00:00:00Z`);
  if (since === undefined) return undefined;
  return { since, until: new Date(since).setUTCMonth(new Date(since).getUTCMonth() + 1) };
});

export function list(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

/** Parses a list of some of the names. */
export function someOf(names: readonly string[]) {
  return (text: string): string[] =>
    list(text).map((name) => {
      if (names.includes(name)) return name;
      const nearest = nearestOf(names, name);
      const advice = nearest ? `Did you mean "${nearest}"?` : `Choose from ${names.join(', ')}.`;
      throw new InvalidArgumentError(`"${inLine(name)}" does not exist. ${advice}`);
    });
}

export function permissionList(text: string): Permission[] {
  if (text.trim() === 'all') return [...permissions];
  if (!list(text).includes('all')) return someOf(permissions)(text) as Permission[];
  throw new InvalidArgumentError('"all" grants every permission: pass "all" without other permissions.');
}
