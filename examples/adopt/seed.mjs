// Fills the table of one of the four apps with 1,000 tokens (or ROWS): `seed.mjs connectors`. Needs OLD_KEY and DATABASE_URL.
import postgres from 'postgres';

const [app = ''] = process.argv.slice(2);
const apps = ['links', 'connectors', 'calendars', 'mailboxes'];
if (!apps.includes(app) || !process.env.OLD_KEY || !process.env.DATABASE_URL) {
  console.error(`name one of ${apps.join(', ')}, and set OLD_KEY and DATABASE_URL, as README.md says`);
  process.exit(2);
}
const { encrypt } = await import(`./${app}.mjs`);
const sql = postgres(process.env.DATABASE_URL, { onnotice: () => {} });
await sql`drop table if exists ${sql(app)}`;
await sql`create table ${sql(app)} (id int primary key, token text not null)`;
const rows = Array.from({ length: Number(process.env.ROWS ?? 1_000) }, (_, at) => ({
  id: at + 1,
  token: encrypt(`token ${at + 1}`),
}));
for (let first = 0; first < rows.length; first += 5_000) {
  await sql`insert into ${sql(app)} ${sql(rows.slice(first, first + 5_000))}`;
}
console.log(`${app}: ${rows.length} tokens, such as ${rows[0].token.slice(0, 24)}…`);
await sql.end();
