// The page on tokens creates its tables by hand: they have the constraints that drizzle-kit would make.
import { getTableConfig, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import { encrypted, encryptedTable } from '@eaas/drizzle/sqlite';
import { read } from '@eaas/test-kit/markdown';
import { field } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';

const page = read('docs/start/tokens.md');
const definitions = Array.from(page.matchAll(/encryptedTable\(\s*'(\w+)'.*?^ *\}[,)]/gms));
const columns = definitions.flatMap(([definition, table = '']) =>
  Array.from(definition.matchAll(/(\w+): encrypted\(field\.text\(\)(\.searchable\(\))?/g), (found) => ({
    table,
    key: found[1] ?? '',
    isSearchable: found[2] !== undefined,
  })),
);

test.each(columns)('$table has the checks of $key', ({ table, key, isSearchable }) => {
  const text = field.text();
  const { checks } = getTableConfig(
    encryptedTable(table, { [key]: encrypted(isSearchable ? text.searchable() : text) }),
  );
  const [created = ''] = new RegExp(`create table if not exists ${table}[^\`]*`).exec(page) ?? [];
  const wanted = checks.map(({ value }) => new SQLiteSyncDialect().sqlToQuery(value).sql);
  expect(wanted).toHaveLength(isSearchable ? 2 : 1);
  for (const check of wanted)
    expect(created).toContain(`check (${check.replaceAll(/"\w+"\."(\w+)"/g, '$1')})`);
});

test('both tables of the page are found', () => {
  expect(columns.map(({ table }) => table)).toEqual(['connectors', 'accounts']);
});
