import { relations, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { type Field, field, plaintext } from '@eaas/sdk/fields';
import { type Dialect, dialects } from './dialects.ts';
import { kinds } from './kinds.ts';
import { parts } from './parts.ts';

/** The tables of a dialect, with the types of PostgreSQL, and those of values where fields are concealed. */
function tablesOf({ encrypted: columnOf, encryptedTable, table, id, text }: Dialect, isConcealed = false) {
  const isConcealable = (of: Field<unknown>) => isConcealed && of.type.name !== 'boolean';
  const encrypted = ((of: Field<unknown>) =>
    columnOf(isConcealable(of) ? { ...of, isConcealed: true } : of)) as typeof columnOf;
  const samples = encryptedTable(
    'samples',
    {
      id: id()
        .primaryKey()
        .$defaultFn(() => crypto.randomUUID()),
      city: text(),
      code: encrypted(field.text().searchable()).unique(),
      text: encrypted(field.text().searchable({ normalize: ['trim'] })),
      note: encrypted(field.text()),
      number: encrypted(field.number().searchable()),
      bigint: encrypted(field.bigint().searchable()),
      boolean: encrypted(field.boolean().searchable()),
      date: encrypted(field.date().searchable()),
      bytes: encrypted(field.bytes()),
      json: encrypted(field.json<unknown>()),
    },
    { lowEntropy: 'accepted' },
  );
  const children = table('children', {
    id: id().primaryKey(),
    parentId: id('parent_id').references(() => samples.id),
    remark: text(),
  });
  const members = encryptedTable('members', {
    id: text().primaryKey(),
    name: encrypted(field.text({ previous: plaintext() })),
    email: encrypted(field.text({ previous: plaintext() }).searchable())
      .notNull()
      .unique(),
  });
  const people = encryptedTable(
    'people',
    {
      id: id().primaryKey(),
      name: encrypted(field.text().searchableBy(parts.name)),
      born: encrypted(field.date().searchableBy(parts.born)),
      ssn: encrypted(field.text().searchable().searchableBy(parts.ssn)),
    },
    { lowEntropy: 'accepted' },
  );
  const notes = encryptedTable(
    'notes',
    {
      id: id().primaryKey(),
      personId: id('person_id').notNull(),
      text: encrypted(field.text()),
      ward: encrypted(field.text({ context: 'field' })),
    },
    { subject: 'personId' },
  );
  const newId = () => id().$defaultFn(() => crypto.randomUUID());
  const accountColumns = {
    id: newId().primaryKey(),
    person: newId(),
    provider: text().$defaultFn(() => 'google'),
    account: text(),
    ended: text(),
    email: encrypted(field.text().searchable()).unique(),
    token: encrypted(field.text()),
  };
  const accounts = encryptedTable('accounts', accountColumns, { subject: 'person' });
  const childrenOf = relations(samples, ({ many, one }) => {
    // From each row to the rows with the same value of an encrypted column.
    const twins = kinds.map((kind) => {
      const on = { fields: [samples[kind]] as [PgColumn], references: [samples[kind]] as [PgColumn] };
      return [`${kind}Twin`, one(samples, { ...on, relationName: `${kind}Twin` } as never)] as const;
    });
    return { children: many(children), ...(Object.fromEntries(twins) as object) };
  });
  const parentOf = relations(children, ({ one }) => ({
    parent: one(samples, { fields: [children.parentId], references: [samples.id] }),
  }));
  return { samples, children, childrenOf, parentOf, members, people, notes, accounts };
}

const allTables = (isConcealed?: boolean) => ({
  PostgreSQL: tablesOf(dialects.PostgreSQL, isConcealed),
  MySQL: tablesOf(dialects.MySQL, isConcealed),
  SQLite: tablesOf(dialects.SQLite, isConcealed),
});
export const [tables, concealed] = [allTables(), allTables(true)];

export type FieldsTables = typeof tables.PostgreSQL;
export type PostgresDatabase = PostgresJsDatabase<FieldsTables>;

interface Column {
  readonly name: string;
  readonly primary: boolean;
  readonly notNull: boolean;
  readonly isUnique: boolean;
  getSQLType(): string;
}

interface Check {
  readonly name: string;
  readonly value: SQL;
}

interface Index {
  readonly config: { readonly name: string; readonly where?: SQL };
}

interface Config {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly checks: readonly Check[];
  readonly indexes: readonly Index[];
}

/** Returns the SQL that creates a table, of what `getTableConfig` of its dialect returns. */
export function createTable(
  { name, columns, checks, indexes }: Config,
  sqlOf: (value: SQL) => string,
  quote = '"',
): string[] {
  const list = columns.map((column) => {
    const constraints = [
      column.primary && 'primary key',
      column.notNull && 'not null',
      column.isUnique && 'unique',
    ];
    return [quote + column.name + quote, column.getSQLType(), ...constraints].filter(Boolean).join(' ');
  });
  const own = checks.map((check) => `constraint ${check.name} check (${sqlOf(check.value)})`);
  // Those of SQLite that refuse rows.
  const refusing = indexes.map(
    ({ config }) => `create index ${config.name} on ${name} (id) where ${sqlOf(config.where as SQL)}`,
  );
  return [`create table ${name} (${[...list, ...own].join(', ')})`, ...refusing];
}
