import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { openExportFile } from './export-file.ts';

const line = (id: number): string => `${JSON.stringify({ id, tenant_id: 'ann', hash: 'ab' })}\n`;

test('if two exports write to one file, one of them stops, and the file has each entry once', async () => {
  const folder = await newDirectory();
  const path = join(folder, 'log.ndjson');
  const one = await openExportFile(path);
  await one.append(line(1));
  const two = await openExportFile(path);
  expect(two.last).toMatchObject({ id: 1 });
  await one.append(line(2));
  await expect(two.append(line(2))).rejects.toThrow('Another program writes to the file');
  await one.append(line(3));
  await Promise.all([one.close(), two.close()]);
  expect(await readFile(path, 'utf8')).toBe(line(1) + line(2) + line(3));
});
