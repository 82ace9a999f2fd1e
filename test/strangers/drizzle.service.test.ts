// A product with Drizzle, `casing` and row level security, which encrypted its values itself, and moves to Eaas while it runs.
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { pgPolicy, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { inventory, migrate } from '@eaas/migrate';
import { field, plaintext } from '@eaas/sdk/fields';
import { createDatabase } from '@eaas/test-kit/database';
import { createClient } from '@eaas/test-kit/orms/client';
import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import {
  type App,
  expectAll,
  type Member,
  type Members,
  openOld,
  sealOld,
  takeTurns,
} from './two-versions.ts';

const options = { casing: 'snake_case' } as const;
const everyone = () => [pgPolicy('everyone', { for: 'all' })];
const plainColumns = { id: uuid().primaryKey().$defaultFn(randomUUID), homeCity: text().notNull() };
const before = pgTable(
  'members',
  { ...plainColumns, email: text().notNull().unique(), accessToken: text('access_token') },
  everyone,
);

/** The table of a stage. Without `older`, nothing is left in the older form. */
function stageOf(older: 'written' | 'read' | undefined) {
  const isWritten = older === 'written';
  const email = plaintext(openOld, isWritten ? { write: (value) => sealOld(value, true) } : {});
  const token = plaintext(openOld, isWritten ? { write: (value) => sealOld(value) } : {});
  const columns = {
    ...plainColumns,
    email: encrypted(field.text(older && { previous: email }).searchable())
      .notNull()
      .unique(),
    accessToken: encrypted('access_token', field.text(older && { previous: token })),
  };
  return encryptedTable('members', columns, { extraConfig: everyone });
}
const [first, second, last] = [stageOf('written'), stageOf('read'), stageOf(undefined)];

const itself = <T>(value: T): T => value;
const own = {
  email: (value: string) => sealOld(value, true),
  token: (value: string | null) => value && sealOld(value),
  open: (value: string | null) => value && openOld(value),
};
const none = { email: itself<string>, token: itself<string | null>, open: itself<string | null> };

/** The code of the product, which is the same in each version but for what encrypts. */
function appOf(
  db: PostgresJsDatabase,
  table: typeof before,
  { email: seal, token, open }: typeof own = none,
): App {
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

let sql: postgres.Sql;
const { eaas, index, keyId } = await createClient();
// Each of its own, because Drizzle remembers the names of columns by the name of their table.
const open = () => withEncryption(drizzle(sql, options), eaas, { index });

beforeAll(async () => {
  const { connection, drop } = await createDatabase();
  sql = postgres({ ...connection('owner'), max: 2, onnotice: () => {} });
  return async () => {
    await sql.end();
    await drop();
  };
});

test('nothing is lost, and each version finds what it knows, from the first row to the way back', async () => {
  const members: Members = new Map();
  const appIn = (table: object): App =>
    appOf(open() as unknown as PostgresJsDatabase, table as typeof before);
  const run = async (table: typeof first, mode: 'index' | 'encrypt' | 'rewrap') =>
    migrate(open(), table, mode, { client: eaas });
  const look = async (table: typeof first) => inventory(open(), table, { client: eaas });
  const old = appOf(drizzle(sql, options), before, own);
  await sql`create table members (id uuid primary key, home_city text not null, email text not null unique, access_token text)`;
  await takeTurns(members, [old, old], 30);

  // The version before still runs.
  await sql`alter table members add column email_index text`;
  await takeTurns(members, [old, appIn(first)], 250);
  await run(first, 'index');
  await takeTurns(members, [old, appIn(first)], 250);

  // It does not any more.
  expect(await run(first, 'index')).toMatchObject({ done: true });
  expect(await look(first)).toMatchObject({
    unindexed: 0,
    next: expect.stringContaining('stage 2 may begin') as unknown,
  });
  await sql`alter table members add unique (email_index)`;
  await takeTurns(members, [appIn(first), appIn(second)], 150);
  expect(await run(second, 'encrypt')).toMatchObject({ left: { count: 0 } });
  await takeTurns(members, [appIn(first), appIn(second)], 150);

  // Nor does the first stage.
  expect(await run(second, 'encrypt')).toMatchObject({ done: true });
  expect(await look(second)).toMatchObject({
    plaintexts: 0,
    next: expect.stringContaining('remove `previous`') as unknown,
  });
  await sql`alter table members drop constraint members_email_key`;
  await eaas.keys.rotate({ key_id: keyId });
  expect(await run(last, 'rewrap')).toMatchObject({ done: true });
  await takeTurns(members, [appIn(second), appIn(last)], 100);

  // The way back.
  await sql`alter table members add unique (email), drop constraint members_email_index_key`;
  for (const member of members.values()) await appIn(first).change(member.email, member);
  await expectAll(members, old);
});
