// What the types of tables, statements and results of Drizzle show. TypeScript alone judges: nothing here runs.
import { eq, inArray } from 'drizzle-orm';
import * as mysql from 'drizzle-orm/mysql-core';
import type { MySqlRemoteDatabase } from 'drizzle-orm/mysql-proxy';
import { type PgDatabase, text, uuid, withReplicas } from 'drizzle-orm/pg-core';
import type { PgRemoteDatabase, PgRemoteQueryResultHKT } from 'drizzle-orm/pg-proxy';
import * as sqlite from 'drizzle-orm/sqlite-core';
import type { SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy';
import { type Concealed, field, type FieldsClient, part, type StandardSchema } from '@eaas/sdk/fields';
import { claim } from '@eaas/test-kit/types';
import { expectTypeOf } from 'vitest';
import * as ours from '../src/mysql.ts';
import { encrypted, encryptedTable, matches, withEncryption, type EncryptedDatabase } from '../src/pg.ts';

interface Notes {
  readonly tags: string[];
}

const patients = encryptedTable(
  'patients',
  {
    id: uuid().primaryKey(),
    name: encrypted(field.text().searchableBy({ words: part.words() })).notNull(),
    ssn: encrypted(field.text().searchable()).unique(),
    born: encrypted(field.date().searchableBy({ month: part.months() })),
    notes: encrypted(field.json<Notes>()),
    weight: encrypted(field.number().searchable()),
    city: text(),
  },
  { lowEntropy: 'accepted' },
);
// Nothing runs: TypeScript alone judges.
const [plain, eaas] = [{} as PgRemoteDatabase<{ patients: typeof patients }>, {} as FieldsClient];
const db = {} as EncryptedDatabase<typeof plain>;

interface Patient {
  id: string;
  name: string;
  ssn: string | null;
  born: Date | null;
  notes: Notes | null;
  weight: number | null;
  city: string | null;
}

claim('the types show the values and not the ciphertexts, also in nested objects', () => {
  expectTypeOf<typeof patients.$inferSelect>().toEqualTypeOf<Patient>();
  const never = async () => ({
    all: await db.select().from(patients),
    inserted: await db.insert(patients).values({ id: '', name: '' }).returning(),
    nested: await db.select({ a: patients.name, b: { born: patients.born } }).from(patients),
  });
  type Nested = { a: string; b: { born: Date | null } };
  type All = { all: Patient[]; inserted: Patient[]; nested: Nested[] };
  expectTypeOf(never).returns.resolves.toEqualTypeOf<All>();
});

claim(
  'results have handles of concealed columns, writes also take values, and conditions take values',
  () => {
    const ssn = encrypted(field.text().searchable().concealed());
    const age = encrypted(field.number().concealed()).notNull();
    const guests = encryptedTable('guests', { id: uuid().primaryKey(), ssn, age });
    const others = ours.encryptedTable('others', { ssn: ours.encrypted(field.text().concealed()) });
    type Guest = { id: string; ssn: Concealed<string> | null; age: Concealed<number> };
    const never = async (tx: EncryptedDatabase<typeof plain>, my: MySqlRemoteDatabase) => {
      const [row, set] = [{ id: '', ssn: '1', age: 1 } as const, { ssn: '1' }];
      const [all, isOne] = [await db.select().from(guests), eq(guests.ssn, '1')];
      const insert = db.insert(guests).values([row]).onConflictDoUpdate({ target: guests.id, set });
      const update = tx.update(guests).set({ ...all[0], ssn: '1' });
      const nested = db.select({ in: { age: guests.age } }).from(guests);
      const found = await nested.where(inArray(guests.age, [1]));
      expectTypeOf(found).toEqualTypeOf<{ in: Pick<Guest, 'age'> }[]>();
      expectTypeOf(await found[0]?.in.age.reveal({ by: db.revealed().as('7') })).toEqualTypeOf<
        number | undefined
      >();
      void withEncryption(my, eaas).insert(others).values(set).onDuplicateKeyUpdate({ set });
      // @ts-expect-error: another type
      db.insert(guests).values({ ...row, ssn: 1 });
      // @ts-expect-error: another type
      db.update(guests).set({ age: '1' });
      // @ts-expect-error: another type
      eq(guests.age, '1');
      return [all, await insert.returning(), await update.where(isOne).returning()];
    };
    expectTypeOf(never).returns.resolves.toEqualTypeOf<Guest[][]>();
  },
);

claim('a column whose field has a schema shows what the schema returns', () => {
  const schema = {} as StandardSchema<string, Notes>;
  const table = encryptedTable('notes', {
    id: uuid().primaryKey(),
    notes: encrypted(field.json(schema)).$defaultFn(() => 'input'),
  });
  expectTypeOf<typeof table.$inferSelect>().toEqualTypeOf<{ id: string; notes: Notes | null }>();
});

claim('functions with the bounds of Drizzle take an encrypted database, also `withReplicas`', () => {
  type Bound = PgDatabase<PgRemoteQueryResultHKT, { patients: typeof patients }>;
  const generic = <Database extends Bound>(of: Database): Database => of;
  const own = (of: Parameters<Parameters<(typeof plain)['transaction']>[0]>[0]) => of;
  const never = async (my: MySqlRemoteDatabase, lite: SqliteRemoteDatabase) => {
    mysql.withReplicas(withEncryption(my, eaas), [withEncryption(mysql.withReplicas(my, [my]), eaas)]);
    const replica = withEncryption(sqlite.withReplicas(lite, [lite]), eaas);
    sqlite.withReplicas(withEncryption(lite, eaas), [replica]);
    const [inner, outer] = [withReplicas(db, [db]), withEncryption(withReplicas(plain, [plain]), eaas)];
    await generic(inner).transaction(async (tx) => own(generic(tx).as('7')));
    return [await generic(outer).query.patients.findMany(), await inner.select().from(patients)];
  };
  expectTypeOf(never).returns.resolves.toEqualTypeOf<Patient[][]>();
});

claim('definitions, values and searches of the wrong type do not compile', () => {
  const never = (): void => {
    eq(patients.ssn, '1');
    matches(patients.name, { words: 'ada' });
    matches(patients.born, { month: { from: new Date(), to: new Date() } });
    // @ts-expect-error: the column `name` has no index `wrods`
    matches(patients.name, { wrods: 'ada' });
    // @ts-expect-error: the column `ssn` has no `searchableBy`
    matches(patients.ssn, { last4: '6789' });
    // @ts-expect-error: the column `weight` contains numbers
    eq(patients.weight, '1');
    // @ts-expect-error: the column `name` takes text
    void db.insert(patients).values({ id: '', name: 1 });
    // @ts-expect-error: apps cannot write fingerprints into an index column
    void db.update(patients).set({ ssn_index: '' });
    // @ts-expect-error: an encrypted column cannot have a default in the database
    encrypted(field.text()).default('');
    withEncryption(plain, eaas, { keyIds: { 'patients.name': '' }, onError: { patients: 'null' } });
    // @ts-expect-error: a builder of Drizzle is not a field
    encrypted(text());
  };
  expectTypeOf(never).toBeFunction();
});
