import type { Output } from '@eaas/protocol/wire';

export type Month = Output<'GET /v1/usage'>;
export type CountedOperation = keyof Month['operations'];

export const operations: readonly CountedOperation[] = ['key.wrap', 'key.unwrap', 'encrypt', 'decrypt'];

export const operationNames: Readonly<Record<CountedOperation, string>> = {
  'key.wrap': 'Wraps',
  'key.unwrap': 'Unwraps',
  encrypt: 'Server-mode encryptions',
  decrypt: 'Server-mode decryptions',
};

export function lastMonths(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, index) => {
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count + 1 + index);
    return new Date(first).toISOString().slice(0, 7);
  });
}

export function monthName(month: string, style: 'long' | 'short' = 'long'): string {
  const format: Intl.DateTimeFormatOptions =
    style === 'long' ? { month: 'long', year: 'numeric' } : { month: 'short' };
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', { ...format, timeZone: 'UTC' });
}

export function totalOf({ operations: counts }: Month): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * Returns the highest bars first. Each bar begins at zero, so the chart must draw lower bars later, in front of higher
 * bars.
 */
export function stackedTops(months: readonly Month[]): { operation: CountedOperation; tops: number[] }[] {
  const sums = months.map(() => 0);
  return operations
    .map((operation) => ({
      operation,
      tops: months.map((month, index) => (sums[index] = (sums[index] ?? 0) + month.operations[operation])),
    }))
    .toReversed();
}

/** The distances between the ticks of the chart that uPlot can choose from. Counts have whole ticks only. */
export const tickSteps: number[] = Array.from({ length: 16 }, (_, exponent) =>
  [1, 2, 5].map((digit) => digit * 10 ** exponent),
).flat();

export function tickText(count: number): string {
  return count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}
