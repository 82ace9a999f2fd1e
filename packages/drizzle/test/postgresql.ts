import { relations } from 'drizzle-orm';
import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import {
  encryptedBigint,
  encryptedBoolean,
  encryptedBytes,
  encryptedDate,
  encryptedJson,
  encryptedNumber,
  encryptedTable,
  encryptedText,
} from '@eaas/drizzle/pg';
import { plaintext } from '@eaas/sdk/fields';
import { parts } from './parts.ts';

const guessable = { lowEntropy: 'accepted' } as const;

const samples = encryptedTable('samples', {
  id: uuid()
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
const children = pgTable('children', {
  id: uuid().primaryKey(),
  parentId: uuid('parent_id').references(() => samples.id),
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
  id: uuid().primaryKey(),
  name: encryptedText().searchableBy(parts.name),
  born: encryptedDate().searchableBy(parts.born),
  ssn: encryptedText().searchableBy(parts.ssn).searchable(),
});

export const notes = encryptedTable(
  'notes',
  {
    id: uuid().primaryKey(),
    personId: uuid('person_id').notNull(),
    text: encryptedText(),
    ward: encryptedText({ context: 'field' }),
  },
  { subject: 'personId' },
);

export const postgresTables = { notes, samples, children, childrenOf, parentOf };
export type PostgresDatabase = PostgresJsDatabase<typeof postgresTables>;
