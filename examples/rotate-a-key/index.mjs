// Rotates a key, rewraps a table to the new version, and shows that nothing is left under the old version.
// Requires a running server, EAAS_BASE_URL, an EAAS_API_KEY with the permission `keys.manage`, and DATABASE_URL.
// Drops and creates the table `notes`.
import { EaasClient } from '@eaas/sdk';
import { inventory, reencrypt, storedValues } from '@eaas/sdk/reencrypt';
import postgres from 'postgres';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'DATABASE_URL'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const sql = postgres(process.env.DATABASE_URL, { onnotice: () => {} });
const { key_id: keyId } = await new EaasClient().keys.create({ name: `notes-${Date.now()}` });
const eaas = new EaasClient({ keyId });
const contextOf = (id) => ({ table: 'notes', row: String(id) });

await sql`drop table if exists notes`;
await sql`create table notes (id bigint primary key, body text)`;
for (let id = 1; id <= 500; id++) {
  const { ciphertext } = await eaas.encrypt(`note ${id}`, { context: contextOf(id) });
  await sql`insert into notes values (${id}, ${ciphertext})`;
}

const notes = {
  count: async () => Number((await sql`select count(*) from notes`)[0].count),
  async read({ after = '0', limit }) {
    const rows = await sql`select id, body from notes where id > ${after} order by id limit ${limit}`;
    return rows.map(({ id, body }) => ({ id, values: { body } }));
  },
  async write({ id, expected, values }) {
    const { count } = await sql`
      update notes set body = ${values.body} where id = ${id} and body is not distinct from ${expected.body}`;
    return count === 1;
  },
};
async function printVersions() {
  const { keys } = await inventory(storedValues(notes));
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
for await (const { seen, total = seen, finished, done } of reencrypt(eaas, notes, {
  mode: 'rewrap',
  pageSize: 50,
})) {
  const share = seen / total;
  process.stdout.write(
    `\r   ${'█'.repeat(Math.round(30 * share)).padEnd(30, '░')} ${Math.round(100 * share)} %`,
  );
  if (finished && !done) throw new Error('some rows could not be rewrapped: run this program again');
}

console.log('\n4. after the rotation');
await printVersions();
const [{ id, body }] = await sql`select id, body from notes where id = 500`;
console.log(`   ${await eaas.decrypt(body, { as: 'text', context: contextOf(id) })} is still readable`);
await sql.end();
