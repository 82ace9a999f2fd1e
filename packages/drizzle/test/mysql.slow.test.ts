import { getTableConfig } from 'drizzle-orm/mysql-core';
import * as mysql from '@eaas/drizzle/mysql';
import { expect, test } from 'vitest';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { outcomesIn } from './dialect.ts';
import { openMySql, openServer } from './drivers.ts';
import { testMigrations } from './migrations.ts';

whereAvailable('MariaDB', isInstalled('mariadbd', '/usr/sbin'), () => {
  test('no operation of Drizzle on MariaDB stores plaintext in an encrypted column', async () => {
    const server = await openServer();
    const { drizzle, sql } = await openMySql(server);
    const outcomes = await outcomesIn({
      name: 'MySQL',
      open: (schema) => drizzle({ schema, mode: 'planetscale' }),
      sql,
      dialect: { ...mysql, getTableConfig },
    });
    await expect(outcomes).toMatchFileSnapshot('./outcomes/MySQL.json');
  });

  const open = async () => openMySql(await openServer());
  // A second `push` fails on MariaDB also without Eaas.
  testMigrations('MySQL', ['generate'], open, mysql.withEncryption);
});
