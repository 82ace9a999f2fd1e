// What the plugin refuses beside CamelCasePlugin, which changes names before or after it, and what looks like a fingerprint or like
// another column.
import { createClient } from '@eaas/test-kit/orms/client';
import { defineFields, EncryptedTableError, field, part, unencrypted } from '@eaas/sdk/fields';
import { CamelCasePlugin, CompiledQuery, DummyDriver, Kysely, type KyselyPlugin, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { postgresOn } from '../test/dialect.ts';
import { encryptedColumns } from './index.ts';

type Tables = Readonly<Record<string, Record<string, unknown>>>;

const { eaas, index } = await createClient();
const id = '00000000-0000-4000-8000-000000000001';
const secret = '078-05-1120';

/** A database that keeps what it would send. */
function databaseOf(plugins: readonly KyselyPlugin[]) {
  const sent: CompiledQuery[] = [];
  const driver = new DummyDriver();
  const connection = {
    async executeQuery(query: CompiledQuery) {
      sent.push(query);
      return { rows: [] };
    },
    // oxlint-disable-next-line eslint/require-yield -- a connection must have it
    async *streamQuery() {
      throw new Error('no query is streamed');
    },
  };
  driver.acquireConnection = async () => connection;
  const db = new Kysely<Tables>({
    dialect: postgresOn(driver),
    plugins: [...plugins],
  });
  return { db, sent };
}

/** A table as an app names it in code, and one as the database does. */
const definitions = {
  camelCase: { table: 'homeVisits', name: 'firstName', ssn: 'ssnNumber', city: 'cityName' },
  snake_case: { table: 'home_visits', name: 'first_name', ssn: 'ssn_number', city: 'city_name' },
};

const orders: Readonly<Record<string, (ours: KyselyPlugin, camelCase: KyselyPlugin) => Kysely<Tables>>> = {
  'after ours': (ours, camelCase) => databaseOf([ours, camelCase]).db,
  'before ours': (ours, camelCase) => databaseOf([camelCase, ours]).db,
  'in a database that then gets ours': (ours, camelCase) => databaseOf([camelCase]).db.withPlugin(ours),
  'in a database that has ours': (ours, camelCase) => databaseOf([ours]).db.withPlugin(camelCase),
};

const spellings = {
  'as it is': new CamelCasePlugin(),
  'in capitals': new CamelCasePlugin({ upperCase: true }),
  'with `_` before digits and capitals': new CamelCasePlugin({
    underscoreBeforeDigits: true,
    underscoreBetweenUppercaseLetters: true,
  }),
};

const cases = Object.keys(orders).flatMap((order) =>
  Object.keys(definitions).flatMap((style) =>
    Object.keys(spellings).map((spelling) => [order, style, spelling] as const),
  ),
);

describe.each(cases)('CamelCasePlugin %s, with names in %s, %s', (order, style, spelling) => {
  const names = definitions[style as keyof typeof definitions];
  const fields = defineFields({
    [names.table]: {
      ...unencrypted('id', names.city),
      [names.name]: field.text(),
      [names.ssn]: field.text().searchable(),
    },
  });
  const camelCase = spellings[spelling as keyof typeof spellings];
  const db = orders[order]?.(encryptedColumns(fields), camelCase) as Kysely<Tables>;
  // The app writes camelCase in its code, also where the definition has the names of the database.
  const { table, name, ssn, city } = definitions.camelCase;
  const ssnIndex = style === 'camelCase' ? 'ssnNumber_index' : 'ssnNumberIndex';
  const records = fields.for(eaas, { index });
  const plain = { id, [names.name]: 'Ada', [names.ssn]: secret, [names.city]: 'Turin' };
  const asInCode = (row: object) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [
        key === `${names.ssn}_index` ? ssnIndex : (renamed.get(key) ?? key),
        value as unknown,
      ]),
    );
  const renamed = new Map([
    [names.name, name],
    [names.ssn, ssn],
    [names.city, city],
  ]);

  test('what `encryptRow` returns is sent', async () => {
    const row = await records.encryptRow(names.table, id, plain as never);
    const found = (await records.where(names.table, { [names.ssn]: secret } as never)) as object;
    const [fingerprints] = Object.values(found) as string[][];

    for (const stored of [row, asInCode(row)]) {
      const { parameters } = db.insertInto(table).values(stored).compile();
      expect(parameters).toHaveLength(5);
    }
    const search = db.selectFrom(table).selectAll().where(ssnIndex, 'in', fingerprints);
    expect(search.compile().parameters).toEqual(fingerprints);
  });

  test.each<[string, () => { compile(): unknown }]>([
    ['an insert of plaintext', () => db.insertInto(table).values(asInCode(plain))],
    ['an insert of one value', () => db.insertInto(table).values({ id, [name]: secret })],
    ['an update with plaintext', () => db.updateTable(table).set({ [name]: secret })],
    ['a search for plaintext', () => db.selectFrom(table).selectAll().where(ssn, '=', secret)],
    ['a search for plaintext by its index', () => db.selectFrom(table).where(ssnIndex, 'in', [secret])],
    ['`order by`', () => db.selectFrom(table).selectAll().orderBy(name)],
    ['a new name', () => db.selectFrom(table).select(`${name} as newName`).orderBy('newName')],
    [
      'raw SQL of the table',
      () => ({ compile: () => sql`update home_visits set first_name = ${secret}`.compile(db) }),
    ],
    ['raw SQL of a column', () => db.selectFrom(table).select(sql`lower(first_name)`.as('n'))],
    ['a column that the definition lacks', () => db.insertInto(table).values({ id, lastName: secret })],
  ])('%s is refused', (_, query) => {
    expect(() => query().compile()).toThrow(EncryptedTableError);
    expect(() => query().compile()).not.toThrow(secret);
  });
});

