import { expect, test } from 'vitest';
import { read, tablesOf } from '@eaas/test-kit/markdown';
import { reasons } from './report.ts';

test('docs/api-contract.md lists every reason that a finding can have, and no other', () => {
  const table = tablesOf(read('docs/api-contract.md')).find(({ head }) => head[1] === 'reasons');
  const listed = table?.rows
    .flat()
    .join()
    .match(/(?<=`)[a-z_]+(?=`)/g);
  expect(listed?.toSorted()).toEqual([...reasons].toSorted());
});
