const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Milliseconds since 1970 of an RFC 3339 date and time, or undefined where it is none. What is finer than a
 * millisecond goes down, or up when asked.
 */
export function parseTimestamp(text: string, finer: 'down' | 'up' = 'down'): number | undefined {
  const parts = rfc3339.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as Six;
  const fraction = (parts[7] ?? '').padEnd(3, '0');
  const [offsetHour, offsetMinute] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have is one of another month.
  if (date.getUTCMonth() !== month - 1) return undefined;
  const offset = (parts[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const whole = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000;
  const up = finer === 'up' && /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  return whole + Number(fraction.slice(0, 3)) + up;
}

type Six = [number, number, number, number, number, number];

// The years that RFC 3339 can spell: 0000 to 9999.
const earliest = Date.parse('0000-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** RFC 3339 in UTC with milliseconds and `Z`, as the service writes every time. Beyond its years: the nearest it has. */
export function formatTimestamp(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, earliest), latest)).toISOString();
}
