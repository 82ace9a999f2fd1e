// What a list with encrypted columns costs the client: as values, and as handles that nobody reveals; and what an insert of as many
// rows costs.
import { createCipheriv, randomBytes } from 'node:crypto';
import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
import { createTestService } from '@eaas/local';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { EaasClient } from '@eaas/sdk';
import { defineFields, type Field, field, unencrypted } from '@eaas/sdk/fields';
import { customType, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import type { Benchmark } from './compare.ts';
import { inTurns } from './in-turns.ts';
import { connectDeferred } from './open-operator.ts';

const names = ['name', 'email', 'iban', 'street', 'phone', 'note'] as const;
type Columns<Column> = Record<(typeof names)[number], Column>;
const columnsOf = <Column>(make: (name: string) => Column) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Columns<Column>;
const people = Array.from({ length: 200 }, (_, nth) => ({
  id: crypto.randomUUID(),
  ...columnsOf((name) => `${name} of person number ${nth}`),
}));

const keyByHand = randomBytes(32);

/** A column as people encrypt it by hand in Drizzle: AES-256-GCM under one key, with nothing that binds a value to its row. */
const byHand = customType<{ data: string; driverData: string }>({
  dataType: () => 'text',
  toDriver(value) {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', keyByHand, iv);
    const sealed = Buffer.concat([iv, cipher.update(value, 'utf8'), cipher.final()]);
    return Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64');
  },
});

export const benchmark: Benchmark = {
  name: 'lists',
  about:
    'a list of 200 rows with six columns, which are plain, encrypted, or concealed and not revealed, read by `decryptRows` or Drizzle, or inserted by Drizzle, in lists for a second of the CPU time of the client, whose data keys are in memory',
  async comparisons(defer) {
    const postgres = await OwnPostgres.start('installed', false);
    defer(postgres.drop);
    const sql = connectDeferred(defer, postgres);
    for (const table of ['plain', 'people', 'plain_inserts', 'people_inserts', 'inserts_by_hand']) {
      await sql.unsafe(`create table ${table} (id uuid primary key, ${names.join(' text, ')} text)`);
    }
    const service = createTestService();
    const { key_id: keyId } = await service.createKey('lists');
    const client = new EaasClient({ ...service, keyId, cache: { decrypt: { maxAge: 86_400_000 } } });
    const recordsOf = (make: () => Field<string, 'row', false>) =>
      defineFields({ people: { ...unencrypted('id'), ...columnsOf(make) } }).for(client);
    const records = recordsOf(() => field.text());
    const encryptAll = async () => records.encryptRows('people', people, (row) => row.id);
    await sql`insert into plain ${sql(people)}`;
    await sql`insert into people ${sql(await encryptAll())}`;
    const db = withEncryption(drizzle(sql), client);
    const id = uuid().primaryKey();
    const plainTable = pgTable('plain', { id, ...columnsOf(() => text()) });
    const peopleTable = encryptedTable('people', { id, ...columnsOf(() => encrypted(field.text())) });
    const newRows = () => people.map((row) => Object.assign({}, row, { id: crypto.randomUUID() }));
    const plainInserts = pgTable('plain_inserts', { id, ...columnsOf(() => text()) });
    const insertsByHand = pgTable('inserts_by_hand', { id, ...columnsOf(() => byHand()) });
    const peopleInserts = encryptedTable('people_inserts', {
      id,
      ...columnsOf(() => encrypted(field.text())),
    });
    const reading = (of: typeof records) => async () =>
      of.decryptRows('people', await sql<typeof people>`select * from people`, (row) => row.id);
    /** For a turn, how many lists are read. */
    const read = {
      plain: speedOf(async () => sql`select * from plain`, 300),
      encrypted: speedOf(reading(records), 30),
      concealed: speedOf(reading(recordsOf(() => field.text().concealed())), 300),
      'plain, Drizzle': speedOf(async () => drizzle(sql).select().from(plainTable), 300),
      'encrypted, Drizzle': speedOf(async () => db.select().from(peopleTable), 30),
      'to encrypt': speedOf(encryptAll, 30),
      'an insert, plain': speedOf(async () => drizzle(sql).insert(plainInserts).values(newRows()), 100),
      'an insert, by hand': speedOf(async () => drizzle(sql).insert(insertsByHand).values(newRows()), 30),
      'an insert, encrypted': speedOf(async () => db.insert(peopleInserts).values(newRows()), 30),
    };
    const compared = (ours: keyof typeof read, reference: keyof typeof read, target?: number) => ({
      ours,
      reference,
      target,
      measure: async () => inTurns(read[ours], read[reference], { rounds: 15, warmUps: 5 }),
    });
    return [
      compared('concealed', 'plain', 1 / 2.5),
      compared('concealed', 'encrypted', 4),
      compared('encrypted', 'plain'),
      compared('encrypted, Drizzle', 'plain, Drizzle'),
      compared('to encrypt', 'encrypted'),
      compared('an insert, encrypted', 'an insert, by hand'),
      compared('an insert, encrypted', 'an insert, plain'),
    ];
  },
};

const speedOf = (read: () => Promise<unknown>, turn: number) => async (): Promise<number> => {
  const begin = process.cpuUsage();
  for (let time = 0; time < turn; time++) await read();
  const { user, system } = process.cpuUsage(begin);
  return (turn * 1e6) / (user + system);
};
