import { eq } from 'drizzle-orm';
import { serial, text, withReplicas } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { beforeEach, expect, test } from 'vitest';
import { encrypted, encryptedTable, excluded, withEncryption } from './pg.ts';

const notes = encryptedTable('notes', {
  id: serial().primaryKey(),
  city: text().unique(),
  body: encrypted(field.text()),
});

/** What each database was asked, in order. */
const asked: string[] = [];
beforeEach(() => void asked.splice(0));
const open = (name: string) =>
  drizzle(
    async (statement) => {
      asked.push([name, /^\w+(?: nextval)?/.exec(statement)?.[0]].join(' '));
      if (statement.includes('nextval')) return { rows: [['1']] };
      // Only the primary has a row.
      return { rows: statement.startsWith('select') && name === 'primary' ? [[1, '0 ']] : [] };
    },
    { schema: { notes } },
  );
const { eaas } = await createClient();
const databases = () => [open('primary'), open('replica 0'), open('replica 1')] as const;
const inTurn = () => {
  let turn = 0;
  return <Database>(all: Database[]): Database => all[turn++ % all.length] as Database;
};
function around() {
  const [primary, ...replicas] = databases();
  return withEncryption(withReplicas(primary, replicas as never, inTurn()), eaas);
}
function inside() {
  const [primary, ...replicas] = databases().map((each) => withEncryption(each, eaas));
  return withReplicas(primary as NonNullable<typeof primary>, replicas as never, inTurn());
}

test.each([
  ['around', around],
  ['inside', inside],
])('reads go to the replicas in turn, and what a write reads goes to the primary: %s', async (_, make) => {
  const db = make();
  const byCity = { target: notes.city, set: { body: excluded(notes.body) } };
  await db.insert(notes).values({ city: 'Bern', body: 'one' });
  await db.insert(notes).values({ id: 1, city: 'Bern', body: 'two' }).onConflictDoUpdate(byCity);
  await db.update(notes).set({ body: 'three' }).where(eq(notes.city, 'Bern'));
  const writes = ['select nextval', 'insert', 'select', 'insert', 'select', 'update'];
  expect(asked.splice(0)).toEqual(writes.map((each) => `primary ${each}`));
  for (let read = 0; read < 2; read++) await db.query.notes.findMany();
  for (let read = 0; read < 2; read++) await db.select().from(notes);
  const reads = ['replica 0', 'replica 1', 'replica 0', 'replica 1'];
  expect(asked.splice(0)).toEqual(reads.map((each) => `${each} select`));
  await db.as('user-7').update(notes).set({ body: 'four' });
  await db.$primary.update(notes).set({ body: 'five' });
  await db.$replicas[1]?.select().from(notes);
  const update = ['primary select', 'primary update'];
  expect(asked).toEqual([...update, ...update, 'replica 1 select']);
});
