// An app with two customers, each with a key service of its own. When one says no, only its values stay closed.
// Requires a running server and its `.env` (`npm start`).
import { EaasClient } from '@eaas/sdk';
import { startKeyService } from './key-service.mjs';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID'].filter((name) => !process.env[name]);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const customers = { acme: await startKeyService(), beta: await startKeyService() };

/** Asks the customer, whom `subject` names, for the half of its values. */
async function half({ keyId, subject }) {
  const url = `${customers[subject].url}/half?key=${keyId}&of=${subject}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`the key service of ${subject} responded with ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function read(eaas, row) {
  const context = { table: 'offers', row: row.id };
  return eaas.decrypt(row.offer, { as: 'text', subject: row.customer, context });
}

console.log('1. each customer stores an offer, under a half that its key service made');
const app = new EaasClient({ half });
const offers = [
  { id: '1', customer: 'acme', offer: 'a bridge' },
  { id: '2', customer: 'beta', offer: 'a boat' },
];
for (const row of offers) {
  const context = { table: 'offers', row: row.id };
  row.offer = await app.encrypt(row.offer, { subject: row.customer, context });
}

console.log('2. the app reads each offer 1,000 times');
for (const row of offers) {
  const texts = await Promise.all(Array.from({ length: 1_000 }, () => read(app, row)));
  console.log(
    `   ${row.customer}: ${texts[0]}, and its key service was asked ${customers[row.customer].questions} time`,
  );
}

console.log('3. acme says no. The app forgets what it has, as it does after five minutes at most');
customers.acme.saysNo = true;
await app.close();
const later = new EaasClient({ half });
for (const row of offers) {
  const text = await read(later, row).catch(({ code, cause }) => `${code}: ${cause.message}`);
  console.log(`   ${row.customer}: ${text}`);
}

await later.close();
for (const service of Object.values(customers)) service.close();
