// What the plugin lets through, and what it refuses before a query is sent.
import { createClient } from '@eaas/test-kit/orms/client';
import { defineFields, EncryptedTableError, field, part, unencrypted } from '@eaas/sdk/fields';
import { type ExpressionBuilder, Kysely, type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { expect, test } from 'vitest';
import { postgresOn } from '../test/dialect.ts';
import { encryptedColumns } from './index.ts';

interface Stored {
  patients: {
    id: string;
    city: string;
    name: string | null;
    ssn: string;
    ssn_index: string | null;
    note: string;
  };
  visits: { id: string; patient_id: string; reason: string };
}
type Patients = ExpressionBuilder<Stored, 'patients'>;

const { eaas, index } = await createClient();
const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id', 'city'),
    name: field.text(),
    ssn: field.text().searchable(),
    note: field.text().searchableBy({ words: part.words() }),
  },
});
const records = fields.for(eaas, { index });
const db = new Kysely<Stored>({
  dialect: postgresOn(),
  plugins: [encryptedColumns(fields)],
});

const id = '00000000-0000-4000-8000-000000000001';
const secret = '078-05-1120';
const stored = await records.encryptRow('patients', id, {
  id,
  city: 'Turin',
  name: 'Ada',
  ssn: secret,
  note: 'dry cough',
});
const { ssn_index: found } = await records.where('patients', { ssn: secret });
const plain = { ...stored, ssn: secret };
const from = db.selectFrom('patients');
const insert = db.insertInto('patients');
const update = db.updateTable('patients');
const upsert = (column: 'id' | 'ssn_index', set: object) =>
  insert.values(stored).onConflict((on) => on.column(column).doUpdateSet(set));
/** An upsert that sets a column to another of the row that the insert has. */
const upsertOf = (column: string, of: string) =>
  insert
    .values(stored)
    .onConflict((on) =>
      on.column('id').doUpdateSet((eb) => ({ [column]: eb.ref(`excluded.${of}` as never) })),
    );
const visits = db.selectFrom('visits').selectAll();
const merge = db.mergeInto('patients').using('visits', 'visits.id', 'patients.id');
const withOf = (query: object, name = 'found') =>
  db
    .with(name, () => query as never)
    .selectFrom('found' as never)
    .selectAll();
const { ssn: _, ...withoutSsn } = stored;
const { ssn_index: __, ...withoutIndex } = stored;
const named = from.select('name as called');
const ofNamed = db.selectFrom(named.as('inner'));
const [ids, names] = [from.select('id'), from.select('name')];
const anyNames = names.$castTo<never>();
const raw = (statement: RawBuilder<unknown>): Compiled => ({ compile: () => statement.compile(db) });

interface Compiled {
  compile(): { readonly sql: string };
}

test.each<[string, Compiled]>([
  ['an insert of ciphertexts', insert.values(stored)],
  ['an insert of several rows, one without a value', insert.values([stored, { id, city: 'Bern' } as never])],
  ['an insert of null', insert.values({ ...stored, name: null })],
  [
    'an insert that keeps what is there',
    insert.values(stored).onConflict((on) => on.column('ssn_index').doNothing()),
  ],
  ['an upsert by the id', upsert('id', stored)],
  [
    'an update with ciphertexts',
    update.set({ ssn: stored.ssn, ssn_index: stored.ssn_index }).where('id', '=', id),
  ],
  ['an update to null', update.set({ name: null })],
  ['an update of a plain column', update.set({ city: 'Bern' }).where('ssn_index', 'in', found)],
  ['`returning`', insert.values(stored).returning(['id', 'name'])],
  ['a select of all columns', from.selectAll()],
  ['a select under another name', named],
  ['a search by fingerprints', from.selectAll().where('ssn_index', 'in', found)],
  ['a search by one fingerprint', from.selectAll().where('ssn_index', '=', found[0] ?? '')],
  ['a negated search', from.selectAll().where('ssn_index', 'not in', found)],
  ['a comparison with null', from.select('id').where('name', 'is', null).where('ssn', 'is not', null)],
  ['an order by a plain column', from.selectAll().orderBy('city', 'desc')],
  ['a group by a plain column', from.select(({ fn }) => ['city', fn.countAll().as('n')]).groupBy('city')],
  ['a join', from.innerJoin('visits', 'visits.patient_id', 'patients.id').select(['name', 'reason'])],
  ['a delete', db.deleteFrom('patients').where('ssn_index', 'in', found).returning('name')],
  ['`with`', withOf(from.select(['id', 'name']))],
  ['a subquery of ids', visits.where('patient_id', 'in', ids)],
  [
    'nested rows',
    db.selectFrom('visits').select((eb) => {
      const own = eb.selectFrom('patients').select(['id', 'name']);
      return ['id', jsonArrayFrom(own.whereRef('patients.id', '=', 'visits.patient_id')).as('of')];
    }),
  ],
  ['raw SQL in an expression', from.select(['name', sql`now()`.as('now')])],
  ['another table', visits.where('reason', 'like', '%a%').orderBy('reason').distinct()],
  ['raw SQL of another table', raw(sql`select max(reason) from visits`)],
  ['a definition of the table', db.schema.alterTable('patients').addColumn('more', 'text')],
])('%s is sent as it is', (_, query) => {
  const { sql: text } = query.compile();
  expect(text).not.toContain(secret);
});

