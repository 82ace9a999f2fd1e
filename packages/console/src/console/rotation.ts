// The intervals at which a key can rotate by itself, as choices and as words. One that the API set is offered too.
export const rotationOptions: readonly (readonly [string, string])[] = [
  ['', 'By hand only'],
  ['30', 'Every 30 days'],
  ['90', 'Every 90 days'],
  ['365', 'Every year'],
];

export function rotationOptionsWith(days: number | undefined): readonly (readonly [string, string])[] {
  const isOffered = days === undefined || rotationOptions.some(([value]) => value === String(days));
  return isOffered ? rotationOptions : [...rotationOptions, [String(days), rotationText(days)]];
}

export function rotationText(days: number | undefined): string {
  if (days === undefined) return 'By hand only';
  return days === 1 ? 'Every day' : `Every ${days.toLocaleString('en')} days`;
}
