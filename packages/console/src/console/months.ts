// Calendar months in UTC, for the usage page and for the filter of the audit log.
import type { Output } from '@eaas/protocol/wire';

export type Month = Output<'GET /v1/usage'>;

export const operations = [
  ['key.wrap', 'Wraps'],
  ['key.unwrap', 'Unwraps'],
  ['encrypt', 'Server-mode encryptions'],
  ['decrypt', 'Server-mode decryptions'],
] as const satisfies readonly (readonly [keyof Month['operations'], string])[];

export function lastMonths(count: number, now = new Date()): string[] {
  return Array.from({ length: count }, (_, index) => {
    const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count + 1 + index);
    return new Date(first).toISOString().slice(0, 7);
  });
}

export function monthName(month: string): string {
  const format = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', format);
}

export const isUsed = ({ operations: counts }: Month): boolean =>
  Object.values(counts).some((count) => count > 0);

/** The months from the first that was used on, of months oldest first. Before it, the tenant may not have existed. */
export const sinceFirstUse = (months: readonly Month[]): readonly Month[] =>
  months.slice(months.findIndex(isUsed));

/** The first and the last moment of a month, in UTC. */
export function spanOf(month: string): { readonly date_from: string; readonly date_to: string } {
  const [year, number] = month.split('-').map(Number);
  const end = Date.UTC(year ?? 0, number ?? 0) - 1;
  return { date_from: `${month}-01T00:00:00.000Z`, date_to: new Date(end).toISOString() };
}
