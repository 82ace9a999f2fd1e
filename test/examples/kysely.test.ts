// What the plugin of examples/kysely lets through, and what it refuses before a query is sent.
import { createClient } from '@eaas/test-kit/orms/client';
import { defineFields, field, part, unencrypted } from '@eaas/sdk/fields';
import {
  DummyDriver,
  type ExpressionBuilder,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { expect, test } from 'vitest';
import { encryptedColumns } from '../../examples/kysely/encryption.ts';

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
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (of) => new PostgresIntrospector(of),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
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
const byId = insert.values(stored).onConflict((on) => on.column('id').doUpdateSet(stored));
const { ssn: _, ...withoutSsn } = stored;
const { ssn_index: __, ...withoutIndex } = stored;
const named = from.select('name as called');

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
  ['an upsert by the id', byId],
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
  [
    '`with`',
    db
      .with('found', () => from.select(['id', 'name']))
      .selectFrom('found')
      .selectAll(),
  ],
  ['a subquery of ids', db.selectFrom('visits').selectAll().where('patient_id', 'in', from.select('id'))],
  [
    'nested rows',
    db
      .selectFrom('visits')
      .select((eb) => [
        'id',
        jsonArrayFrom(
          eb.selectFrom('patients').select(['id', 'name']).whereRef('patients.id', '=', 'visits.patient_id'),
        ).as('of'),
      ]),
  ],
  ['raw SQL in an expression', from.select(['name', sql`now()`.as('now')])],
  [
    'another table',
    db.selectFrom('visits').selectAll().where('reason', 'like', '%a%').orderBy('reason').distinct(),
  ],
  ['raw SQL of another table', { compile: () => sql`select max(reason) from visits`.compile(db) }],
  ['a definition of the table', db.schema.alterTable('patients').addColumn('more', 'text')],
])('%s is sent as it is', (_, query) => {
  const { sql: text } = query.compile();
  expect(text).not.toContain(secret);
});

const where = (of: (eb: Patients) => unknown): Compiled => from.select('id').where(of as never);

