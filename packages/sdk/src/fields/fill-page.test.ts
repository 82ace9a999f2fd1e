import { describe, expect, test, vi } from 'vitest';
import { range } from '../../test/observed-client.ts';
import { fillPage } from './fields.ts';

interface Candidate {
  readonly id: number;
  readonly isMatch: boolean;
}

/** A table of as many rows, of which every third matches, and what was asked for. */
function tableOf(length: number) {
  const table = range(length).map((id): Candidate => ({ id, isMatch: id % 3 === 0 }));
  const read = vi.fn(async (after: number | undefined, count: number): Promise<Candidate[]> => {
    return table.filter(({ id }) => id > (after ?? -1)).slice(0, count);
  });
  const keep = (candidates: readonly Candidate[]) => candidates.filter(({ isMatch }) => isMatch);
  return { read, keep, cursorOf: ({ id }: Candidate) => id };
}

const idsOf = ({ rows }: { rows: readonly Candidate[] }) => rows.map(({ id }) => id);

describe('fillPage', () => {
  test('finds every match once, however many rows and whatever the size', async () => {
    for (const [length, size] of range(25).flatMap((length) =>
      range(6).map((n) => [length, n + 1] as const),
    )) {
      const table = tableOf(length);
      const found: number[] = [];
      const short: number[] = [];
      let after: number | undefined;
      do {
        const page = await fillPage({ size, after, ...table });
        if (page.rows.length < size) short.push(page.next ?? -1);
        found.push(...idsOf(page));
        after = page.next;
      } while (after !== undefined);
      expect(found).toEqual(range(length).filter((id) => id % 3 === 0));
      expect(short.filter((next) => next !== -1)).toEqual([]);
    }
  });

  test('ends early after `most` candidates, and the next page goes on behind them', async () => {
    const table = tableOf(100);
    const none = { size: 10, ...table, keep: () => [] };
    expect(await fillPage({ ...none, after: undefined })).toEqual({ rows: [], next: 99 });
    table.read.mockClear();
    expect(await fillPage({ ...none, after: 4, most: 25 })).toEqual({ rows: [], next: 29 });
    expect(table.read.mock.calls.map(([, count]) => count)).toEqual([10, 10, 5]);
  });

  test.each<[string, object, string]>([
    ['no row', { size: 0 }, '`size` of `fillPage` must be an integer of at least 1 (got 0)'],
    ['a query without a limit', { read: async () => [1, 2, 3] }, 'at most 2 rows (got 3): limit the query'],
    ['a query that forgets `after`', { read: async () => [1, 2] }, 'got one place twice'],
    ['a promise', { keep: async () => [] }, 'the result of `keep` must be an array (got a Promise)'],
  ])('refuses %s', async (_, wrong, message) => {
    const none = { keep: () => [], cursorOf: (row: unknown) => row, read: async () => [8, 9] };
    const filling = fillPage({ size: 2, after: undefined, ...none, ...wrong });
    await expect(filling).rejects.toMatchObject({
      name: 'InputError',
      message: expect.stringContaining(message),
    });
  });
});
