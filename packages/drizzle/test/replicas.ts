import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { type EncryptedDatabase, excluded } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import type { PostgresDatabase, Tables } from './tables.ts';

type Encrypted = EncryptedDatabase<PostgresDatabase>;
export type WithReplicas = <Database>(primary: Database, replicas: [Database]) => Database;

/** Expects that a replica that is behind, whose tables are empty, changes no write, and that it gets the reads of the app. */
export async function expectReplicas(
  plain: PostgresDatabase,
  lagging: PostgresDatabase,
  table: Tables['accounts'],
  withReplicas: WithReplicas,
  encrypting: (database: PostgresDatabase) => Encrypted,
): Promise<void> {
  const direct = encrypting(plain);
  const read = async (of: Pick<Encrypted, 'query'>) => {
    const rows = await of.query.accounts.findMany();
    return rows.map(({ account, email, token }) => [account, email, token].join(' ')).toSorted();
  };
  const own = { $primary: plain, query: lagging.query, select: lagging.select.bind(lagging) };
  for (const db of [
    encrypting(withReplicas(plain, [lagging])),
    withReplicas(direct, [encrypting(lagging)]),
    encrypting(Object.assign(Object.create(plain) as PostgresDatabase, own)),
  ]) {
    const row = { person: randomUUID(), ended: 'yes', account: 'a', token: 'new' };
    await direct.delete(table);
    await db.insert(table).values([row, { ...row, account: 'b' }, { ...row, account: 'c' }]);
    await db.update(table).set({ token: 'changed', email: 'a@x' }).where(eq(table.account, 'a'));
    const upsert = db.insert(table).values({ ...row, account: 'b', token: 'changed' });
    const byAccount = { target: [table.provider, table.account], set: { token: excluded(table.token) } };
    if ('onConflictDoUpdate' in upsert) await upsert.onConflictDoUpdate(byAccount);
    else await db.update(table).set({ token: 'changed' }).where(eq(table.account, 'b'));
    expect(await read(direct)).toEqual(['a a@x changed', 'b  changed', 'c  new']);
    await db.transaction(async (tx) => {
      await tx.update(table).set({ token: 'within' }).where(eq(table.email, 'a@x'));
      await tx.delete(table).where(eq(table.account, 'c'));
      expect(await read(tx)).toEqual(['a a@x within', 'b  changed']);
    });
    await db.delete(table).where(eq(table.email, 'a@x'));
    expect(await read(direct)).toEqual(['b  changed']);
    expect([await read(db), await db.select().from(table)]).toEqual([[], []]);
  }
}
