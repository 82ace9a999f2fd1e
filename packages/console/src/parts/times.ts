// Times in words and in the clock of the user.
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** How far a time is from now, in words: "3 hours ago", or "in 3 months". */
export function fromNow(time: Date, now = Date.now()): string {
  const away = time.getTime() - now;
  for (const [unit, size] of units) {
    if (Math.abs(away) >= size) return relative.format(Math.trunc(away / size), unit);
  }
  return away > 0 ? 'in less than a minute' : 'just now';
}

export function clockTime(time: string): string {
  return new Date(time).toLocaleTimeString('en-GB');
}

export function dateTime(time: string): string {
  return new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}
