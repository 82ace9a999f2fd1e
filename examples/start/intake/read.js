import { readFile } from 'node:fs/promises';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
import Database from 'libsql';

const fields = defineFields({
  patients: {
    ...unencrypted('id'),
    name: field.text(),
    email: field.text().searchable({ normalize: ['trim', 'lowercase'] }),
    born: field.text(),
  },
});
const eaas = new EaasClient(); // reads EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID
const records = fields.for(eaas, { index: process.env.EAAS_INDEX_KEY });

// `email_index` has a keyed hash of the address: it finds a patient, and being unique it keeps a second form out.
const db = new Database('patients.db');
db.exec(`create table if not exists patients
  (id text primary key, name text not null, email text not null, email_index text unique, born text not null)`);
const insert = db.prepare('insert or ignore into patients values (?, ?, ?, ?, ?)');

const { key_id: keyId } = JSON.parse(await readFile('key.json', 'utf8'));
for (const line of (await readFile('submissions.jsonl', 'utf8')).trimEnd().split('\n')) {
  const { submission, ciphertext } = JSON.parse(line);
  const context = { form: 'patient', submission };
  try {
    const form = JSON.parse(await eaas.decrypt(ciphertext, { keyId, context, as: 'text' }));
    // Anyone can send a form, so its values can have any type and length.
    const [name, email, born] = ['name', 'email', 'born'].map((field) => String(form[field]).slice(0, 200));
    const row = await records.encryptRow('patients', submission, { id: submission, name, email, born });
    insert.run([row.id, row.name, row.email, row.email_index, row.born]);
  } catch (error) {
    console.error(`${submission} cannot be read: ${error.message}`);
  }
}

const stored = db.prepare('select * from patients').all();
for (const { name, email, born } of await records.decryptRows('patients', stored, ({ id }) => id)) {
  console.log(`${name}, ${email}, born ${born}`);
}

const { email_index } = await records.where('patients', { email: ' ADA@example.com' });
const matching = db.prepare('select * from patients where email_index = ?').all(email_index);
const [found] = await records.decryptRows('patients', matching, ({ id }) => id);
console.log(`found ${found?.name}`);
