import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as libsql from 'drizzle-orm/libsql';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import * as sqlite from '@eaas/drizzle/sqlite';
import { expect, test } from 'vitest';
import { outcomesIn } from './dialect.ts';
import { requireDrivers } from './drivers.ts';
import { tables } from './tables.ts';

interface Driver {
  createClient(options: { url: string }): {
    execute(statement: string): Promise<{ rows: Record<string, string | null>[] }>;
    close(): void;
  };
}

test('no operation of Drizzle on SQLite stores plaintext in an encrypted column', async () => {
  const drivers = await requireDrivers();
  const { drizzle } = drivers('drizzle-orm/libsql') as typeof libsql;
  const driver = drivers('@libsql/client') as Driver;
  // Uses a file, because libsql opens the database again for a transaction and would lose a database in memory.
  const url = `file:${join(mkdtempSync(join(tmpdir(), 'eaas-drizzle-')), 'test.db')}`;
  const connection = driver.createClient({ url });
  const outcomes = await outcomesIn({
    name: 'SQLite',
    plain: drizzle(connection as never, { schema: tables.SQLite }),
    sql: async (statement) => (await connection.execute(statement)).rows,
    dialect: { ...sqlite, getTableConfig },
  });
  await expect(outcomes).toMatchFileSnapshot('./outcomes/SQLite.json');
  connection.close();
});
