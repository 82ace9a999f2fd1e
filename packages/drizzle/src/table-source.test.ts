import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { createTestService } from '@eaas/local';
import { migrate } from '@eaas/migrate';
import { EaasClient } from '@eaas/sdk';
import { expect, test } from 'vitest';
import { encrypted, encryptedTable, encryptedText } from './pg.ts';

const service = createTestService();
const { baseUrl, apiKey, fetch } = service;
const client = new EaasClient({ baseUrl, apiKey, fetch, keyId: service.createKey('notes').key_id });
const db = encrypted(
  drizzle(async () => ({ rows: [] })),
  client,
);
const note = () => encryptedText({ context: 'field' });

test.each([
  [
    'without a primary key',
    encryptedTable('notes', { note: note() }),
    /notes.*no primary key of one column.* `id`/,
  ],
  [
    'with a key of several columns',
    encryptedTable('notes', { of: text(), at: text(), note: note() }, ({ of, at }) => [
      primaryKey({ columns: [of, at] }),
    ]),
    /notes.*no primary key of one column.*: name a unique column as `id`/,
  ],
  [
    'without encrypted columns',
    pgTable('plain', { id: text().primaryKey() }),
    /needs a table with encrypted columns/,
  ],
])('`migrate` refuses a table %s, and says what to do', async (_, table, message) => {
  await expect(migrate(db, table, 'rewrap', { client })).rejects.toThrow(message);
});
