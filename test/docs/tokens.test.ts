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
  for (const check of wanted) {
    expect(created).toContain(`check (${check.replaceAll(/"\w+"\."(\w+)"/g, '$1')})`);
  }
});

test('the picture of the terminal shows commands and outputs of the page', () => {
  const [, shown = ''] = /<desc[^>]*>(.*)<\/desc>/s.exec(read('docs/terminal.svg')) ?? [];
  const text = shown.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
  const commands = Array.from(text.matchAll(/^\$ ((?!#|sqlite3).*)/gm), ([, command = '']) => command);
  const outputs = Array.from(text.matchAll(/^\$ npx tsx .*\n(.*)/gm), ([, output = '']) => output);
  expect([commands.length, outputs.length]).toEqual([4, 2]);
  for (const line of [...commands, ...outputs]) expect(page).toContain(`\n${line}\n`);
});

test('both tables of the page are found', () => {
  expect(columns.map(({ table }) => table)).toEqual(['connectors', 'accounts']);
});
