import { limits } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { allPages } from './command.ts';

test('a list has each row once, even if rows are added in front of it between two pages', async () => {
  const ids = Array.from({ length: limits.pageMaximum + 2 }, (_, nth) => nth);
  let added = -1;
  const read = async ({ limit, offset }: { limit: number; offset: number }) => {
    const page = ids.slice(offset, offset + limit);
    ids.unshift(added--);
    return page;
  };
  const all = await allPages(read, String);
  expect(all).toEqual(Array.from({ length: limits.pageMaximum + 2 }, (_, nth) => nth));
});
