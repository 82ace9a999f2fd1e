import { randomUUID } from 'node:crypto';
import { eq, isNull, type SQL, sql } from 'drizzle-orm';
import { type EncryptedDatabase, excluded } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import type { PostgresDatabase, FieldsTables } from './tables.ts';

/** Expects that an upsert by another key than the id writes the row that is there, also one that appears meanwhile. */
export async function expectUpserts(
  plain: PostgresDatabase,
  table: FieldsTables['accounts'],
  encrypting: (database: PostgresDatabase) => EncryptedDatabase<PostgresDatabase>,
): Promise<void> {
  const db = encrypting(plain);
  const [ann, ben] = [randomUUID(), randomUUID()];
  const natural = [table.provider, table.account];
  const set = { token: excluded(table.token) };
  type Given = typeof table.$inferInsert;
  const put = (of: Pick<typeof db, 'insert'>, ...rows: Given[]) =>
    of.insert(table).values(rows.map((row) => Object.assign({ ended: 'yes' }, row)));
  const read = async () => {
    const rows = await db.select().from(table);
    return rows.map(({ account, token }) => [account, token].join(' ')).toSorted();
  };
  const upsert = (...rows: Given[]) => put(db, ...rows).onConflictDoUpdate({ target: natural, set });
  const row = { person: ann, account: 'a', token: '1' };
  const [first] = await upsert(row).returning();
  expect(await upsert({ ...row, token: '2' }).returning()).toEqual([{ ...first, token: '2' }]);
  await upsert({ ...row, token: '3' }, { person: ben, account: 'b', token: '3' });
  expect(await read()).toEqual(['a 3', 'b 3']);
  const byValue = put(db, { account: 'a' }, { account: 'b' }, { account: 'c', token: 'new' });
  await byValue.onConflictDoUpdate({ target: natural, set: { token: '4' } });
  expect(await read()).toEqual(['a 4', 'b 4', 'c new']);

  // Nulls are equal to nothing, a partial index has only some rows, and an index can be of an encrypted column.
  for (const token of ['x', 'y']) await upsert({ token });
  const active = { target: table.person, targetWhere: isNull(table.ended), set };
  for (const token of ['u', 'v']) {
    await put(db, { person: ann, ended: null, token }).onConflictDoUpdate(active);
  }
  await put(db, { person: ann, token: 'z' }).onConflictDoUpdate(active);
  for (const token of ['e', 'f']) {
    await put(db, { email: 'ada@x', token }).onConflictDoUpdate({ target: table.email, set });
  }
  expect(await read()).toEqual([' f', ' v', ' x', ' y', ' z', 'a 4', 'b 4', 'c new']);
  await db.delete(table).where(isNull(table.account));

  await db.transaction(async (tx) => {
    await put(tx, { person: ann, account: 'd', token: 'in' });
    await put(tx, { person: ann, account: 'd', token: 'tx' }).onConflictDoUpdate({ target: natural, set });
  });
  await put(db, row).onConflictDoNothing({ target: natural });
  await put(db, row).onConflictDoUpdate({ target: natural, set, setWhere: eq(table.account, 'b') });
  expect(await read()).toEqual(['a 4', 'b 4', 'c new', 'd tx']);

  // A row that another call writes between the read and the upsert, once and each time.
  let left = 1;
  const appear = async (): Promise<void> => {
    if (left-- <= 0) return;
    await db.delete(table).where(eq(table.account, 'e'));
    await put(db, { person: ann, account: 'e', token: 'between' });
  };
  const select = (columns: never) => ({
    from: (of: never) => ({
      where: async (where: SQL) => {
        const rows: unknown = await plain.select(columns).from(of).where(where);
        await appear();
        return rows;
      },
    }),
  });
  const racing = Object.assign(Object.create(plain) as typeof plain, { select });
  const late = { person: ann, account: 'e', token: 'after' };
  await put(encrypting(racing), late).onConflictDoUpdate({ target: natural, set });
  expect((await read()).at(-1)).toBe('e after');
  left = 2;
  const again = put(encrypting(racing), late).onConflictDoUpdate({ target: natural, set });
  const foreign = async () =>
    db.transaction(async (tx) => {
      await put(tx, { person: ben, account: 'd' }).onConflictDoUpdate({ target: natural, set });
    });
  const refused = [
    async () => again,
    async () => upsert({ account: 'a' }, { account: 'a' }),
    async () => upsert({ account: sql`'a'` as never }),
    foreign,
  ];
  const code = expect.stringMatching(/^(?:row|subject)_unknown$/) as string;
  for (const run of refused) await expect(run()).rejects.toMatchObject({ code });
  expect(await read()).toEqual(['a 4', 'b 4', 'c new', 'd tx', 'e between']);
}
