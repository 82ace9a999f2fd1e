import type * as mysql2 from 'drizzle-orm/mysql2';
import { encrypted } from '@eaas/drizzle/mysql';
import { migrate } from '@eaas/migrate';
import { expect, test } from 'vitest';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { createClient } from '@eaas/test-kit/orms/client';
import { requireDrivers } from './drivers.ts';
import { expectExisting, tableOfMembers } from './existing.ts';
import { startMariaDb } from './mariadb.ts';
import { outcomesOf, promisedTo } from './matrix.ts';
import { expectParts, tableOfPeople } from './parts.ts';
import { members, mysqlTables, notes, people } from './mysql.ts';
import { expectSubjects, tableOfNotes } from './subjects.ts';
import type { Place } from './place.ts';

interface Driver {
  query(statement: string): Promise<[Record<string, string | null>[]]>;
  end(): Promise<void>;
}

whereAvailable('MariaDB', isInstalled('mariadbd', '/usr/sbin'), () => {
  test('no operation of Drizzle on MariaDB stores plaintext in an encrypted column', async () => {
    const drivers = await requireDrivers();
    const server = await startMariaDb();
    const mysql = drivers('mysql2/promise') as { createPool(options: object): Driver };
    const { drizzle } = drivers('drizzle-orm/mysql2') as typeof mysql2;
    const pool = mysql.createPool({ socketPath: server.socket, user: 'root', database: 'test' });
    await pool.query(`create table samples (
      id varchar(36) primary key, city varchar(100), code mediumtext, code_index varchar(64) unique,
      text mediumtext, text_index varchar(64), note mediumtext, number mediumtext, number_index varchar(64),
      \`bigint\` mediumtext, bigint_index varchar(64), \`boolean\` mediumtext, boolean_index varchar(64),
      date mediumtext, date_index varchar(64), bytes mediumtext, json mediumtext
    )`);
    await pool.query(
      'create table children (id varchar(36) primary key, parent_id varchar(36), remark varchar(100))',
    );
    const { eaas, index } = await createClient();
    const plain = drizzle(pool as never, { schema: mysqlTables, mode: 'planetscale' });
    const db = encrypted(plain, eaas, { index });
    const place = { db, ...mysqlTables, raw: async (statement: never) => db.execute(statement) };
    const outcomes = await outcomesOf({
      name: 'MySQL',
      place: place as unknown as Place,
      sql: async (statement) => (await pool.query(statement))[0],
    });
    await pool.query(tableOfPeople('varchar(36)', 'mediumtext'));
    const stored = async () => (await pool.query('select * from people order by id'))[0];
    await expectParts(place.db as never, people as never, stored);
    await pool.query(tableOfNotes('varchar(36)', 'mediumtext'));
    const ofNotes = async () => (await pool.query('select * from notes order by id'))[0];
    await expectSubjects(place.db as never, { notes, people } as never, eaas, ofNotes);
    const table = tableOfMembers('varchar(36)', 'mediumtext', 'varchar(64)');
    await pool.query(`${table} character set utf8mb4`);
    await expectExisting({
      plain,
      method: 'execute',
      sql: async (statement) => pool.query(statement),
      stored: async () => (await pool.query('select * from members order by id'))[0],
      opened: async () => (await db.select().from(members)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      rotate: () => eaas.keys.rotate({ key_id: String(eaas.keyId) }),
      migrate: (database, mode) =>
        migrate(encrypted(database, eaas, { index }), members, mode, { client: eaas, pageSize: 3 }),
    });
    await pool.end();
    await server.stop();
    expect(outcomes).toEqual(promisedTo('MySQL'));
  });
});
