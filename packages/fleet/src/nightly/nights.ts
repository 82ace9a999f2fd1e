import type { RowRange } from '@eaas/server/internal';

/** The nightly verification reads every part of a log again within 30 nights. */
export const nights = 30;

const blockSize = 10_000;

export interface Nights {
  readonly tenantId: string;
  /**
   * The night of the last verification, as a number of days since 1970. An interrupted verification stores the previous
   * night, so that it runs again.
   */
  readonly since: number;
  readonly tonight: number;
}

/**
 * Returns whether a part of a tenant's log is verified tonight. The night of a part depends only on the tenant's id and
 * the number of the part. An attacker who changes entries therefore cannot postpone their verification.
 */
export function isDue({ tenantId, since, tonight }: Nights, part: number): boolean {
  // `offset` differs from tenant to tenant. With the same offset, all logs that have only one part would be verified in
  // the same night.
  const offset = Number.parseInt(tenantId.slice(0, 8), 16);
  const waits = (((part + offset - since - 1) % nights) + nights) % nights;
  return waits < tonight - since;
}

export interface Block {
  readonly first: number;
  readonly last: number;
}

/**
 * Block boundaries never move when the log grows. Every entry therefore stays in one block, which is verified within 30
 * nights.
 */
export function* dueBlocks(which: Nights, { first, last }: Block): Generator<Block> {
  for (let block = Math.floor((first - 1) / blockSize); block * blockSize < last; block++) {
    if (!isDue(which, block)) continue;
    const start = block * blockSize + 1;
    yield { first: Math.max(first, start), last: Math.min(last, start + blockSize - 1) };
  }
}

/**
 * Yields the ranges of row ids that are verified tonight. All possible ids are divided into 30 ranges of the same size.
 * Row ids are random, so each range has about a thirtieth of the rows.
 */
export function* dueRows(which: Nights): Generator<RowRange> {
  for (let part = 0; part < nights; part++) {
    if (isDue(which, part)) yield { after: startOf(part), through: startOf(part + 1) };
  }
}

function startOf(part: number): string {
  const start = Math.floor((part * 2 ** 32) / nights);
  if (part === nights) return 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  return `${start.toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`;
}
