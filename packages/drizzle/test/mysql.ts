import { relations } from 'drizzle-orm';
import { mysqlTable, varchar } from 'drizzle-orm/mysql-core';
import {
  encryptedBigint,
  encryptedBoolean,
  encryptedBytes,
  encryptedDate,
  encryptedJson,
  encryptedNumber,
  encryptedTable,
  encryptedText,
} from '@eaas/drizzle/mysql';
import { plaintext } from '@eaas/sdk/fields';
import { parts } from './parts.ts';

const guessable = { lowEntropy: 'accepted' } as const;

const samples = encryptedTable('samples', {
  id: varchar({ length: 36 })
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  city: varchar({ length: 100 }),
  code: encryptedText().searchable().unique(),
  text: encryptedText().searchable({ normalize: ['trim'] }),
  note: encryptedText(),
  number: encryptedNumber().searchable(guessable),
  bigint: encryptedBigint().searchable(guessable),
  boolean: encryptedBoolean().searchable(guessable),
  date: encryptedDate().searchable(guessable),
  bytes: encryptedBytes(),
  json: encryptedJson<unknown>(),
});
const children = mysqlTable('children', {
  id: varchar({ length: 36 }).primaryKey(),
  parentId: varchar('parent_id', { length: 36 }).references(() => samples.id),
  remark: varchar({ length: 100 }),
});
const childrenOf = relations(samples, ({ many }) => ({ children: many(children) }));
const parentOf = relations(children, ({ one }) => ({
  parent: one(samples, { fields: [children.parentId], references: [samples.id] }),
}));

export const members = encryptedTable('members', {
  id: varchar({ length: 36 }).primaryKey(),
  name: encryptedText({ previous: plaintext() }),
  email: encryptedText({ previous: plaintext() }).notNull().searchable().unique(),
});

export const people = encryptedTable('people', {
  id: varchar({ length: 36 }).primaryKey(),
  name: encryptedText().searchableBy(parts.name),
  born: encryptedDate().searchableBy(parts.born),
  ssn: encryptedText().searchableBy(parts.ssn).searchable(),
});

export const notes = encryptedTable(
  'notes',
  {
    id: varchar({ length: 36 }).primaryKey(),
    personId: varchar('person_id', { length: 36 }).notNull(),
    text: encryptedText(),
    ward: encryptedText({ context: 'field' }),
  },
  { subject: 'personId' },
);

export const mysqlTables = { notes, samples, children, childrenOf, parentOf };
