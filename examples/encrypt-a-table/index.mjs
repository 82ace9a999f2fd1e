// Encrypts the table `customers` while an app writes to it. The steps: add encrypted columns, let the app write
// plaintext and ciphertexts, encrypt the old rows, check, let the app use only ciphertexts, and drop the plaintext.
// Requires a running server and its `.env` (`npm start -- --env`), and DATABASE_URL. Drops and creates `customers`.
import { EaasClient } from '@eaas/sdk';
import { checkConstraints, date, defineFields, text } from '@eaas/sdk/fields';
import { inventory, isEncrypted, reencrypt, storedValues } from '@eaas/sdk/reencrypt';
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
  customers: { email: text().searchable({ normalize: ['trim', 'lowercase'] }), born: date() },
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

console.log('3. backfill');
const customers = {
  count: async () => Number((await sql`select count(*) from customers`)[0].count),
  async read({ after = '0', limit }) {
    const rows = await sql`
      select id, email, born::text, email_new, email_index, born_new
      from customers where id > ${after} order by id limit ${limit}`;
    return rows.map(({ id, email, born, ...values }) => ({ id, old: { email, born }, values }));
  },
  async write({ id, row: { old }, values }) {
    const { count } = await sql`
      update customers set ${sql(values)} where id = ${id}
        and email is not distinct from ${old.email} and born::text is not distinct from ${old.born}`;
    return count === 1;
  },
};
const convert = ({ id, old, values }) => {
  const pairs = [
    [old.email, values.email_new],
    [old.born, values.born_new],
  ];
  const isComplete = pairs.every(([before, after]) => before === null || isEncrypted(after));
  return isComplete ? undefined : newColumns(id, old);
};
for await (const progress of reencrypt(eaas, customers, { mode: 'custom', convert, pageSize: 100 })) {
  const share = progress.total ? Math.min(1, progress.seen / progress.total) : 1;
  const bar = '█'.repeat(Math.round(30 * share)).padEnd(30, '░');
  process.stdout.write(`\r   ${bar} ${Math.round(100 * share)} %, ${progress.rewritten} rows encrypted`);
  if (progress.finished && !progress.done) throw new Error(`run again: ${JSON.stringify(progress)}`);
}

console.log('\n4. check');
const { values, plaintexts, broken } = await inventory(storedValues(customers, { except: ['email_index'] }));
const [{ missing }] = await sql`
  select count(*)::int as missing from customers
  where (email is not null and email_new is null) or (born is not null and born_new is null)`;
console.log(`   ${values} ciphertexts, ${plaintexts} plaintexts, ${broken} broken, ${missing} missing`);
if (plaintexts + broken + missing > 0) throw new Error('do not switch');

console.log('5. deploy the version that reads and writes the encrypted columns');
await deploy(versions.encrypted);
const { email_index } = await records.where('customers', { email: 'customer101@example.com' });
const [row] =
  await sql`select id, email_new, born_new from customers where email_index in ${sql(email_index)}`;
const found = await records.decryptRow('customers', row.id, { email: row.email_new, born: row.born_new });
console.log(`   found ${found.email}, born ${found.born.toISOString().slice(0, 10)}`);
closing.abort();
await traffic;

console.log('6. drop the plaintext, and let the database refuse it from now on');
await sql`alter table customers drop column email, drop column born`;
await sql`alter table customers rename column email_new to email`;
await sql`alter table customers rename column born_new to born`;
await sql.unsafe(checkConstraints(fields, 'customers'));
await sql.end();
