// What a database would write otherwise than it was told is not written: the row stays, and fails.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { migrate, type SqlDatabase } from '@eaas/migrate';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { closing } from '@eaas/test-kit/closing';
import { startMariaDb } from '@eaas/test-kit/mariadb';
import { createClient } from '@eaas/test-kit/orms/client';
import { requireTools } from '@eaas/test-kit/tools';
import { defineFields, field, plaintext } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';

const load = createRequire(join(await requireTools('test/tools/drizzle'), 'index.js'));
const { eaas: client, index } = await createClient();
const searchable = field.text({ previous: plaintext() }).searchable({ normalize: ['lowercase'] });
const fields = defineFields({ members: { email: searchable } });
const encrypt = (database: SqlDatabase) => migrate(database, 'members', 'encrypt', { client, fields, index });
const stores = (...ids: readonly number[]) => ids.map((id) => ({ id, code: 'store' }));

test('SQLite: an index that replaces rows replaces none', async () => {
  const database = new (load('libsql'))(':memory:');
  const all = (text: string, values: readonly string[] = []) => database.prepare(text).all(...values);
  database.exec(`create table members (id int primary key not null, email text, email_index text unique on conflict replace);
    insert into members values (1, 'Ada', null), (2, 'ada', null)`);
  const result = await encrypt({ dialect: 'sqlite', query: all });
  expect(result).toMatchObject({ done: false, failures: stores(2) });
  expect(all('select email from members where id = 2')).toEqual([{ email: 'ada' }]);
  expect(all('select id from members')).toHaveLength(2);
});

whereAvailable('MariaDB', isInstalled('mariadbd', '/usr/sbin'), () => {
  test.each(['', 'STRICT_ALL_TABLES'])('MariaDB in the mode `%s`: no text is cut', async (mode) => {
    const { socket } = await closing(startMariaDb(), (it) => it.stop());
    const options = { socketPath: socket, user: 'root', database: 'test', connectionLimit: 1 };
    const pool = load('mysql2/promise').createPool(options);
    await closing(undefined, () => pool.end());
    await pool.query(`set sql_mode = '${mode}'`);
    await pool.query(
      'create table members (id int primary key, email text, email_index text) charset utf8mb4',
    );
    const long = 'é'.repeat(30_000);
    await pool.query('insert into members (id, email) values (1, ?), (2, ?)', ['short', long]);
    const query = (text: string, values: string[]) => pool.execute(text, values);
    const result = await encrypt({ dialect: 'mysql', query });
    expect(result).toMatchObject({ done: false, failures: stores(2), progress: { rewritten: 1 } });
    const [rows] = await pool.query('select email from members order by id');
    expect(rows).toEqual([{ email: expect.stringMatching(/^eaasA/) as string }, { email: long }]);
  });
});
