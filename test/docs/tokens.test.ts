// The page on tokens creates its tables by hand: their constraints refuse what the indexes that drizzle-kit would make refuse.
import { sql } from 'drizzle-orm';
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
  const { indexes } = getTableConfig(
    encryptedTable(table, { [key]: encrypted(isSearchable ? text.searchable() : text) }),
  );
  const [created = ''] = new RegExp(`create table if not exists ${table}[^\`]*`).exec(page) ?? [];
  const wanted = indexes.map(({ config: { where = sql`` } }) => {
    const text = new SQLiteSyncDialect().sqlToQuery(where).sql;
    return /case when not \((.*)\) then/.exec(text)?.[1] ?? '';
  });
  expect(wanted).toHaveLength(isSearchable ? 2 : 1);
  for (const check of wanted)
    expect(created).toContain(`check (${check.replaceAll(/"\w+"\."(\w+)"/g, '$1')})`);
});

test('both tables of the page are found', () => {
  expect(columns.map(({ table }) => table)).toEqual(['connectors', 'accounts']);
});