const where = (of: (eb: Patients) => unknown): Compiled => from.select('id').where(of as never);
const into = (table: 'patients' | 'visits', columns: readonly string[], query: object): Compiled =>
  db
    .insertInto(table)
    .columns(columns as never)
    .expression(query as never);

test.each<[string, () => Compiled]>([
  ['an insert of plaintext', () => insert.values(plain)],
  ['an insert of several rows, one with plaintext', () => insert.values([stored, plain])],
  ['an insert of SQL', () => insert.values({ ...stored, ssn: sql<string>`upper('x')` })],
  ['an insert with plaintext as the fingerprint', () => insert.values({ ...stored, ssn_index: secret })],
  ['an insert without the index of a field', () => insert.values(withoutIndex)],
  ['an insert with an index without its field', () => insert.values(withoutSsn as never)],
  ['an insert of a query', () => into('patients', ['id', 'name'], visits)],
  ['an insert of ciphertexts elsewhere', () => into('visits', ['id', 'reason'], from.select(['id', 'name']))],
  ['an upsert by another column', () => upsert('ssn_index', stored)],
  ['an upsert with plaintext', () => upsert('id', plain)],
  ['an upsert of `excluded`', () => upsertOf('name', 'name')],
  ['an upsert that copies to a plain column', () => upsertOf('city', 'ssn')],
  [
    'an upsert with a condition',
    () =>
      insert
        .values(stored)
        .onConflict((on) => on.column('id').doUpdateSet({ city: 'x' }).where('patients.name', '=', secret)),
  ],
  ['a conflict of the column', () => insert.values(stored).onConflict((on) => on.column('ssn').doNothing())],
  ['an upsert of MySQL', () => insert.values(stored).onDuplicateKeyUpdate(plain)],
  ['an update with plaintext', () => update.set({ name: secret })],
  ['an update of a pair with plaintext', () => update.set('name', secret)],
  ['an update of the value without its index', () => update.set({ ssn: stored.ssn })],
  ['an update from the column', () => update.set((eb) => ({ city: eb.ref('ssn') }))],
  ['an update from another column', () => update.set((eb) => ({ name: eb.ref('city') }))],
  ['an update with SQL', () => update.set({ name: sql<string>`${secret}` })],
  ['an update of an alias', () => db.updateTable('patients as p').set({ name: secret })],
  ['an update in `with`', () => withOf(update.set({ name: secret }).returning('id'))],
  ['`merge`', () => merge.whenMatched().thenUpdateSet({ name: secret })],
  ['`=`', () => from.selectAll().where('ssn', '=', secret)],
  ['`=` of an alias', () => db.selectFrom('patients as p').selectAll().where('p.ssn', '=', secret)],
  ['`=` of a new name', () => ofNamed.selectAll().where('called', '=', secret)],
  ['`in`', () => from.selectAll().where('ssn', 'in', [secret])],
  ['`like`', () => from.selectAll().where('ssn', 'like', `${secret}%`)],
  ['`>`', () => from.selectAll().where('ssn', '>', secret)],
  ['`between`', () => where((eb) => eb.between('ssn', 'a', 'b'))],
  ['`and` of an object', () => where((eb) => eb.and({ ssn: secret }))],
  ['`or`', () => where((eb) => eb.or([eb('city', '=', 'x'), eb.not(eb('ssn', '=', secret))]))],
  ['a value before the column', () => where((eb) => eb(eb.val(secret), '=', eb.ref('ssn')))],
  ['a tuple', () => where((eb) => eb(eb.refTuple('ssn', 'city'), '=', eb.tuple(secret, 'x')))],
  ['a function', () => where((eb) => eb(eb.fn<string>('lower', ['ssn']), '=', secret))],
  ['`any` of a subquery', () => where((eb) => eb(eb.val(secret), '=', eb.fn<string>('any', [names])))],
  ['a subquery with the column', () => visits.where('reason', 'in', anyNames)],
  ['`case`', () => from.select((eb) => eb.case('ssn').when(secret).then(1).end().as('n'))],
  ['a cast', () => where((eb) => eb(eb.cast('ssn', 'integer'), '=', 1))],
  ['another column', () => from.selectAll().whereRef('ssn', '=', 'city')],
  ['plaintext in the index column', () => from.selectAll().where('ssn_index', '=', secret)],
  ['plaintext beside a fingerprint', () => from.selectAll().where('ssn_index', 'in', [...found, secret])],
  ['plaintext in `having`', () => from.select('city').groupBy('city').having('ssn', '=', secret)],
  ['a join by the column', () => from.innerJoin('visits', 'visits.reason', 'patients.name').select('reason')],
  ['a join by a value', () => from.innerJoin('visits', (on) => on.on('name', '=', secret)).select('reason')],
  ['a search in a subquery', () => visits.where((eb) => eb.exists(ids.where('name', '=', secret)))],
  ['a delete by plaintext', () => db.deleteFrom('patients').where('name', '=', secret)],
  ['`order by`', () => from.selectAll().orderBy('name')],
  ['`order by` with the table', () => from.selectAll().orderBy('patients.name', 'desc')],
  ['`order by` of a new name', () => named.orderBy('called')],
  ['`order by` of a newer name', () => ofNamed.select('called as again').orderBy('again')],
  ['`order by` of a place', () => from.select('name').orderBy(sql`1`)],
  ['`order by` of a `with`', () => withOf(named).orderBy('called' as never)],
  ['`with` that renames', () => withOf(from.select('name as other'), 'found(other)')],
  ['`group by`', () => from.select('city').groupBy(['city', 'name'])],
  ['`distinct`', () => names.distinct()],
  ['`distinct on`', () => from.distinctOn('name').select('id')],
  ['`union`', () => names.union(names)],
  ['`union` whose second part has it', () => db.selectFrom('visits').select('reason').union(anyNames)],
  ['`min`', () => from.select(({ fn }) => fn.min('name').as('n'))],
  ['`count`', () => from.select(({ fn }) => fn.count('name').as('n'))],
  ['a window', () => where(({ fn }) => fn.countAll().over((over) => over.partitionBy('name')))],
  ['raw SQL with the column', () => from.select(sql`lower(name)`.as('n'))],
  ['raw SQL with a reference', () => from.select(sql`lower(${sql.ref('name')})`.as('n'))],
  ['raw SQL with an identifier', () => from.select(sql`lower(${sql.id('name')})`.as('n'))],
  ['raw SQL of the table', () => raw(sql`update patients set city = 'x'`)],
  ['raw SQL of the table as a value', () => raw(sql`select * from ${sql.table('patients')}`)],
  ['raw SQL with another table', () => visits.where(sql<boolean>`exists (select 1 from "patients")`)],
])('%s is refused before it is sent, without the value', (_, query) => {
  const compile = () => query().compile();
  expect(compile).toThrow(EncryptedTableError);
  expect(compile).not.toThrow(secret);
});

test.each([
  [
    'ssn',
    'not_encrypted',
    'ssn: it is compared with plaintext',
    () => from.selectAll().where('ssn', '=', secret),
  ],
  ['name', 'not_supported', 'compute and sort after', () => from.selectAll().orderBy('name')],
] as const)('the error about %s says its table, `%s` and "%s"', (column, code, text, query) => {
  const compile = () => query().compile();
  expect(compile).toThrow(expect.objectContaining({ table: 'patients', column, code }));
  expect(compile).toThrow(text);
});

test('a query in a transaction is refused too, with the column and what to do', async () => {
  const insertIn = db.transaction().execute(async (tx) => tx.insertInto('patients').values(plain).execute());
  await expect(insertIn).rejects.toThrow(
    'ssn: plaintext, or a part of a row: write all that `records.encryptRow` returns',
  );
});
