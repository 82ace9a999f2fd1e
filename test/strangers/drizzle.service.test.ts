// A product with Drizzle, `casing`, row level security and a replica without a row, which encrypted its values itself, and moves to
// Eaas while it runs.
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { pgPolicy, pgTable, text, uuid, withReplicas } from 'drizzle-orm/pg-core';
import { drizzle as drizzleOn } from 'drizzle-orm/pg-proxy';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { expect, test } from 'vitest';
import { runProduct, type Store, succeeds } from './two-versions.ts';

const options = { casing: 'snake_case' } as const;
const everyone = () => [pgPolicy('everyone', { for: 'all' })];
const plainColumns = { id: uuid().primaryKey().$defaultFn(randomUUID), homeCity: text().notNull() };
const oldColumns = { ...plainColumns, email: text().notNull().unique(), token: text('access_token') };
const before = pgTable('members', oldColumns, everyone);

function storeOf(db: PostgresJsDatabase, table: typeof before, reading = db): Store {
  const isIt = (email?: string) => (email === undefined ? undefined : eq(table.email, email));
  const update: Store['update'] = async (email, row) =>
    (await db.update(table).set(row).where(isIt(email)).returning({ id: table.id })).length;
  return {
    update,
    insert: (row) => db.insert(table).values(row),
    async save(row) {
      const { email: _, ...set } = row;
      const saved = db.insert(table).values(row).onConflictDoUpdate({ target: table.email, set });
      // While both stages run, the first one cannot upsert over a ciphertext.
      return (await succeeds(saved)) || update(row.email, row);
    },
    find: (email) => reading.select().from(table).where(isIt(email)),
    remove: async (email) => (await db.delete(table).where(isIt(email)).returning({ id: table.id })).length,
  };
}

test('nothing is lost, and each version finds what it knows, from the first row to the way back', async () => {
  const columns = 'id uuid primary key, home_city text not null, access_token text';
  const { found, members } = await runProduct(columns, async ({ sql, eaas, index, stage, email, token }) => {
    // Each of its own, because Drizzle remembers the names of columns by the name of their table.
    const primary = drizzle(sql, options);
    if (stage === 'before') return { store: storeOf(primary, before) };
    const columns = {
      ...plainColumns,
      email: encrypted(email).notNull().unique(),
      token: encrypted('access_token', token),
    };
    const table = encryptedTable('members', columns, { extraConfig: everyone });
    const encrypt = <Own extends PostgresJsDatabase>(db: Own) => withEncryption(db, eaas, { index });
    const replica = drizzleOn(async () => ({ rows: [] }), options) as unknown as typeof primary;
    const db =
      stage === 'second'
        ? withReplicas(encrypt(primary), [encrypt(replica)])
        : encrypt(withReplicas(primary, [replica]));
    const store = storeOf(db, table as unknown as typeof before, db.$primary);
    return { store, target: [db.$primary, table] };
  });
  expect(found).toMatchObject(members);
});
