import { eaas } from '@eaas/test-kit/played-service';
import { read } from '@eaas/test-kit/markdown';
import { expect, test } from 'vitest';
import { leakageTable, measureLeakage, publicList } from '../../packages/migrate/src/leakage.ts';
import { createIndexKey } from '../../packages/sdk/src/fields/fields.ts';
import { fillPeople, openPlayedDatabase } from './played-database.ts';

test('the page about leakage shows what the command prints for its table', async () => {
  const page = read('packages/migrate/docs/leakage.md');
  const block = (start: string) => page.match(new RegExp(`${start}(.*?)\n\`\`\``, 's'))?.[1] ?? '';
  await using database = await openPlayedDatabase();
  const { sql } = database;
  await fillPeople(sql, eaas, await createIndexKey(eaas));
  const query = (statement: string, values: string[]) => sql.unsafe(statement, values);
  const report = await measureLeakage({ query }, 'people', {
    lists: { name_index: publicList(block('```csv\n')) },
  });
  expect(leakageTable(report)).toBe(`people: ${block('\npeople: ')}`);
  expect(report.columns[0]?.guessed).toBe(200);
});
