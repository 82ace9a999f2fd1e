import { eq } from 'drizzle-orm';
import { serial, text, withReplicas } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field } from '@eaas/sdk/fields';
import { clientOf } from '@eaas/sdk/internal';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import { encrypted, encryptedTable, excluded, withEncryption } from './pg.ts';

const body = encrypted(field.text());
const notes = encryptedTable('notes', { id: serial().primaryKey(), city: text().unique(), body });
const { eaas } = await createClient();
const asked: string[] = [];
const open = (name: string) =>
  drizzle(
    async (statement) => {
      asked.push(`${name} ${/^\w+(?: nextval)?/.exec(statement)?.[0]}`);
      if (statement.includes('nextval')) return { rows: [['1']] };
      return { rows: statement.startsWith('select') && name === 'primary' ? [[1, '0 ']] : [] };
    },
    { schema: { notes } },
  );
const [primary, first, second] = [open('primary'), open('replica 0'), open('replica 1')];
let turn = 0;
const inTurn = <Database>(all: Database[]): Database => all[turn++ % all.length] as Database;
const of = <Database extends typeof primary>(plain: Database) => withEncryption(plain, eaas);

const own = { $primary: primary, $replicas: [], query: first.query, select: first.select.bind(first) };
test.each([
  ['around', of(withReplicas(primary, [first, second], inTurn)), [0, 1, 0, 1, 1]],
  ['inside', withReplicas(of(primary), [of(first), of(second)], inTurn), [0, 1, 0, 1, 1]],
  ['of the app', of(Object.assign(Object.create(primary) as typeof primary, own)), [0, 0, 0, 0]],
])('%s: the app reads from replicas, and what a write reads is of the primary', async (_, given, reads) => {
  const db = given as typeof given & { $primary: typeof given; $replicas: (typeof given)[] };
  asked.length = 0;
  turn = 0;
  const byCity = { target: notes.city, set: { body: excluded(notes.body) } };
  await db.insert(notes).values({ city: 'Bern', body: 'one' });
  await db.insert(notes).values({ id: 1, city: 'Bern', body: 'two' }).onConflictDoUpdate(byCity);
  await db.update(notes).set({ body: 'three' }).where(eq(notes.city, 'Bern'));
  await db.as('user-7').update(notes).set({ body: 'four' });
  await db.$primary.update(notes).set({ body: 'five' });
  const update = ['select', 'update'];
  const writes = ['select nextval', 'insert', 'select', 'insert', ...update, ...update, ...update];
  expect(asked.splice(0)).toEqual(writes.map((each) => `primary ${each}`));
  for (let read = 0; read < 2; read++) await db.query.notes.findMany();
  for (let read = 0; read < 2; read++) await db.select().from(notes);
  for (const each of db.$replicas) expect(each).toHaveProperty('as', expect.any(Function));
  expect([clientOf in db, clientOf in db.as('user-7'), 'revealed' in db]).toEqual([true, true, true]);
  await db.$replicas[1]?.select().from(notes);
  expect(asked).toEqual(reads.map((replica) => `replica ${replica} select`));
});
