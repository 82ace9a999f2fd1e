import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { reasons } from './report.ts';

test('docs/api-contract.md lists exactly the reasons of findings', async () => {
  const page = await readFile(new URL('../../../../../docs/api-contract.md', import.meta.url), 'utf8');
  const section = page.slice(
    page.indexOf('A `reason` is one of'),
    page.indexOf('- A log that was tampered with'),
  );
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const listed = rows.join('').match(/(?<=`)[a-z_]+(?=`)/g);
  expect(listed?.toSorted()).toEqual([...reasons].toSorted());
});