const patients = {
  lowEntropy: 'accepted',
  ...unencrypted('id', 'city'),
  name: field.text(),
  ssn: field.text().searchableBy({
    short: part.wholeText({ bits: 16 }),
    longer: part.wholeText({ bits: 60 }),
    long: part.wholeText({ bits: 64 }),
  }),
} as const;

describe('of a table', () => {
  const fields = defineFields({ patients });
  const records = fields.for(eaas, { index });
  const { db } = databaseOf([encryptedColumns(fields)]);

  test.each(['ssn_short_index', 'ssn_longer_index'])(
    'fingerprints of less than 64 bits are refused, because digits look like them: %s',
    async (column) => {
      const row = await records.encryptRow('patients', id, { id, ssn: secret });
      const digits = '112'.repeat(5);
      const values = { ...row, ssn_short_index: null, ssn_longer_index: null };
      const refused = { code: 'not_supported', table: 'patients', column };

      for (const value of [digits.slice(0, 4), digits, row[column as keyof typeof row]]) {
        const all = [
          () => db.insertInto('patients').values({ ...values, [column]: value }),
          () => db.updateTable('patients').set({ ...values, [column]: value }),
          () => db.selectFrom('patients').selectAll().where(column, '=', value),
          () => db.selectFrom('patients').selectAll().where(column, 'in', [value]),
        ];
        for (const query of all) {
          expect(() => query().compile()).toThrow(expect.objectContaining(refused));
          expect(() => query().compile()).toThrow('or define the index with 64 bits or more');
        }
      }
      const isNull = db.selectFrom('patients').selectAll().where(column, 'is', null);
      expect(isNull.compile().sql).toContain(`"${column}" is null`);
    },
  );

  test('fingerprints of 64 bits are sent', async () => {
    const { ssn_long_index } = await records.where('patients', { ssn: { long: secret } });
    const search = db.selectFrom('patients').where('ssn_long_index', 'in', ssn_long_index);
    expect(search.compile().parameters).toEqual(ssn_long_index);
  });

  test.each<[string, () => { compile(): unknown }]>([
    ['an insert', () => db.insertInto('patients').values({ id, nickname: secret })],
    ['an update', () => db.updateTable('patients').set({ nickname: secret })],
    [
      'an upsert',
      () =>
        db
          .insertInto('patients')
          .values({ id, city: 'Bern' })
          .onConflict((on) => on.column('id').doUpdateSet({ nickname: secret })),
    ],
    [
      'an upsert of MySQL',
      () => db.insertInto('patients').values({ id }).onDuplicateKeyUpdate({ nickname: secret }),
    ],
  ])('%s of a column that the definition does not list is refused', (_, query) => {
    const refused = { code: 'definition', table: 'patients', column: 'nickname' };
    expect(() => query().compile()).toThrow(expect.objectContaining(refused));
    expect(() => query().compile()).toThrow("or list it with `unencrypted('nickname')`");
  });

  test('a table without encrypted columns, or of another definition, may have any column', () => {
    const both = databaseOf([encryptedColumns(defineFields({ patients, visits: unencrypted('id') }))]).db;
    for (const table of ['visits', 'others']) {
      expect(both.insertInto(table).values({ id, reason: secret }).compile().parameters).toContain(secret);
    }
  });
});

test.each<[string, string, () => object]>([
  ['tables', 'homeVisits', () => ({ home_visits: { note: field.text() }, homeVisits: unencrypted('id') })],
  ['columns', 'firstName', () => ({ people: { first_name: field.text(), ...unencrypted('firstName') } })],
])(
  'two %s whose names differ only as CamelCasePlugin changes names are refused at once',
  (_, name, tables) => {
    expect(() => encryptedColumns(defineFields(tables() as never))).toThrow(name);
  },
);

test('Kysely shows no plugin a query that is compiled already, so it is sent', async () => {
  const { db, sent } = databaseOf([encryptedColumns(defineFields({ patients }))]);
  await db.executeQuery(CompiledQuery.raw('update patients set name = $1', [secret]));
  expect(sent).toMatchObject([{ parameters: [secret] }]);
});
