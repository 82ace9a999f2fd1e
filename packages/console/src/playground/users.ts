// An encrypted table in memory for the search, defined as an app would define it.
import { createIndexKey, defineFields, field, unencrypted } from '@eaas/sdk/fields';
import type { EaasClient } from '@eaas/sdk';

const fields = defineFields({
  users: { ...unencrypted('id'), email: field.text().searchable({ normalize: ['trim', 'lowercase'] }) },
});

/** The rows as the database stores them, and a search in them. */
export type Users = Awaited<ReturnType<typeof storeUsers>>;

const others = ['grace@example.com', 'alan@example.com', 'edsger@example.com'];

export async function storeUsers(eaas: EaasClient, email: string) {
  const records = fields.for(eaas, { index: await createIndexKey(eaas) });
  const plain = [email, ...others].map((address, place) => ({ id: String(42 + place), email: address }));
  const rows = await records.encryptRows('users', plain, ({ id }) => id);
  return {
    rows,
    find: async (wanted: string) => {
      const { email_index } = await records.where('users', { email: wanted });
      const matches = rows.filter((row) => row.email_index !== null && email_index.includes(row.email_index));
      const found = await records.decryptRows('users', matches, ({ id }) => id);
      return { fingerprint: email_index[0] ?? '', found: found.map(({ id }) => id) };
    },
  };
}
