// The times of the wire: reads every valid RFC 3339 time, and writes one form of it.
const rfc3339 =
  /^(\d{4}-\d\d-(\d\d))T((?:[01]\d|2[0-3]):[0-5]\d):([0-5]\d|60)(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Parses an RFC 3339 date and time to milliseconds since 1970. A fraction of a millisecond is rounded in the direction
 * `finer`. Returns undefined for other text.
 */
export function parseTimestamp(text: string, finer: 'down' | 'up' = 'down'): number | undefined {
  const [, date = '', day, minute = '', second, fraction = '', offset = ''] = rfc3339.exec(text) ?? [];
  // Refuses a day that does not exist, such as 31 April, because `Date` would move the day into the next
  // month.
  if (new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return undefined;
  const whole = Date.parse(`${date}T${minute}${offset.toUpperCase()}`) + Number(second) * 1_000;
  if (second === '60' && !isStartOfMonth(whole)) return undefined;
  const up = finer === 'up' && /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  return whole + Number(fraction.slice(0, 3).padEnd(3, '0')) + up;
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
