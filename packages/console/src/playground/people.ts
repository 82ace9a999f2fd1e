import { createIndexKey, defineFields, text, unencrypted } from '@eaas/sdk/fields';
import { clientOf } from '../session.ts';
import type { Play } from './play.ts';

const fields = defineFields({
  users: { ...unencrypted('id'), email: text().searchable({ normalize: ['trim', 'lowercase'] }) },
});

interface StoredRow {
  readonly id: string;
  readonly email: string;
  readonly email_index: string | null;
}

export interface People {
  readonly rows: readonly StoredRow[];
  find(email: string): Promise<{ readonly fingerprint: string; readonly found: readonly string[] }>;
}

const others = ['grace@example.com', 'alan@example.com', 'edsger@example.com'];

export async function storePeople({ session, keyId }: Play, email: string): Promise<People> {
  const client = clientOf(session.apiKey, undefined, { ...session.service, keyId, cache: 'browser' });
  const index = await createIndexKey(client);
  const records = fields.for(client, { index });
  const plain = [email, ...others].map((address, place) => ({ id: String(42 + place), email: address }));
  const rows = await records.encryptRows('users', plain, ({ id }) => id);
  return {
    rows,
    find: async (wanted) => {
      const { email_index } = await records.where('users', { email: wanted });
      const matches = rows.filter((row) => row.email_index !== null && email_index.includes(row.email_index));
      const found = await records.decryptRows('users', matches, ({ id }) => id);
      return { fingerprint: email_index[0] ?? '', found: found.map(({ id }) => id) };
    },
  };
}
