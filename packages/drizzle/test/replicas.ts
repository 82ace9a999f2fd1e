import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { PgDatabase, PgWithReplicas } from 'drizzle-orm/pg-core';
import { type EncryptedDatabase, excluded } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import type { PostgresDatabase, Tables } from './tables.ts';

type Replicated = Pick<PgWithReplicas<EncryptedDatabase<PostgresDatabase>>, keyof PostgresDatabase | 'as'>;

export interface ReplicasPlace {
  readonly plain: PostgresDatabase;
  /** A replica that is behind by everything: its tables are empty. */
  readonly lagging: PostgresDatabase;
  readonly table: Tables['accounts'];
  readonly withReplicas: <Database extends PgDatabase<never, never, never>>(
    primary: Database,
    replicas: [Database],
  ) => PgWithReplicas<Database>;
  readonly encrypting: (database: PostgresDatabase) => EncryptedDatabase<PostgresDatabase>;
  readonly canUpsert: boolean;
}

/** Expects that a replica that is behind changes no write, and that it gets the reads of the app. */
export async function expectReplicas(place: ReplicasPlace): Promise<void> {
  const { plain, lagging, table, withReplicas, encrypting, canUpsert } = place;
  const [direct, replica] = [encrypting(plain), encrypting(lagging)];
  const read = async (of: Pick<Replicated, 'query'>) => {
    const rows = await of.query.accounts.findMany();
    return rows.map(({ account, email, token }) => [account, email, token].join(' ')).toSorted();
  };
  const own = { $primary: plain, query: lagging.query, select: lagging.select.bind(lagging) };
  const around = withReplicas(plain as never, [lagging as never]) as PostgresDatabase;
  const all: [name: string, db: Replicated][] = [
    ['around', encrypting(around)],
    ['inside', withReplicas(direct as never, [replica as never]) as Replicated],
    ['own', encrypting(Object.assign(Object.create(plain) as typeof plain, own))],
  ];
  for (const [name, db] of all) {
    await direct.delete(table);
    const row = { person: randomUUID(), ended: 'yes', account: 'a', token: 'new' };
    await db.insert(table).values([row, { ...row, account: 'b' }, { ...row, account: 'c' }]);
    await db.update(table).set({ token: 'updated', email: 'a@x' }).where(eq(table.account, 'a'));
    await db.as('user-7').update(table).set({ token: 'gone' }).where(eq(table.account, 'c'));
    const changed = { ...row, account: 'b', token: 'upserted' };
    const target = [table.provider, table.account];
    const upsert = db.insert(table).values(changed);
    if (canUpsert) await upsert.onConflictDoUpdate({ target, set: { token: excluded(table.token) } });
    else await db.update(table).set({ token: 'upserted' }).where(eq(table.account, 'b'));
    expect([name, await read(direct)]).toEqual([name, ['a a@x updated', 'b  upserted', 'c  gone']]);
    const within = await db.transaction(async (tx) => {
      await tx.update(table).set({ token: 'in' }).where(eq(table.email, 'a@x'));
      await tx.delete(table).where(eq(table.account, 'c'));
      return read(tx);
    });
    expect([name, within]).toEqual([name, ['a a@x in', 'b  upserted']]);
    await db.delete(table).where(eq(table.email, 'a@x'));
    expect([name, await read(direct)]).toEqual([name, ['b  upserted']]);
    expect([name, await read(db), await db.select().from(table)]).toEqual([name, [], []]);
  }
  await direct.delete(table);
}
