import { eq } from 'drizzle-orm';
import { type EncryptedDatabase, excluded, fieldsOf } from '@eaas/drizzle/pg';
import type { EaasClient } from '@eaas/sdk';
import { expect } from 'vitest';
import type { PostgresDatabase, FieldsTables } from './tables.ts';

const id = (of: number): string => `00000000-0000-4000-8000-00000000000${of}`;
const [ann, ben] = [id(7), id(8)];

/** Expects that each row is encrypted for its person, in every way to write and read it. */
export async function expectSubjects(
  db: EncryptedDatabase<PostgresDatabase>,
  notes: FieldsTables['notes'],
  eaas: EaasClient,
  stored: () => Promise<readonly Readonly<Record<string, unknown>>[]>,
): Promise<void> {
  const read = async () => db.select({ text: notes.text, ward: notes.ward }).from(notes).orderBy(notes.id);
  const records = fieldsOf(notes).for(eaas, {} as never);
  const isOf = async (at: number, subject: string, expected: string): Promise<void> => {
    const row = { ...(await stored())[at], person_id: subject };
    expect(await records.decryptRow('notes', id(at + 1), row)).toMatchObject({ text: expected });
  };

  await db.insert(notes).values([
    { id: id(1), personId: ann, text: 'cough', ward: 'North' },
    { id: id(2), personId: ben, text: 'rash', ward: 'North' },
  ]);
  expect(await read()).toEqual([
    { text: 'cough', ward: 'North' },
    { text: 'rash', ward: 'North' },
  ]);
  await isOf(0, ann, 'cough');
  await isOf(1, ben, 'rash');
  // One row by its id, the rows of one person, and a value that is bound to no row.
  await db
    .update(notes)
    .set({ text: 'fever' })
    .where(eq(notes.id, id(1)));
  await isOf(0, ann, 'fever');
  await db.update(notes).set({ text: 'healed', ward: 'South' }).where(eq(notes.personId, ben));
  await isOf(1, ben, 'healed');
  await db.update(notes).set({ ward: 'East' });
  expect(await read()).toEqual([
    { text: 'fever', ward: 'East' },
    { text: 'healed', ward: 'East' },
  ]);

  const insertion = (personId: string, text: string) =>
    db.insert(notes).values({ id: id(1), personId, text });
  const canReturn = 'onConflictDoUpdate' in insertion(ann, 'not sent');
  for (const target of canReturn ? [notes.id, [notes.personId, notes.id]] : []) {
    const set = { text: excluded(notes.text) };
    await insertion(ann, 'fever, again').onConflictDoUpdate({ target, set });
    await isOf(0, ann, 'fever, again');
    const foreign = insertion(ben, 'of another person').onConflictDoUpdate({ target, set });
    const error = target === notes.id ? { code: 'subject_unknown' } : {};
    await expect((async () => foreign)()).rejects.toMatchObject(error);
    await isOf(0, ann, 'fever, again');
  }

  await eaas.subjects.erase({ subject: ann });
  const erased = { text: null, ward: null };
  expect(await read()).toEqual([erased, { text: 'healed', ward: 'East' }]);
  await db.update(notes).set({ text: null }).where(eq(notes.personId, ann));
  expect(await read()).toEqual([erased, { text: 'healed', ward: 'East' }]);
  if (!canReturn) return;
  // The column `ward` still has a value.
  await db.transaction(async (tx) => {
    const deleting = tx.delete(notes).where(eq(notes.id, id(1)));
    expect(await deleting.returning()).toMatchObject([erased]);
  });
  expect(await stored()).toHaveLength(1);
}
