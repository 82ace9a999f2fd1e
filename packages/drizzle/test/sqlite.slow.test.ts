import { getTableConfig } from 'drizzle-orm/sqlite-core';
import * as sqlite from '@eaas/drizzle/sqlite';
import { expect, test } from 'vitest';
import { outcomesIn } from './dialect.ts';
import { openSqlite } from './drivers.ts';
import { testMigrations } from './migrations.ts';
import { tables } from './tables.ts';

test('no operation of Drizzle on SQLite stores plaintext in an encrypted column', async () => {
  const { drizzle, sql } = await openSqlite();
  const outcomes = await outcomesIn({
    name: 'SQLite',
    plain: drizzle({ schema: tables.SQLite }),
    sql,
    dialect: { ...sqlite, getTableConfig },
  });
  await expect(outcomes).toMatchFileSnapshot('./outcomes/SQLite.json');
});

testMigrations('SQLite', ['generate', 'push'], openSqlite, sqlite.withEncryption);
