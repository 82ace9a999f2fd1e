import { randomUUID } from 'node:crypto';
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/sqlite';
import { EaasClient } from '@eaas/sdk';
import { field } from '@eaas/sdk/fields';
import { drizzle } from 'drizzle-orm/libsql';
import { text } from 'drizzle-orm/sqlite-core';

export const patients = encryptedTable('patients', {
  id: text().primaryKey().$defaultFn(randomUUID),
  name: encrypted(field.text()).notNull(),
  email: encrypted(field.text().searchable({ normalize: ['trim', 'lowercase'] }))
    .notNull()
    .unique(),
  born: encrypted(field.text()).notNull(),
});

// `email_index` has a keyed hash of the address: it finds a patient, and being unique it refuses a second one with the
// same address. In an app of your own, the migrations of drizzle-kit create the table.
const plain = drizzle('file:patients.db');
await plain.run(`create table if not exists patients
  (id text primary key, name text not null check (name glob 'eaasA*'), email_index text unique,
  email text not null check (email glob 'eaasA*'), born text not null check (born glob 'eaasA*'))`);

// The client reads the variables EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID.
export const db = withEncryption(plain, new EaasClient(), { index: process.env.EAAS_INDEX_KEY! });
