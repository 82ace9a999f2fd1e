import { defineFields, field, type FieldsClient, part, unencrypted } from '@eaas/sdk/fields';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import postgres from 'postgres';

/** Opens a PostgreSQL with the tables of the pages about tables that have data. */
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
    /** Replaces the table `patients` by one whose column has the given texts. */
    async fillSsns(ssns: readonly (string | null)[]): Promise<void> {
      await sql`drop table patients`;
      await sql`create table patients (id int primary key, ssn text, ssn_index text)`;
      for (const [at, ssn] of ssns.entries()) await sql`insert into patients values (${at + 1}, ${ssn})`;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await sql.end();
      await server.drop();
    },
  };
}

const count = 200;
/** The names of 200 people: as in the list of the page, except that Zoe is more frequent than Emma. */
const names = Object.entries({ Mary: 104, Anna: 54, John: 26, Emma: 7, Zoe: 9 }).flatMap(([name, of]) =>
  Array.from({ length: of }, () => name),
);

/** Fills the sample table of the page about leakage: names, and months of birth from 1950 to 1989. */
export async function fillPeople(sql: postgres.Sql, client: FieldsClient, index: string): Promise<void> {
  const fields = defineFields({
    people: {
      lowEntropy: 'accepted',
      ...unencrypted('id', 'true_name', 'true_month'),
      name: field.text().searchable(),
      born: field.date().searchableBy({ month: part.months() }),
    },
  });
  const rows = Array.from({ length: count }, (_, at) => {
    const month = (at * 137) % 480;
    const born = new Date(Date.UTC(1950, month, 1 + (at % 28)));
    const name = names[at] ?? '';
    return { id: at, name, born, true_name: name, true_month: born.toISOString().slice(0, 7) };
  });
  const stored = await fields.for(client, { index }).encryptRows('people', rows, ({ id }) => id);
  await sql`
    create table people (id int primary key, name text, name_index text, born text, born_month_index text,
      true_name text, true_month text)`;
  await sql`insert into people ${sql(stored as never[])}`;
}
