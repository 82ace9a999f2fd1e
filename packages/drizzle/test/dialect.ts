import { type SQL, type Table } from 'drizzle-orm';
import type { EncryptedDatabase, withEncryption } from '@eaas/drizzle/pg';
import { migrate } from '@eaas/migrate';
import { expect } from 'vitest';
import { createClient } from '@eaas/test-kit/orms/client';
import { ids } from './cell.ts';
import type { Opened } from './drivers.ts';
import { expectExisting } from './existing.ts';
import { outcomesOf } from './matrix.ts';
import { expectParts } from './parts.ts';
import { expectSubjects } from './subjects.ts';
import { concealed, createTable, type PostgresDatabase, type FieldsTables, tables } from './tables.ts';
import { expectUpserts } from './upserts.ts';

export interface Connection {
  readonly name: keyof typeof tables;
  readonly open: (schema: object) => object;
  /** Runs SQL without Drizzle. */
  readonly sql: Opened['sql'];
  /** What the package and Drizzle export for the dialect. */
  readonly dialect: object;
}

/** Expects every kind of search, people and the encryption of rows, and returns the outcomes of all operations. */
export async function outcomesIn({ name, open, sql, dialect }: Connection): Promise<string> {
  const own = dialect as {
    withEncryption: typeof withEncryption;
    getTableConfig: (table: Table) => Parameters<typeof createTable>[0];
  };
  const { samples, children, people, notes, members, accounts } = tables[name];
  const plain = open(tables[name]);
  const { dialect: writer } = plain as { dialect: { sqlToQuery(value: SQL): { sql: string } } };
  const sqlOf = (value: SQL): string => writer.sqlToQuery(value).sql;
  const created = [samples, children, people, notes, members, accounts];
  for (const table of created) {
    const [create, ...indexes] = createTable(own.getTableConfig(table), sqlOf, name === 'MySQL' ? '`' : '"');
    const all = [`${create}${name === 'MySQL' ? ' character set utf8mb4' : ''}`, ...indexes];
    for (const statement of all) await sql(statement);
  }
  for (const column of ['note', 'date', 'bytes', 'json']) {
    const write = sql(`insert into samples (id, ${column}) values ('${ids.one}', 'eaasaPLAIN')`);
    await expect(write).rejects.toThrow(`samples_${column}_encrypted`);
  }
  await sql('create unique index of_person on notes (person_id, id)');
  const { eaas, index } = await createClient();
  const db = own.withEncryption(plain as PostgresDatabase, eaas, { index });
  const method = name === 'SQLite' ? 'all' : 'execute';
  const outcomesWith = async (
    db: EncryptedDatabase<PostgresDatabase>,
    { samples, children }: FieldsTables,
  ) => {
    const raw = async (statement: SQL) =>
      (db as unknown as Record<string, (statement: SQL) => Promise<unknown>>)[method]?.(statement);
    return outcomesOf({ name, place: { db, samples, children, raw }, sql });
  };
  const outcomes = await outcomesWith(db, tables[name]);
  const concealing = own.withEncryption(open(concealed[name]) as PostgresDatabase, eaas, { index });
  for (const of of [concealing, concealing.revealed()]) {
    expect(await outcomesWith(of, concealed[name])).toBe(outcomes);
    const [row] = await of.select({ text: concealed[name].samples.text }).from(concealed[name].samples);
    expect(JSON.stringify(row)).toBe(`{"text":"${of === concealing ? '[concealed]' : 'Ada Lovelace'}"}`);
  }
  await expectParts(db, people, async () => sql('select * from people order by id'));
  await expectSubjects(db, notes, eaas, async () => sql('select * from notes order by id'));
  if (name !== 'MySQL') {
    await sql('create unique index natural_key on accounts (provider, account)');
    await sql('create unique index active on accounts (person) where ended is null');
    await expectUpserts(plain as PostgresDatabase, accounts, (of) => own.withEncryption(of, eaas, { index }));
  }
  await expectExisting({
    plain,
    method,
    sql,
    stored: async () => sql('select * from members order by id'),
    opened: async () => (await db.select().from(members)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    rotate: () => eaas.keys.rotate(String(eaas.keyId)),
    migrate: (database, mode) =>
      migrate(own.withEncryption(database as PostgresDatabase, eaas, { index }), members, mode, {
        client: eaas,
        pageSize: 3,
      }),
  });
  return outcomes;
}
