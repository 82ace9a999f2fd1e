// Rows of an app's tables, as each package writes them to each database: with a half of the app, and a letter about a person.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import * as mysql from '@eaas/drizzle/mysql';
import * as pg from '@eaas/drizzle/pg';
import * as sqlite from '@eaas/drizzle/sqlite';
import { createLocalService } from '@eaas/local';
import { withEncryption } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, type Field } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { type Dialect, dialects } from '../../packages/drizzle/test/dialects.ts';
import type { Opened } from '../../packages/drizzle/test/drivers.ts';
import { type Client, folderOf, openPrisma } from '../../packages/prisma/test/generated-client.ts';
import { columns, fields, letters, people, searches } from './definition.ts';
import { fileOf } from './keys.ts';

type Row = Readonly<Record<string, unknown>>;
type Tables = Readonly<Record<'people' | 'letters', readonly Row[]>>;

export interface KeptRows {
  /** The text of the key file. */
  readonly file: string;
  readonly half: string;
  readonly index: string;
  /** By the package that wrote them, and the database. */
  readonly written: Readonly<Record<string, Tables>>;
}

export async function newRows() {
  const file = fileOf();
  const service = createLocalService({ file });
  const half = randomBytes(32).toString('base64');
  const client = new EaasClient({ service, half: Buffer.from(half, 'base64') });
  return { client, half, index: await createIndexKey(client), text: () => readFileSync(file, 'utf8') };
}

export const clientOf = ({ file, half }: Pick<KeptRows, 'file' | 'half'>): EaasClient =>
  new EaasClient({
    service: createLocalService({ file: fileOf(file), create: false }),
    half: Buffer.from(half, 'base64'),
  });

/** As plain SQL and Kysely write them. */
export async function encryptAll(client: EaasClient, index: string): Promise<Tables> {
  const records = fields.for(client, { index });
  return {
    people: await records.encryptRows('people', people, ({ id }) => id),
    letters: await records.encryptRows('letters', letters, ({ id }) => id),
  };
}

const isFingerprint = ([column, value]: [string, unknown]) => value && column.endsWith('_index');

/** What `fields` reads in rows, and the fingerprints beside the values. */
export async function openAll(client: EaasClient, index: string, { people, letters }: Tables) {
  const records = fields.for(client, { index });
  const idOf = ({ id }: Row) => id as string;
  return {
    people: await records.decryptRows('people', people, idOf, { reveal: ['secret'] }),
    letters: await records.decryptRows('letters', letters as never, idOf),
    fingerprints: people.map((row) => new Map(Object.entries(row).filter(isFingerprint))),
  };
}

/** As Prisma writes them. */
export async function writeByPrisma({ client, index }: Awaited<ReturnType<typeof newRows>>): Promise<Tables> {
  const all = Object.entries(fields.describe()).map(([table, { fields: own, indexes, unencrypted }]) => {
    const columns = [...own, ...indexes].map(({ column }) => column).concat(unencrypted.slice(1));
    const sql = `create table ${table} (id text primary key, ${columns.join(' text, ')} text);`;
    return { sql, prisma: `model ${table} {\n id String @id\n ${columns.join(' String?\n ')} String?\n}\n` };
  });
  mkdirSync(folderOf(7, 'kept'), { recursive: true });
  for (const kind of ['sql', 'prisma'] as const) {
    writeFileSync(join(folderOf(7, 'kept'), `kept.${kind}`), all.map((of) => of[kind]).join(''));
  }
  const { prisma, sql } = await closing(openPrisma(7, 'kept', 'generated/kept/kept'), (it) => it.close());
  const db = withEncryption(prisma, client, fields, { index }) as never as Record<string, Client['patient']>;
  for (const [model, data] of Object.entries({ people, letters })) {
    await db[model]?.['createMany']?.({ data });
  }
  return { people: await sql`select * from people order by id`, letters: await sql`select * from letters` };
}

/** The tables as Drizzle defines them, in an empty database, which gets the rows. */
export async function drizzleOn(
  name: keyof typeof dialects,
  { sql, drizzle }: Opened,
  { client, index }: { readonly client: EaasClient; readonly index: string },
  rows?: Tables,
) {
  const { encrypted, encryptedTable, id, text }: Dialect = dialects[name];
  const all = Object.entries(columns).map(
    ([column, of]) => [column, encrypted(of as Field<unknown>)] as const,
  );
  const tables = {
    people: encryptedTable(
      'people',
      { id: id().primaryKey(), ...(Object.fromEntries(all) as object) },
      { lowEntropy: 'accepted' },
    ),
    letters: encryptedTable(
      'letters',
      { id: id().primaryKey(), person: text(), text: encrypted(columns.ward) },
      { subject: 'person' },
    ),
  };
  for (const [table, { fields: own, indexes, unencrypted }] of Object.entries(fields.describe())) {
    const others = [...own, ...indexes].map(({ column }) => `${column} text`);
    const plain = unencrypted.map((column) => `${column} varchar(36)`);
    await sql(`create table ${table} (${[...plain, ...others].join(', ')}, primary key (id))`);
    for (const row of rows?.[table as 'people'] ?? []) {
      const given = Object.entries(row).filter(([, value]) => value !== null);
      const values = given.map(([, value]) => `'${String(value)}'`);
      await sql(
        `insert into ${table} (${given.map(([column]) => column).join(', ')}) values (${values.join(', ')})`,
      );
    }
  }
  const open = { SQLite: sqlite, MySQL: mysql, PostgreSQL: pg }[name].withEncryption;
  const db = open(drizzle(name === 'MySQL' ? { mode: 'default' } : {}), client, { index });
  return { db, ...tables };
}

type Drizzled = Awaited<ReturnType<typeof drizzleOn>>;

export async function writeByDrizzle({ db, ...tables }: Drizzled): Promise<void> {
  await db.insert(tables.people).values(people as never);
  await db.insert(tables.letters).values(letters as never);
}

/** What Drizzle reads, and finds by each search. */
export async function readByDrizzle({ db, people, letters }: Drizzled) {
  const found = searches.map(async (search) => {
    const [[column, value]] = Object.entries(search) as [[string, unknown]];
    const isPart = Object.getPrototypeOf(value) === Object.prototype;
    const of = people[column as keyof typeof people] as unknown as PgColumn;
    const rows = await db
      .select({ id: people.id })
      .from(people)
      .where(isPart ? pg.matches(of, value as never) : eq(of, value));
    return rows.map(({ id }) => id);
  });
  return {
    people: await db.revealed().select().from(people),
    letters: await db.select().from(letters),
    found: await Promise.all(found),
  };
}