test.each<[string, () => Compiled]>([
  ['an insert of plaintext', () => insert.values(plain)],
  ['an insert of several rows, one with plaintext', () => insert.values([stored, plain])],
  ['an insert of SQL', () => insert.values({ ...stored, ssn: sql<string>`upper('x')` })],
  ['an insert with plaintext as the fingerprint', () => insert.values({ ...stored, ssn_index: secret })],
  ['an insert without the index of a field', () => insert.values(withoutIndex)],
  ['an insert with an index without its field', () => insert.values(withoutSsn as never)],
  [
    'an insert of a query',
    () => insert.columns(['id', 'name']).expression(db.selectFrom('visits').select(['id', 'reason'])),
  ],
  [
    'an insert of ciphertexts into another table',
    () =>
      db
        .insertInto('visits')
        .columns(['id', 'reason'])
        .expression(from.select(['id', 'name'])),
  ],
  [
    'an upsert by another column',
    () => insert.values(stored).onConflict((on) => on.column('ssn_index').doUpdateSet(stored)),
  ],
  [
    'an upsert with plaintext',
    () => insert.values(stored).onConflict((on) => on.column('id').doUpdateSet(plain)),
  ],
  [
    'an upsert of `excluded`',
    () =>
      insert
        .values(stored)
        .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ name: eb.ref('excluded.name') }))),
  ],
  [
    'an upsert that copies to a plain column',
    () =>
      insert
        .values(stored)
        .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ city: eb.ref('excluded.ssn') }))),
  ],
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
  [
    'an update in `with`',
    () =>
      db
        .with('done', (of) => of.updateTable('patients').set({ name: secret }).returning('id'))
        .selectFrom('done')
        .selectAll(),
  ],
  [
    '`merge`',
    () =>
      db
        .mergeInto('patients')
        .using('visits', 'visits.id', 'patients.id')
        .whenMatched()
        .thenUpdateSet({ name: secret }),
  ],
  ['`=`', () => from.selectAll().where('ssn', '=', secret)],
  ['`=` of an alias', () => db.selectFrom('patients as p').selectAll().where('p.ssn', '=', secret)],
  ['`=` of a new name', () => db.selectFrom(named.as('inner')).selectAll().where('called', '=', secret)],
  ['`in`', () => from.selectAll().where('ssn', 'in', [secret])],
  ['`like`', () => from.selectAll().where('ssn', 'like', `${secret}%`)],
  ['`>`', () => from.selectAll().where('ssn', '>', secret)],
  ['`between`', () => where((eb) => eb.between('ssn', 'a', 'b'))],
  ['`and` of an object', () => where((eb) => eb.and({ ssn: secret }))],
  ['`or`', () => where((eb) => eb.or([eb('city', '=', 'x'), eb.not(eb('ssn', '=', secret))]))],
  ['a value before the column', () => where((eb) => eb(eb.val(secret), '=', eb.ref('ssn')))],
  ['a tuple', () => where((eb) => eb(eb.refTuple('ssn', 'city'), '=', eb.tuple(secret, 'x')))],
  ['a function', () => where((eb) => eb(eb.fn<string>('lower', ['ssn']), '=', secret))],
  [
    '`any` of a subquery',
    () =>
      where((eb) => eb(eb.val(secret), '=', eb.fn<string>('any', [eb.selectFrom('patients').select('ssn')]))),
  ],
  [
    'a subquery with the column',
    () => db.selectFrom('visits').selectAll().where('reason', 'in', from.select('name').$castTo<never>()),
  ],
  ['`case`', () => from.select((eb) => eb.case('ssn').when(secret).then(1).end().as('n'))],
  ['a cast', () => where((eb) => eb(eb.cast('ssn', 'integer'), '=', 1))],
  ['another column', () => from.selectAll().whereRef('ssn', '=', 'city')],
  ['plaintext in the index column', () => from.selectAll().where('ssn_index', '=', secret)],
  ['plaintext beside a fingerprint', () => from.selectAll().where('ssn_index', 'in', [...found, secret])],
  ['plaintext in `having`', () => from.select('city').groupBy('city').having('ssn', '=', secret)],
  [
    'a join by the column',
    () => from.innerJoin('visits', 'visits.reason', 'patients.name').select('visits.id'),
  ],
  [
    'a join by a value',
    () => from.innerJoin('visits', (on) => on.on('patients.name', '=', secret)).select('visits.id'),
  ],
  [
    'a search in a subquery',
    () =>
      db
        .selectFrom('visits')
        .selectAll()
        .where((eb) => eb.exists(eb.selectFrom('patients').where('name', '=', secret).select('id'))),
  ],
  ['a delete by plaintext', () => db.deleteFrom('patients').where('name', '=', secret)],
  ['`order by`', () => from.selectAll().orderBy('name')],
  ['`order by` with the table', () => from.selectAll().orderBy('patients.name', 'desc')],
  ['`order by` of a new name', () => named.orderBy('called')],
  [
    '`order by` of a new name of a new name',
    () => db.selectFrom(named.as('inner')).select('called as again').orderBy('again'),
  ],
  ['`order by` of a place', () => from.select('name').orderBy(sql`1`)],
  [
    '`order by` of a `with`',
    () =>
      db
        .with('found', () => named)
        .selectFrom('found')
        .selectAll()
        .orderBy('called'),
  ],
  [
    '`with` that renames',
    () =>
      db
        .with('found(other)', () => from.select('name as other') as never)
        .selectFrom('found' as never)
        .selectAll(),
  ],
  ['`group by`', () => from.select('city').groupBy(['city', 'name'])],
  ['`distinct`', () => from.distinct().select('name')],
  ['`distinct on`', () => from.distinctOn('name').select('id')],
  ['`union`', () => from.select('name').union(from.select('name'))],
  [
    '`union` whose second part has it',
    () => db.selectFrom('visits').select('reason as name').union(from.select('name').$castTo<never>()),
  ],
  ['`min`', () => from.select(({ fn }) => fn.min('name').as('n'))],
  ['`count`', () => from.select(({ fn }) => fn.count('name').as('n'))],
  [
    'a window',
    () =>
      from.select(({ fn }) =>
        fn
          .countAll()
          .over((over) => over.partitionBy('name'))
          .as('n'),
      ),
  ],
  ['raw SQL with the column', () => from.select(sql`lower(name)`.as('n'))],
  ['raw SQL with a reference', () => from.select(sql`lower(${sql.ref('name')})`.as('n'))],
  ['raw SQL with an identifier', () => from.select(sql`lower(${sql.id('name')})`.as('n'))],
  ['raw SQL of the table', () => ({ compile: () => sql`update patients set city = 'x'`.compile(db) })],
  [
    'raw SQL of the table as a value',
    () => ({ compile: () => sql`select * from ${sql.table('patients')}`.compile(db) }),
  ],
  [
    'raw SQL in a query of another table',
    () =>
      db
        .selectFrom('visits')
        .selectAll()
        .where(sql<boolean>`exists (select 1 from "patients")`),
  ],
])('%s is refused before it is sent, without the value', (_, query) => {
  const compile = () => query().compile();
  expect(compile).toThrow(TypeError);
  expect(compile).toThrow(/is encrypted: /);
  expect(compile).not.toThrow(secret);
});

test('a query in a transaction is refused too, with the column and what to do', async () => {
  const insertIn = db.transaction().execute(async (tx) => tx.insertInto('patients').values(plain).execute());
  await expect(insertIn).rejects.toThrow('`ssn` is encrypted: write all that `records.encryptRow` returns');
});
