import type * as mysql2 from 'drizzle-orm/mysql2';
import { getTableConfig, withReplicas } from 'drizzle-orm/mysql-core';
import * as mysql from '@eaas/drizzle/mysql';
import { expect, test } from 'vitest';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { outcomesIn } from './dialect.ts';
import { requireDrivers } from './drivers.ts';
import { startMariaDb } from './mariadb.ts';
import { tables } from './tables.ts';

interface Driver {
  query(statement: string): Promise<[Record<string, string | null>[]]>;
  end(): Promise<void>;
}

whereAvailable('MariaDB', isInstalled('mariadbd', '/usr/sbin'), () => {
  test('no operation of Drizzle on MariaDB stores plaintext in an encrypted column', async () => {
    const drivers = await requireDrivers();
    const server = await startMariaDb();
    const driver = drivers('mysql2/promise') as { createPool(options: object): Driver };
    const { drizzle } = drivers('drizzle-orm/mysql2') as typeof mysql2;
    const open = (database: string) => {
      const pool = driver.createPool({ socketPath: server.socket, user: 'root', database });
      return {
        plain: drizzle(pool as never, { schema: tables.MySQL, mode: 'planetscale' }),
        sql: async (statement: string) => (await pool.query(statement))[0],
        close: () => pool.end(),
      };
    };
    const [primary, lagging] = [open('test'), open('lagging')];
    try {
      await primary.sql('create database lagging');
      const dialect = { ...mysql, getTableConfig, withReplicas };
      const outcomes = await outcomesIn({ name: 'MySQL', ...primary, lagging, dialect });
      await expect(outcomes).toMatchFileSnapshot('./outcomes/MySQL.json');
    } finally {
      for (const each of [primary, lagging]) await each.close();
      await server.stop();
    }
  });
});
