import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { field } from '@eaas/sdk/fields';
import type { Benchmark } from './compare.ts';

const size = 10_000;

const patients = encryptedTable('patients', {
  id: uuid().primaryKey(),
  age: integer(),
  city: text(),
  name: encrypted(field.text()).notNull(),
  email: encrypted(field.text()).notNull(),
  ward: encrypted(field.text({ context: 'field' })).notNull(),
});
const stored = pgTable('patients', {
  id: uuid().primaryKey(),
  age: integer(),
  city: text(),
  name: text().notNull(),
  email: text().notNull(),
  ward: text().notNull(),
});

export const benchmark: Benchmark = {
  name: 'drizzle',
  about: 'rows with three encrypted columns read through Drizzle, from PostgreSQL',
  async comparisons(defer) {
    const server = await OwnPostgres.start();
    defer(server.drop);
    const connection = postgres({ ...server.connection('owner'), max: 1 });
    defer(async () => connection.end());
    await connection.unsafe(
      'create table patients (id uuid primary key, age int, city text, name text, email text, ward text)',
    );
    const eaas = createClient();
    const plain = drizzle(connection);
    const db = withEncryption(plain, eaas);
    for (let at = 0; at < size; at += 1_000) await db.insert(patients).values(rowsFrom(at, 1_000));
    return [
      {
        ours: {
          name: 'select, decrypted',
          size,
          run: async () => requireAll(await db.select().from(patients)),
        },
        reference: {
          name: 'plain read + bare loop',
          size,
          run: async () => decryptAll(eaas, requireAll(await plain.select().from(stored))),
        },
        target: 1 / 1.3,
      },
    ];
  },
};

function createClient(): EaasClient {
  const service = createTestService();
  const { baseUrl, apiKey, fetch } = service;
  const { key_id: keyId } = service.createKey('patients');
  return new EaasClient({ baseUrl, apiKey, keyId, fetch });
}

function rowsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, offset) => ({
    id: crypto.randomUUID(),
    age: offset % 90,
    city: 'London',
    name: `Name of patient ${first + offset}`,
    email: `patient-${first + offset}@example.com`,
    ward: `Ward ${offset % 10}`,
  }));
}

function requireAll<Row>(rows: readonly Row[]): readonly Row[] {
  if (rows.length !== size) throw new Error(`expected ${size} rows from the database (got ${rows.length})`);
  return rows;
}

function decryptAll(eaas: EaasClient, rows: readonly (typeof stored.$inferSelect)[]): void {
  for (const row of rows) {
    for (const field of ['name', 'email', 'ward'] as const) {
      const place = { table: 'patients', field };
      const context = field === 'ward' ? place : { ...place, row: row.id };
      eaas.decryptSync(row[field], { context, as: 'text' });
    }
  }
}
