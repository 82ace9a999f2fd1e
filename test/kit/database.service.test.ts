import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openPool } from '../../packages/server/src/postgres/sql.ts';
import { createDatabase, type TestDatabase } from './database.ts';

const template = {
  name: 'template_of_database_test',
  prepared: 0,
  async prepare({ connection }: Pick<TestDatabase, 'connection'>) {
    template.prepared += 1;
    const sql = postgres(connection('owner'));
    await sql`create table note (text text not null)`;
    await sql`grant select on note to eaas_server`;
    await sql`insert into note values ('from the template')`;
    await sql.end();
  },
};

test('databases that are copied from one template are independent', async () => {
  const [one, two] = await Promise.all([createDatabase(template), createDatabase(template)]);
  onTestFinished(() => Promise.all([one.drop(), two.drop()]).then(() => undefined));
  const owner = postgres(one.connection('owner'));
  await owner`insert into note values ('of one only')`;
  await owner.end();
  const server = openPool(two.url('server'), 1);
  expect([...(await server`select text, current_user::text as role from note`)]).toEqual([
    { text: 'from the template', role: 'eaas_server' },
  ]);
  await server.end();
  expect(template.prepared).toBe(1);
});
