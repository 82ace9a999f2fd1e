import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as libsql from 'drizzle-orm/libsql';
import { getTableConfig, withReplicas } from 'drizzle-orm/sqlite-core';
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
  // Uses files, because libsql opens the database again for a transaction and would lose a database in memory.
  const folder = mkdtempSync(join(tmpdir(), 'eaas-drizzle-'));
  const open = (file: string) => {
    const connection = driver.createClient({ url: `file:${join(folder, file)}` });
    return {
      plain: drizzle(connection as never, { schema: tables.SQLite }),
      sql: async (statement: string) => (await connection.execute(statement)).rows,
      close: () => connection.close(),
    };
  };
  const [primary, lagging] = [open('test.db'), open('lagging.db')];
  const dialect = { ...sqlite, getTableConfig, withReplicas };
  const outcomes = await outcomesIn({ name: 'SQLite', ...primary, lagging, dialect });
  await expect(outcomes).toMatchFileSnapshot('./outcomes/SQLite.json');
  for (const each of [primary, lagging]) each.close();
});
