// Finds a person by email without decrypting the table, and decrypts that person's row.
import { EaasClient } from '@eaas/sdk';
import postgres from 'postgres';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID', 'DATABASE_URL'].filter(
  (name) => !process.env[name],
);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const [email = ''] = process.argv.slice(2);
const sql = postgres(process.env.DATABASE_URL);
const eaas = new EaasClient();

const normalize = (address) => address.trim().toLowerCase();
const fingerprint = await eaas.hash(normalize(email));
const [row] = await sql`select * from sign_ups where email_index = ${fingerprint}`;
const person = row && (await personOf(row));
// The page chose the fingerprint, so it can belong to another email than the one that is encrypted.
const isMatch = person && normalize(person.email) === normalize(email);
console.log(isMatch ? `${person.name} <${person.email}>` : 'Nobody has signed up with this email.');
await sql.end();

async function personOf(row) {
  const decrypt = (column) =>
    eaas.decrypt(row[column], {
      as: 'text',
      context: { table: 'sign_ups', row: row.id, column },
      wrapContext: { form: 'sign-up' }, // the same context as in the grant of the proxy
    });
  return { name: await decrypt('name'), email: await decrypt('email') };
}
