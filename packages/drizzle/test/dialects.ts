import { mysqlTable, varchar } from 'drizzle-orm/mysql-core';
import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import * as mysql from '@eaas/drizzle/mysql';
import * as pg from '@eaas/drizzle/pg';
import * as sqlite from '@eaas/drizzle/sqlite';
import { field, plaintext } from '@eaas/sdk/fields';

export interface Dialect {
  readonly encrypted: typeof pg.encrypted;
  readonly encryptedTable: typeof pg.encryptedTable;
  readonly table: typeof pgTable;
  readonly id: typeof uuid;
  readonly text: typeof text;
}

const varcharOf = (length: number) => (name?: string) => varchar(name as string, { length });
const { encrypted, encryptedTable } = pg;

export const dialects = {
  PostgreSQL: { encrypted, encryptedTable, table: pgTable, id: uuid, text } satisfies Dialect,
  MySQL: { ...mysql, table: mysqlTable, id: varcharOf(36), text: varcharOf(100) } as never as Dialect,
  SQLite: { ...sqlite, table: sqliteTable, id: sqliteText, text: sqliteText } as never as Dialect,
};

/** An encrypted table that gets a column, and a plain one that is encrypted. Last, its old values are gone. */
export function versionsOf(name: keyof typeof dialects) {
  const { encrypted, encryptedTable, table, id, text }: Dialect = dialects[name];
  const columns = () => ({ id: id().primaryKey(), name: encrypted(field.text()) });
  const searchable = (options: object) => encrypted(field.text(options).searchable());
  const next = (options: object) => ({
    members: encryptedTable('members', { ...columns(), phone: searchable({}) }),
    guests: encryptedTable('guests', { id: id().primaryKey(), email: searchable(options).notNull() }),
  });
  const guests = table('guests', { id: id().primaryKey(), email: text().notNull() });
  const first = { members: encryptedTable('members', columns()), guests };
  return [first, next({ previous: plaintext() }), next({})] as const;
}
