import { asc, gt, like, sql } from 'drizzle-orm';
import { text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, months, words } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { describe, expectTypeOf, test } from 'vitest';
import {
  columnOf,
  type EncryptedColumn,
  encrypted,
  encryptedBytes,
  encryptedDate,
  encryptedJson,
  encryptedNumber,
  encryptedTable,
  encryptedText,
  eq,
  inArray,
  isNull,
  matches,
  type Searched,
  type SearchedBy,
} from './pg.ts';

interface Notes {
  readonly tags: string[];
}

const patients = encryptedTable('patients', {
  id: uuid().primaryKey(),
  name: encryptedText()
    .notNull()
    .searchableBy({ words: words({ lowEntropy: 'accepted' }) }),
  ssn: encryptedText().searchable().unique(),
  born: encryptedDate().searchableBy({ month: months({ lowEntropy: 'accepted' }) }),
  notes: encryptedJson<Notes>(),
  weight: encryptedNumber().searchable({ lowEntropy: 'accepted' }),
  city: text(),
});
const schema = { patients };

const service = createTestService();
const { key_id: keyId } = service.createKey('patients');
const { baseUrl, apiKey, fetch } = service;
const eaas = new EaasClient({ baseUrl, apiKey, keyId, fetch });
const db = encrypted(
  drizzle(async () => ({ rows: [] }), { schema }),
  eaas,
  { index: await createIndexKey(eaas) },
);

interface Patient {
  id: string;
  name: string;
  ssn: string | null;
  born: Date | null;
  notes: Notes | null;
  weight: number | null;
  city: string | null;
}

describe('the types show the values and not the ciphertexts', () => {
  test('rows', () => {
    expectTypeOf<typeof patients.$inferSelect>().toEqualTypeOf<Patient>();
    expectTypeOf(async () => db.select().from(patients)).returns.resolves.toEqualTypeOf<Patient[]>();
    expectTypeOf(async () =>
      db.insert(patients).values({ id: '', name: '' }).returning(),
    ).returns.resolves.toEqualTypeOf<Patient[]>();
  });

  test('the result of a query with chosen columns has plaintext types, also in nested objects', () => {
    const query = async () =>
      db.select({ a: patients.name, b: { born: patients.born, id: patients.id } }).from(patients);
    expectTypeOf(query).returns.resolves.toEqualTypeOf<
      { a: string; b: { born: Date | null; id: string } }[]
    >();
  });

  test('columns for `returning`', () => {
    const query = async () => db.delete(patients).returning({ name: columnOf(patients.name) });
    expectTypeOf(query).returns.resolves.toEqualTypeOf<{ name: string }[]>();
  });

  test('relational queries', () => {
    const query = async () => db.query.patients.findFirst({ columns: { born: true } });
    expectTypeOf(query).returns.resolves.toEqualTypeOf<{ born: Date | null } | undefined>();
  });

  test('transactions', () => {
    const query = async () => db.transaction(async (tx) => tx.select({ n: patients.notes }).from(patients));
    expectTypeOf(query).returns.resolves.toEqualTypeOf<{ n: Notes | null }[]>();
  });
});

test('the editor says what a column lacks', () => {
  type Said<Column, Kind extends 'eq' | 'matches'> =
    Column extends EncryptedColumn<infer C> ? keyof (Kind extends 'eq' ? Searched<C> : SearchedBy<C>) : never;
  expectTypeOf<
    Said<typeof patients.name, 'eq'>
  >().toEqualTypeOf<'this column has no index: add .searchable() to search it'>();
  expectTypeOf<
    Said<typeof patients.ssn, 'matches'>
  >().toEqualTypeOf<'this column has no index of parts: add .searchableBy({ … }) to search it'>();
  expectTypeOf<Said<typeof patients.ssn, 'eq'>>().toBeNever();
  expectTypeOf<Said<typeof patients.name, 'matches'>>().toBeNever();
  expectTypeOf<
    keyof (typeof patients.name)['getSQL']
  >().toEqualTypeOf<'this column is encrypted: use the operators of @eaas/drizzle, or compute after decryption'>();
});

test('statements that cannot work on ciphertexts do not compile', () => {
  const never = (): void => {
    eq(patients.ssn, '1');
    eq(patients.weight, 1);
    eq(patients.city, 'London');
    matches(patients.name, { words: 'ada' });
    matches(patients.born, { month: { from: new Date(), to: new Date() } });
    // @ts-expect-error: the column `name` has no index `wrods`
    matches(patients.name, { wrods: 'ada' });
    // @ts-expect-error: the index `month` does not take a text
    matches(patients.born, { month: '1815' });
    // @ts-expect-error: the column `ssn` has no `searchableBy`
    matches(patients.ssn, { last4: '6789' });
    // @ts-expect-error: `words` is an index of texts, and not of dates
    encryptedDate().searchableBy({ words: words({ lowEntropy: 'accepted' }) });
    // @ts-expect-error: bytes cannot be searched
    encryptedBytes().searchableBy({ words: words({ lowEntropy: 'accepted' }) });
    inArray(patients.ssn, ['1']);
    isNull(patients.notes);
    // @ts-expect-error: the column `name` is not searchable
    eq(patients.name, 'Ada');
    // @ts-expect-error: the column `weight` contains numbers
    eq(patients.weight, '1');
    // @ts-expect-error: the column `ssn` contains text
    inArray(patients.ssn, [1]);
    // @ts-expect-error: `eq` does not accept null
    eq(patients.ssn, null);
    // @ts-expect-error: `like` cannot compare ciphertexts
    like(patients.name, 'A%');
    // @ts-expect-error: `gt` cannot compare ciphertexts
    gt(patients.ssn, '1');
    // @ts-expect-error: `asc` cannot sort ciphertexts
    asc(patients.name);
    // @ts-expect-error: `orderBy` cannot sort ciphertexts
    void db.select().from(patients).orderBy(patients.name);
    // @ts-expect-error: `groupBy` cannot group ciphertexts
    void db.select().from(patients).groupBy(patients.ssn);
    // @ts-expect-error: `selectDistinct` cannot compare ciphertexts
    void db.selectDistinct({ name: patients.name }).from(patients);
    // @ts-expect-error: the column `name` takes text
    void db.insert(patients).values({ id: '', name: 1 });
    // @ts-expect-error: apps cannot write fingerprints into an index column
    void db.update(patients).set({ ssn_index: '' });
    // @ts-expect-error: an encrypted column cannot have a default in the database
    encryptedText().default('');
    // @ts-expect-error: encrypted bytes cannot be searched
    encryptedBytes().searchable();
    // @ts-expect-error: a searchable number column needs the option `lowEntropy`
    encryptedNumber().searchable();
    void sql`${patients.name} is null`;
  };
  expectTypeOf(never).toBeFunction();
});
