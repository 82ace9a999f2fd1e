// Encrypts the column `email` of the table `customers`, while two versions of an app write to it, as during a deploy.
// Requires a running server and its `.env` (`npm start`), and DATABASE_URL. Drops and creates `customers`.
import { inventory, migrate } from '@eaas/migrate';
import { EaasClient } from '@eaas/sdk';
import { checkConstraints, defineFields, field, plaintext } from '@eaas/sdk/fields';
import postgres from 'postgres';

const variables = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID', 'EAAS_INDEX_KEY', 'DATABASE_URL'];
const unset = variables.filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const sql = postgres(process.env.DATABASE_URL, { onnotice: () => {} });
const database = { query: (statement, values) => sql.unsafe(statement, values) };
const eaas = new EaasClient();
const index = process.env.EAAS_INDEX_KEY;
const fieldsWith = (options) =>
  defineFields({ customers: { email: field.text({ previous: plaintext(String, options) }).searchable() } });
// The first stage still writes plaintext, which the old version reads.
const stage1 = { client: eaas, index, fields: fieldsWith({ write: (email) => email }) };
const stage2 = { client: eaas, index, fields: fieldsWith({}) };

await sql`drop table if exists customers`;
await sql`create table customers (id bigint primary key, email text)`;
await sql`
  insert into customers select n, 'customer' || n || '@example.com'
  from generate_series(1, ${Number(process.env.ROWS ?? 2_000)}::int) as n`;

const write = async (id, row) => sql`update customers set ${sql(row)} where id = ${id}`;
const writeWith =
  ({ fields }, records = fields.for(eaas, { index })) =>
  async (id, row) =>
    write(id, await records.encryptRow('customers', id, row));
/** The versions that run now. They take turns. */
let running = [write];
let lastWrite = Promise.resolve();
const closing = new AbortController();
const traffic = (async () => {
  for (let turn = 0; !closing.signal.aborted; turn++) {
    lastWrite = running[turn % running.length](1 + (turn % 100), { email: `changed${turn}@example.com` });
    await lastWrite;
  }
})();
async function deploy(...versions) {
  running = versions;
  await lastWrite;
}

console.log('1. add the index column, and deploy stage 1 beside the old version');
await sql`alter table customers add column email_index text`;
await sql`create index on customers (email_index)`;
await deploy(write, writeWith(stage1));

console.log('2. when the old version has ended, fill the fingerprints');
await deploy(writeWith(stage1));
await migrate(database, 'customers', 'index', stage1);
console.log(`   ${(await inventory(database, 'customers', stage1)).next}`);

console.log('3. deploy stage 2 beside stage 1');
await deploy(writeWith(stage1), writeWith(stage2));

console.log('4. when stage 1 has ended, encrypt the old values, and let the database refuse plaintext');
await deploy(writeWith(stage2));
const { progress, left } = await migrate(database, 'customers', 'encrypt', stage2);
console.log(`   ${progress.seen} rows, ${progress.rewritten} encrypted, ${left.count} with plaintext left`);
closing.abort();
await traffic;
await sql.unsafe(checkConstraints(stage2.fields, 'customers'));
await sql.end();
