// What a list with encrypted columns costs the client: as values, and as handles that nobody reveals.
import { createTestService } from '@eaas/local';
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { EaasClient } from '@eaas/sdk';
import { defineFields, type Field, field, unencrypted } from '@eaas/sdk/fields';
import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { Sql } from 'postgres';
import type { Benchmark, Comparison } from './compare.ts';
import { inTurns } from './in-turns.ts';
import { connectDeferred } from './open-operator.ts';

const names = ['name', 'email', 'iban', 'street', 'phone', 'note'] as const;
type Columns<Column> = Record<(typeof names)[number], Column>;
const columnsOf = <Column>(make: (name: string) => Column): Columns<Column> => ({
  name: make('name'),
  email: make('email'),
  iban: make('iban'),
  street: make('street'),
  phone: make('phone'),
  note: make('note'),
});
const people = Array.from({ length: 200 }, (_, nth) => ({
  id: crypto.randomUUID(),
  ...columnsOf((name) => `${name} of person number ${nth}`),
}));

// The SDK first: after thousands of decrypted lists V8 keeps what is read for longer, and a list of handles costs twice as much.
/** How many lists are read in a turn. */
const turn = { plain: 300, encrypted: 30, concealed: 300 };
type Kind = keyof typeof turn;
type Read = () => Promise<unknown>;

export const benchmark: Benchmark = {
  name: 'lists',
  about:
    'a list of 200 rows with six columns, which are plain, encrypted, or concealed and not revealed, in lists for a second of the CPU time of the client, whose data keys are in memory. `SDK` stands for `decryptRows` on the rows of postgres.js',
  async comparisons(defer) {
    const postgres = await OwnPostgres.start('installed', false);
    defer(postgres.drop);
    const sql = connectDeferred(defer, postgres);
    for (const table of ['plain', 'encrypted'])
      await sql.unsafe(`create table ${table} (id uuid primary key, ${names.join(' text, ')} text)`);
    const service = createTestService();
    const { key_id: keyId } = await service.createKey('lists');
    const client = new EaasClient({ ...service, keyId, cache: { decrypt: { maxAge: 86_400_000 } } });
    const readers = { SDK: readersOfSdk(sql, client), Drizzle: await readersOfDrizzle(sql, client) };
    return Object.entries(readers).flatMap(([via, read]) => {
      const compared = (ours: Kind, reference: Kind, target?: number): Comparison => ({
        ours: `${ours}, ${via}`,
        reference,
        target: via === 'SDK' ? target : undefined,
        measure: async () =>
          inTurns(speedOf(read, ours), speedOf(read, reference), { rounds: 15, warmUps: 5 }),
      });
      return [
        compared('concealed', 'plain', 1 / 2.5),
        compared('concealed', 'encrypted', 4),
        compared('encrypted', 'plain'),
      ];
    });
  },
};

const speedOf = (read: Record<Kind, Read>, kind: Kind) => async (): Promise<number> => {
  const begin = process.cpuUsage();
  for (let time = 0; time < turn[kind]; time++) await read[kind]();
  const { user, system } = process.cpuUsage(begin);
  return (turn[kind] * 1e6) / (user + system);
};

/** Fills the tables, too. */
async function readersOfDrizzle(sql: Sql, client: EaasClient): Promise<Record<Kind, Read>> {
  const db = withEncryption(drizzle(sql), client);
  const id = uuid().primaryKey();
  const plain = pgTable('plain', { id, ...columnsOf(() => text().notNull()) });
  const open = encryptedTable('encrypted', { id, ...columnsOf(() => encrypted(field.text()).notNull()) });
  const hidden = columnsOf(() => encrypted(field.text().concealed()).notNull());
  const concealed = encryptedTable('encrypted', { id, ...hidden });
  await db.insert(plain).values(people);
  await db.insert(open).values(people);
  return {
    plain: async () => drizzle(sql).select().from(plain),
    encrypted: async () => db.select().from(open),
    concealed: async () => db.select().from(concealed),
  };
}

function readersOfSdk(sql: Sql, client: EaasClient): Record<Kind, Read> {
  const readerOf = (make: () => Field<string, 'row', false>): Read => {
    const table = { ...unencrypted('id'), ...columnsOf(make) };
    // The name under which Drizzle has encrypted the rows.
    const records = defineFields({ encrypted: table }).for(client);
    return async () => {
      const rows = await sql<({ id: string } & Columns<string>)[]>`select * from encrypted`;
      return records.decryptRows('encrypted', rows, (row) => row.id);
    };
  };
  return {
    plain: async () => sql`select * from plain`,
    encrypted: readerOf(() => field.text()),
    concealed: readerOf(() => field.text().concealed()),
  };
}
