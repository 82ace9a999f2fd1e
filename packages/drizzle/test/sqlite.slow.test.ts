import { getTableConfig } from 'drizzle-orm/sqlite-core';
import * as sqlite from '@eaas/drizzle/sqlite';
import { expect, test } from 'vitest';
import { outcomesIn } from './dialect.ts';
import { openSqlite } from './drivers.ts';
import { testMigrations } from './migrations.ts';

test('no operation of Drizzle on SQLite stores plaintext in an encrypted column', async () => {
  const { drizzle, sql } = await openSqlite();
  const outcomes = await outcomesIn({
    name: 'SQLite',
    open: (schema) => drizzle({ schema }),
    sql,
    dialect: { ...sqlite, getTableConfig },
  });
  await expect(outcomes).toMatchFileSnapshot('./outcomes/SQLite.json');
});

testMigrations('SQLite', ['generate', 'push'], openSqlite, sqlite.withEncryption);
