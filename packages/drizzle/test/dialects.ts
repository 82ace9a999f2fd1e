// What the tables of tests are made of in each dialect, with the types of PostgreSQL.
import { mysqlTable, varchar } from 'drizzle-orm/mysql-core';
import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import * as mysql from '@eaas/drizzle/mysql';
import * as pg from '@eaas/drizzle/pg';
import * as sqlite from '@eaas/drizzle/sqlite';

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
