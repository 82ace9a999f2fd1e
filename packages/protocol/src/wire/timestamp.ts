// The times of the wire: reads every valid RFC 3339 time, and writes one form of it.
const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Parses an RFC 3339 date and time to milliseconds since 1970. A fraction of a millisecond is rounded in the direction
 * `finer`. Returns undefined for other text.
 */
export function parseTimestamp(text: string, finer: 'down' | 'up' = 'down'): number | undefined {
  const parts = rfc3339.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const fraction = (parts[7] ?? '').padEnd(3, '0');
  const [offsetHour, offsetMinute] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // Refuses a day that does not exist, such as 31 April, because `Date` would move the day into the next
  // month.
  if (date.getUTCMonth() !== month - 1) return undefined;
  const offset = (parts[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const whole = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000;
  if (second === 60 && !isStartOfMonth(whole)) return undefined;
  const up = finer === 'up' && /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  return whole + Number(fraction.slice(0, 3)) + up;
}

/** A leap second can only be the last second of a month in UTC. It is parsed as the first second of the next month. */
function isStartOfMonth(time: number): boolean {
  return new Date(time).toISOString().endsWith('-01T00:00:00.000Z');
}

const earliest = Date.parse('0000-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Formats a time in RFC 3339, in UTC with milliseconds and `Z`. A time before the year 0 or after the year 9999 becomes
 * the nearest valid time.
 */
export function formatTimestamp(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, earliest), latest)).toISOString();
}
