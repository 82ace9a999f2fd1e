import { and, eq, not, type SQL } from 'drizzle-orm';
import { matches } from '@eaas/drizzle/pg';
import { isEncrypted, part, withFields } from '@eaas/sdk/fields';
import { expect } from 'vitest';
import type { Place } from './place.ts';
import type { FieldsTables } from './tables.ts';

export const parts = {
  name: {
    words: part.words({ bits: 64 }),
    and_born: withFields(['born']),
  },
  born: { range: part.dateRange() },
  ssn: { last4: part.lastCharacters(4, { normalize: [(text) => text.replaceAll('-', '')] }) },
} as const;

const born = new Date('1815-12-10');

export async function expectParts(
  db: Place['db'],
  people: FieldsTables['people'],
  stored: () => Promise<readonly object[]>,
): Promise<void> {
  await db.insert(people).values([
    { id: '00000000-0000-4000-8000-000000000001', name: 'Ada King-Noël', born, ssn: '123-45-6789' },
    { id: '00000000-0000-4000-8000-000000000002', name: 'Ada', born: new Date('1816-01-05') },
    { id: '00000000-0000-4000-8000-000000000003', ssn: '987-65-6789' },
  ]);
  const found = async (where: SQL | undefined): Promise<unknown[]> => {
    const rows = await db.select().from(people).where(where).orderBy(people.id);
    expect(Object.keys(rows[0] ?? {}).filter((key) => key.endsWith('_index'))).toEqual([]);
    return rows.map(({ id }) => Number(id.slice(-1)));
  };
  expect(await found(matches(people.name, { words: 'noel ada' }))).toEqual([1]);
  expect(await found(matches(people.born, { range: { to: new Date('1815-12-31') } }))).toEqual([1]);
  expect(await found(matches(people.ssn, { last4: '6789' }))).toEqual([1, 3]);
  expect(
    await found(and(matches(people.ssn, { last4: '6789' }), matches(people.name, { words: 'ada' }))),
  ).toEqual([1]);
  // Its index also finds others, so its negation would miss rows, however deep `not` is.
  const wide = matches(people.ssn, { last4: '6789' });
  for (const where of [not(wide), not(and(eq(people.ssn, '123-45-6789'), wide) as SQL)]) {
    await expect(found(where)).rejects.toMatchObject({ code: 'not_supported' });
  }
  const cte = db.$with('cte').as(
    db
      .select()
      .from(people)
      .where(matches(people.name, { words: 'ada' })),
  );
  const within = await db.with(cte).select({ name: cte.name }).from(cte).where(eq(cte.ssn, '123-45-6789'));
  expect(within).toEqual([{ name: 'Ada King-Noël' }]);

  const one = eq(people.id, '00000000-0000-4000-8000-000000000001');
  await db.update(people).set({ name: 'Grace', born }).where(one);
  expect(await found(matches(people.name, { words: 'grace' }))).toEqual([1]);
  expect(await found(matches(people.name, { words: 'king' }))).toEqual([]);
  // The index of both columns would no longer match.
  const partial = async () => db.update(people).set({ born }).where(one);
  await expect(partial()).rejects.toMatchObject({ code: 'input' });

  for (const row of await stored()) {
    for (const [name, value] of Object.entries(row)) {
      if (name === 'id' || value === null) continue;
      if (!name.endsWith('_index')) expect(isEncrypted(value)).toBe(true);
      else expect(value).toMatch(/^[0-9a-f]{16,64}(?: [0-9a-f]{16,64})*$/);
    }
  }
}
