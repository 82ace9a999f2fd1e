import { relations } from 'drizzle-orm';
import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import {
  encryptedBigint,
  encryptedBoolean,
  encryptedBytes,
  encryptedDate,
  encryptedJson,
  encryptedNumber,
  encryptedTable,
  encryptedText,
} from '@eaas/drizzle/sqlite';
import { plaintext } from '@eaas/sdk/fields';
import { parts } from './parts.ts';

const guessable = { lowEntropy: 'accepted' } as const;

const samples = encryptedTable('samples', {
  id: text()
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  city: text(),
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
const children = sqliteTable('children', {
  id: text().primaryKey(),
  parentId: text('parent_id').references(() => samples.id),
  remark: text(),
});
const childrenOf = relations(samples, ({ many }) => ({ children: many(children) }));
const parentOf = relations(children, ({ one }) => ({
  parent: one(samples, { fields: [children.parentId], references: [samples.id] }),
}));

export const members = encryptedTable('members', {
  id: text().primaryKey(),
  name: encryptedText({ previous: plaintext() }),
  email: encryptedText({ previous: plaintext() }).notNull().searchable().unique(),
});

export const people = encryptedTable('people', {
  id: text().primaryKey(),
  name: encryptedText().searchableBy(parts.name),
  born: encryptedDate().searchableBy(parts.born),
  ssn: encryptedText().searchableBy(parts.ssn).searchable(),
});

export const notes = encryptedTable(
  'notes',
  {
    id: text().primaryKey(),
    personId: text('person_id').notNull(),
    text: encryptedText(),
    ward: encryptedText({ context: 'field' }),
  },
  { subject: 'personId' },
);

export const sqliteTables = { notes, samples, children, childrenOf, parentOf };
