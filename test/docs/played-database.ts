import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import postgres from 'postgres';

/** Opens a PostgreSQL with the tables of the migration guide. */
export async function openPlayedDatabase() {
  const server = await OwnPostgres.start('installed', false);
  const sql = postgres({ ...server.connection('owner'), max: 1, onnotice: () => {} });
  await sql.unsafe(`
    create table users (id bigint primary key, email text);
    insert into users values (1, 'ada@example.com'), (2, 'grace@example.com'), (3, 'joan@example.com');
    create table members (id bigint primary key, email text, email_index text);
    insert into members select * from users;
    create table patients (id bigint primary key, email text, born date, notes jsonb,
      email_new text, email_index text, born_new text, notes_new text);
    insert into patients values
      (1, 'ada@example.com', '1815-12-10', '{"tags": ["vip"]}'),
      (2, 'grace@example.com', null, '{"tags": []}'),
      (3, 'joan@example.com', '1917-06-24', null)`);
  return {
    sql,
    async [Symbol.asyncDispose](): Promise<void> {
      await sql.end();
      await server.drop();
    },
  };
}
