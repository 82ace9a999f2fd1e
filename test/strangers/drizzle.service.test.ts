// A product with Drizzle, `casing` and row level security, which encrypted its values itself, and moves to Eaas while it runs.
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { pgPolicy, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { inventory, migrate } from '@eaas/migrate';
import { createDatabase } from '@eaas/test-kit/database';
import { createClient } from '@eaas/test-kit/orms/client';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { type App, fieldsIn, runProduct, type Member, seals, type Stage } from './two-versions.ts';

const options = { casing: 'snake_case' } as const;
const everyone = () => [pgPolicy('everyone', { for: 'all' })];
const plainColumns = { id: uuid().primaryKey().$defaultFn(randomUUID), homeCity: text().notNull() };
const before = pgTable(
  'members',
  { ...plainColumns, email: text().notNull().unique(), accessToken: text('access_token') },
  everyone,
);

function tableIn(stage: Stage) {
  const { email, token } = fieldsIn(stage);
  const columns = {
    ...plainColumns,
    email: encrypted(email).notNull().unique('unique_0'),
    accessToken: encrypted('access_token', token),
  };
  return encryptedTable('members', columns, { extraConfig: everyone });
}

/** The code of the product, which is the same in each version but for what encrypts. */
function appOf(db: PostgresJsDatabase, table: typeof before, { email: seal, token, open } = seals.eaas): App {
  const rowOf = (member: Partial<Member>) => ({
    ...(member.email !== undefined && { email: seal(member.email) }),
    ...(member.token !== undefined && { accessToken: token(member.token) }),
    ...(member.city !== undefined && { homeCity: member.city }),
  });
  const memberOf = (row: typeof before.$inferSelect): Member => ({
    email: open(row.email) ?? '',
    token: open(row.accessToken),
    city: row.homeCity,
  });
  const isIt = (email: string) => eq(table.email, seal(email));
  const change: App['change'] = async (email, to) =>
    (await db.update(table).set(rowOf(to)).where(isIt(email)).returning({ id: table.id })).length;
  return {
    change,
    add: async (member) =>
      db
        .insert(table)
        .values(rowOf(member) as typeof before.$inferInsert)
        .then(() => true, isDuplicate),
    async save(member) {
      const row = rowOf(member) as typeof before.$inferInsert;
      const { email: _, ...set } = row;
      const saved = db.insert(table).values(row).onConflictDoUpdate({ target: table.email, set });
      // While both stages run, the first one cannot upsert over a ciphertext.
      await saved.catch((error: unknown) => isDuplicate(error) || change(member.email, member));
    },
    find: async (email) => (await db.select().from(table).where(isIt(email))).map(memberOf),
    remove: async (email) => (await db.delete(table).where(isIt(email)).returning({ id: table.id })).length,
    all: async () => (await db.select().from(table)).map(memberOf),
  };
}

function isDuplicate(error: unknown): false {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  if ((cause?.code ?? code) === '23505') return false;
  throw error;
}

test('nothing is lost, and each version finds what it knows, from the first row to the way back', async () => {
  const { connection, drop } = await createDatabase();
  const sql = postgres({ ...connection('owner'), max: 2, onnotice: () => {} });
  const { eaas, index, keyId } = await createClient();
  // Each of its own, because Drizzle remembers the names of columns by the name of their table.
  const open = () => withEncryption(drizzle(sql, options), eaas, { index });
  await sql`create table members (id uuid primary key, home_city text not null, email text not null, access_token text)`;
  const { found, members } = await runProduct({
    before: appOf(drizzle(sql, options), before, seals.before),
    appIn: (stage) => appOf(open(), tableIn(stage) as unknown as typeof before),
    run: (stage, mode) => migrate(open(), tableIn(stage), mode, { client: eaas }),
    look: (stage) => inventory(open(), tableIn(stage), { client: eaas }),
    sql: (statement) => sql.unsafe(statement),
    rotate: () => eaas.keys.rotate({ key_id: keyId }),
    unique: ['email'],
  });
  expect(found).toEqual(members);
  await sql.end();
  await drop();
});
