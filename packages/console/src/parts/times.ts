const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function phrase(milliseconds: number): string {
  for (const [unit, size] of units)
    if (Math.abs(milliseconds) >= size) return relative.format(Math.trunc(milliseconds / size), unit);
  return '';
}

export function ago(time: Date, now = Date.now()): string {
  return phrase(time.getTime() - now) || 'just now';
}

export function until(time: Date, now = Date.now()): string {
  return phrase(time.getTime() - now) || 'in less than a minute';
}

export function clockTime(time: string): string {
  return new Date(time).toLocaleTimeString('en-GB');
}

export function dateTime(time: string): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}
