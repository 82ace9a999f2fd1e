import { createRequire } from 'node:module';
import { join } from 'node:path';
import { migrate } from '@eaas/migrate';
import { createClient } from '@eaas/test-kit/orms/client';
import { requireTools } from '@eaas/test-kit/tools';
import { defineFields, field, plaintext } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';

interface Driver {
  createClient(options: { url: string }): {
    execute(statement: string | object): Promise<{ rows: object[] }>;
  };
}

test.each([
  ['id text primary key, email text, email_index text', true],
  ['id int not null unique, email text, email_index text', true],
  ['id primary key, email text, email_index text', false],
  ['id blob primary key, email text, email_index text', false],
  ['id int not null, email text, email_index text', false],
  ['id int not null, email text, email_index text, unique (id, email)', false],
])('a table of SQLite with `%s` has ids to page by: %s', async (columns, isUnique) => {
  const load = createRequire(join(await requireTools('test/tools/drizzle'), 'index.js'));
  const connection = (load('@libsql/client') as Driver).createClient({ url: ':memory:' });
  await connection.execute(`create table members (${columns})`);
  const { eaas, index } = await createClient();
  const fields = defineFields({ members: { email: field.text({ previous: plaintext() }).searchable() } });
  const query = async (sql: string, args: string[]) => connection.execute({ sql, args });
  const run = migrate({ dialect: 'sqlite', query }, 'members', 'encrypt', { client: eaas, fields, index });
  const outcome = await run.then(
    ({ done }) => String(done),
    (error: Error) => error.message,
  );
  expect(outcome).toMatch(isUnique ? 'true' : 'the column `members.id` must be unique and not null');
});
