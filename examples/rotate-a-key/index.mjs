// Rotates a key, rewraps a table to the new version, and shows that nothing is left under the old version.
// Requires a running server, EAAS_BASE_URL, an EAAS_API_KEY with the permission `keys.manage`, and DATABASE_URL.
// Drops and creates the table `notes`.
import { inventory, migrate } from '@eaas/migrate';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import postgres from 'postgres';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'DATABASE_URL'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const sql = postgres(process.env.DATABASE_URL, { onnotice: () => {} });
const { key_id: keyId } = await new EaasClient().keys.create({ name: `notes-${Date.now()}` });
const eaas = new EaasClient({ keyId });
const db = { query: (statement, values) => sql.unsafe(statement, values) };
const fields = defineFields({ notes: { body: field.text() } });
const records = fields.for(eaas);

await sql`drop table if exists notes`;
await sql`create table notes (id bigint primary key, body text)`;
for (let id = 1; id <= 500; id++) {
  const { body } = await records.encryptRow('notes', id, { body: `note ${id}` });
  await sql`insert into notes values (${id}, ${body})`;
}

async function printVersions() {
  const { keys } = await inventory(db, 'notes', { fields });
  for (const { key_version, values } of keys.flatMap(({ versions }) => versions))
    console.log(`   version ${key_version}: ${values} values`);
}

console.log('1. before the rotation');
await printVersions();

console.log('2. rotate: new values are under the new version');
const { key_version } = await eaas.keys.rotate({ key_id: keyId });
console.log(`   the key has version ${key_version}`);

// In production, wait 5 minutes before the rewrap: clients can reuse a data key of the old version for 5 minutes.
console.log('3. rewrap: only headers change, and no value is decrypted');
const { done, progress } = await migrate(db, 'notes', 'rewrap', { client: eaas, fields });
if (!done) throw new Error('some rows could not be rewrapped: run this program again');
console.log(`   ${progress.rewritten} of ${progress.seen} rows`);

console.log('4. after the rotation');
await printVersions();
const [row] = await sql`select id, body from notes where id = 500`;
console.log(`   ${(await records.decryptRow('notes', row.id, row)).body} is still readable`);
await sql.end();
