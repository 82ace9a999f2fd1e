import { InvalidArgumentError } from 'commander';
import { parseTimestamp } from '@eaas/protocol/wire';

// What the values of options mean. Each throws what commander turns into wrong usage.

export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('Say true or false.');
  return text === 'true';
}

/** A quota: `null` is unlimited. Kept as the word, because commander takes a null for a missing value. */
export function numberOrNull(text: string): number | 'null' {
  return text === 'null' ? text : wholeNumber(text);
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('Give a whole number.');
  }
  return value;
}

/** Milliseconds since 1970. */
export function moment(text: string): number {
  const value = parseTimestamp(text);
  if (value === undefined)
    throw new InvalidArgumentError('Give a date with a time, as in 2026-08-11T09:30:00Z.');
  return value;
}

/** What stands between commas. */
export function list(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}
