import { text } from 'drizzle-orm/pg-core';
import { encrypted, encryptedTable, withoutIndexes } from '@eaas/drizzle/pg';
import { field, part } from '@eaas/sdk/fields';
import { describe, expect, test } from 'vitest';
import { requireDrivers } from './drivers.ts';

const patients = encryptedTable(
  'patients',
  {
    id: text()
      .primaryKey()
      .$defaultFn(() => 'new'),
    name: encrypted(field.text()).notNull(),
    ssn: encrypted(
      field
        .text()
        .searchable()
        .searchableBy({ last4: part.lastCharacters(4) }),
    ),
    born: encrypted(field.date()),
    notes: encrypted(field.json<{ tags: string[] }>()),
  },
  { lowEntropy: 'accepted' },
);

interface Schema {
  parse(row: unknown): unknown;
  safeParse(row: unknown): { success: boolean };
}
type Create = (table: object) => Schema;

const load = await requireDrivers();
const { createInsertSchema, createSelectSchema, createUpdateSchema } = load('drizzle-zod') as Record<
  'createInsertSchema' | 'createSelectSchema' | 'createUpdateSchema',
  Create
>;

const row = {
  id: 'a',
  name: 'Ada',
  ssn: '123-45-6789',
  born: new Date(0),
  notes: { tags: ['x'] },
};
const empty = { id: 'a', name: 'Ada', ssn: null, born: null, notes: null };
const rows = withoutIndexes(patients);

describe('the schemas of drizzle-zod', () => {
  test('for rows accept decrypted rows', () => {
    const schema = createSelectSchema(rows);
    expect(schema.parse(row)).toEqual(row);
    expect(schema.parse(empty)).toEqual(empty);
    expect(createSelectSchema(patients).safeParse(row).success).toBe(false);
  });

  test('for inserts and updates accept what the client writes', () => {
    const schema = createInsertSchema(rows);
    expect(schema.parse(row)).toEqual(row);
    expect(schema.parse({ name: 'Ada' })).toEqual({ name: 'Ada' });
    expect(createUpdateSchema(rows).parse({ ssn: '1' })).toEqual({ ssn: '1' });
    expect(schema.safeParse({ ...row, name: 7 }).success).toBe(false);
  });
});
