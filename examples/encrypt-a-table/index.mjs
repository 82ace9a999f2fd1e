// Encrypts the table `customers` while an app writes to it. The steps: add encrypted columns, let the app write
// plaintext and ciphertexts, encrypt the old rows, check, let the app use only ciphertexts, and drop the plaintext.
// Requires a running server and its `.env` (`npm start`), and DATABASE_URL. Drops and creates `customers`.
import { migrate } from '@eaas/migrate';
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
const eaas = new EaasClient();
const fields = defineFields({
  customers: {
    email: field.text({ previous: plaintext() }).searchable({ normalize: ['trim', 'lowercase'] }),
    born: field.date({ previous: plaintext((stored) => new Date(stored)) }),
  },
});
const records = fields.for(eaas, { index: process.env.EAAS_INDEX_KEY });

await sql`drop table if exists customers`;
await sql`create table customers (id bigint primary key, email text, born date)`;
await sql`
  insert into customers select n, 'customer' || n || '@example.com', date '1950-01-01' + n::int
  from generate_series(1, ${Number(process.env.ROWS ?? 2_000)}::int) as n`;

/** Encrypts a row. Returns the ciphertexts and the fingerprint under the names of the new columns. */
async function newColumns(id, { email, born }) {
  const row = { email, born: born === null ? null : new Date(born) };
  const stored = await records.encryptRow('customers', id, row);
  return { email_new: stored.email, email_index: stored.email_index, born_new: stored.born };
}

// `app` simulates the deployed version of the application.
const versions = {
  plaintext: async (id, values) => sql`update customers set ${sql(values)} where id = ${id}`,
  both: async (id, values) =>
    sql`update customers set ${sql({ ...values, ...(await newColumns(id, values)) })} where id = ${id}`,
  encrypted: async (id, values) =>
    sql`update customers set ${sql(await newColumns(id, values))} where id = ${id}`,
};
let app = versions.plaintext;
let lastWrite = Promise.resolve();
const closing = new AbortController();
const traffic = (async () => {
  for (let turn = 0; !closing.signal.aborted; turn++) {
    lastWrite = app(1 + (turn % 100), { email: `changed${turn}@example.com`, born: '1815-12-10' });
    await lastWrite;
  }
})();
/** Starts a new version of the app, and waits until the old version has ended. */
async function deploy(version) {
  app = version;
  await lastWrite;
}

console.log('1. add the encrypted columns');
await sql`
  alter table customers add column email_new text, add column email_index text, add column born_new text`;
await sql`create index on customers (email_index)`;

console.log('2. deploy the version that writes both');
await deploy(versions.both);

console.log('3. copy the old rows, encrypt them, and look for plaintext that is left');
await sql`
  update customers set email_new = email, born_new = born::text where email_new is null and born_new is null`;
const database = { query: (statement, values) => sql.unsafe(statement, values) };
const { done, progress, left, failures } = await migrate(database, 'customers', 'encrypt', {
  client: eaas,
  fields,
  index: process.env.EAAS_INDEX_KEY,
  columns: { email: 'email_new', born: 'born_new' },
  pageSize: 100,
});
console.log(`   ${progress.seen} rows, ${progress.rewritten} encrypted, ${left.count} with plaintext left`);
if (!done) throw new Error(`do not switch: ${JSON.stringify({ failures, ids: left.ids })}`);

console.log('4. deploy the version that reads and writes the encrypted columns');
await deploy(versions.encrypted);
const { email_index } = await records.where('customers', { email: 'customer101@example.com' });
const [row] =
  await sql`select id, email_new, born_new from customers where email_index in ${sql(email_index)}`;
const found = await records.decryptRow('customers', row.id, { email: row.email_new, born: row.born_new });
console.log(`   found ${found.email}, born ${found.born.toISOString().slice(0, 10)}`);
closing.abort();
await traffic;

console.log('5. drop the plaintext, and let the database refuse it from now on');
await sql`alter table customers drop column email, drop column born`;
await sql`alter table customers rename column email_new to email`;
await sql`alter table customers rename column born_new to born`;
await sql.unsafe(checkConstraints(fields, 'customers'));
await sql.end();
