import { getTableConfig, withReplicas } from 'drizzle-orm/sqlite-core';
import * as sqlite from '@eaas/drizzle/sqlite';
import { expect, test } from 'vitest';
import { outcomesIn } from './dialect.ts';
import { openSqlite } from './drivers.ts';
import { testMigrations } from './migrations.ts';
import { tables } from './tables.ts';

test('no operation of Drizzle on SQLite stores plaintext in an encrypted column', async () => {
  const [{ drizzle, sql }, lagging] = [await openSqlite(), await openSqlite()];
  const outcomes = await outcomesIn({
    name: 'SQLite',
    plain: drizzle({ schema: tables.SQLite }),
    sql,
    lagging,
    dialect: { ...sqlite, getTableConfig, withReplicas },
  });
  await expect(outcomes).toMatchFileSnapshot('./outcomes/SQLite.json');
});

testMigrations('SQLite', ['generate', 'push'], openSqlite, sqlite.withEncryption);
