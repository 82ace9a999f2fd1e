import { limits } from '@eaas/protocol/wire';
import { expect, test, vi } from 'vitest';
import { allPages } from './command.ts';

test('a service that repeats a page for ever ends no list late', async () => {
  const page = Array.from({ length: limits.pageMaximum }, (_, nth) => ({ id: nth }));
  const read = vi.fn(async () => page);
  expect(await allPages(read, 'id')).toEqual(page);
  expect(read).toHaveBeenCalledTimes(2);
});

test('a list has each row once, even if rows are added in front of it between two pages', async () => {
  const rows = Array.from({ length: limits.pageMaximum + 2 }, (_, nth) => ({ id: nth }));
  let added = -1;
  const read = async ({ limit, offset }: { limit: number; offset: number }) => {
    const page = rows.slice(offset, offset + limit);
    rows.unshift({ id: added-- });
    return page;
  };
  const all = await allPages(read, 'id');
  expect(all).toEqual(Array.from({ length: limits.pageMaximum + 2 }, (_, nth) => ({ id: nth })));
});
