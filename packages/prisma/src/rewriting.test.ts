import {
  defineFields,
  type EncryptedTableErrorCode,
  field,
  part,
  type FieldsTables,
  withFields,
} from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { type Codec, column, columns, modelsWith, play as played, relation } from '../test/played.ts';
import type { ModelOptions, RuntimeDataModel, RuntimeField } from './models.ts';
import type { Args } from './values.ts';
import { idOf } from './work.ts';

// In these tests a ciphertext is `table.field/id=value`, and a fingerprint is `#value`.

const fields = defineFields({
  Patient: {
    lowEntropy: 'accepted',
    name: field.text(),
    ssn: field.text().searchable(),
    born: field.date().searchable(),
    weight: field.number(),
    notes: field.json(),
    ward: field.text({ context: 'field' }),
    coarse: field.text().searchable({ bits: 8 }),
  },
  Visit: { note: field.text() },
  Nurse: {
    lowEntropy: 'accepted',
    first: field.text().searchableBy({
      full: withFields(['last'], { column: 'full_name' }),
    }),
    last: field.text().searchableBy({
      end: part.lastCharacters(1, { column: 'last_end', bits: 8 }),
    }),
  },
});
const patient = ['id', 'city', 'name', 'ssn', 'ssn_index', 'born', 'born_index', 'weight', 'notes', 'ward'];
const schema: RuntimeDataModel = {
  models: {
    Patient: {
      fields: [
        ...columns(...patient, 'coarse', 'coarse_index'),
        relation('visits', 'Visit[]'),
        relation('doctor', 'Doctor'),
      ],
    },
    Visit: { fields: [...columns('id', 'kind', 'note'), relation('patient', 'Patient')] },
    Nurse: { fields: columns('id', 'first', 'last', 'full_name', 'last_end') },
    Doctor: { fields: [...columns('id', 'title'), relation('patients', 'Patient[]')] },
  },
};
const sealed = (table: string, name: string, id: unknown, value: unknown) =>
  `${table}.${name}/${String(id)}=${value instanceof Date ? value.getTime() : JSON.stringify(value)}`;

const mark = (value: unknown) =>
  `#${value instanceof Date ? value.getTime() : JSON.stringify(value).replaceAll('"', '')}`;

const codec: Codec = {
  encryptRows: async (table, rows, idOf) =>
    rows.map((row) => {
      const id = idOf(row);
      const entries = Object.entries(row).flatMap(([name, value]) => {
        const { [name]: of } = fields.tables[table as 'Patient'] as FieldsTables[string];
        const index = Object(of).index ? `${name}_index` : undefined;
        const marks: [string, unknown][] = index ? [[index, value === null ? null : mark(value)]] : [];
        return marks.concat([[name, value === null ? null : sealed(table, name, id, value)]]);
      });
      return Object.fromEntries(entries);
    }),
  decryptRows: async (table, rows, idOf) =>
    rows.map((row) => {
      const opened = Object.entries(row).filter(([, value]) => String(value).startsWith(`${table}.`));
      return {
        ...row,
        ...Object.fromEntries(
          opened.map(([name, value]) => {
            const [place, plain = ''] = String(value).split('=');
            return [
              name,
              place === `${table}.${name}/${String(idOf(row))}` ? JSON.parse(plain) : 'WRONG ROW',
            ];
          }),
        ),
      };
    }),
  where: async (_table, query) =>
    Object.fromEntries(Object.entries(query).map(([name, value]) => [`${name}_index`, [mark(value)]])),
};

const models = modelsWith(
  schema,
  fields,
  { Patient: { newId: () => 'new' }, Visit: { newId: () => 'nv' } },
  codec,
);
const play = (name: string, operation: string, args: Args, results: Parameters<typeof played>[2] = {}) =>
  played(models, [name, operation, args], results);
const sentOf = async (name: string, operation: string, args: Args, run?: unknown) =>
  (await play(name, operation, args, { run })).sent[0];
const whereOf = async (where: Args, name = 'Patient') =>
  (await sentOf(name, 'findMany', { where }))?.['where'];
const dataOf = async (operation: string, args: Args, run?: unknown) =>
  (await sentOf('Patient', operation, args, run))?.['data'];

test.each<[string, Args, unknown]>([
  ['a value', { ssn: '1' }, { ssn_index: '#1' }],
  ['null', { ssn: null }, { ssn: null }],
  ['not null', { name: { not: null } }, { name: { not: null } }],
  ['in, sorted', { ssn: { in: ['3', '1', '2'] } }, { ssn_index: { in: ['#1', '#2', '#3'] } }],
  ['an empty list', { ssn: { in: [] } }, { ssn_index: { in: [] } }],
  ['undefined', { ssn: undefined, city: 'x' }, { city: 'x' }],
  ['OR', { OR: [{ ssn: '1' }, { city: 'x' }] }, { OR: [{ ssn_index: '#1' }, { city: 'x' }] }],
  ['two operators', { ssn: { in: ['1'], equals: '1' } }, { AND: [{ ssn_index: '#1' }, { ssn_index: '#1' }] }],
])('a filter by %s is rewritten to a filter by index columns', async (_name, where, expected) => {
  expect(await whereOf(where)).toEqual(expected);
});

const rewritten = { ssn_index: '#1' };
const exact = { OR: [{ AND: [rewritten, { ssn_index: { not: null } }] }, { ssn: '' }] };

test.each<[string, string, Args, unknown]>([
  ['directly', 'Visit', { patient: { ssn: '1' } }, { patient: rewritten }],
  ['by `is`', 'Visit', { patient: { is: { ssn: '1' } } }, { patient: { is: rewritten } }],
  ['by `some`', 'Doctor', { patients: { some: { ssn: '1' } } }, { patients: { some: rewritten } }],
  // What is negated must be NULL only if the field is NULL.
  ['by `isNot`', 'Visit', { patient: { isNot: { ssn: '1' } } }, { patient: { isNot: exact } }],
  ['by `every`', 'Doctor', { patients: { every: { ssn: '1' } } }, { patients: { every: exact } }],
  ['by `none`', 'Doctor', { patients: { none: { ssn: '1' } } }, { patients: { none: exact } }],
])('a filter of a related model is rewritten %s', async (_name, model, where, expected) => {
  expect(await whereOf(where, model)).toEqual(expected);
});

test.each<[string, Args, unknown]>([
  ['not', { ssn: { not: '1' } }, { NOT: exact }],
  ['NOT', { NOT: { ssn: '1' } }, { NOT: exact }],
  ['not of a date', { born: { not: new Date(0) } }, { NOT: { born_index: '#0' } }],
])(
  'the filter %s negates a condition that is NULL only if the field is NULL',
  async (_name, where, expected) => {
    expect(await whereOf(where)).toEqual(expected);
  },
);

const code = (code: EncryptedTableErrorCode, more: object = {}) => expect.objectContaining({ code, ...more });

test.each<[EncryptedTableErrorCode, string, string, Args]>([
  ['not_supported', 'Patient', 'findMany', { where: { ssn: { contains: '1' } } }],
  ['not_searchable', 'Patient', 'findMany', { where: { name: 'Ada' } }],
  ['not_supported', 'Patient', 'deleteMany', { where: { ssn: {} } }],
  ['not_supported', 'Patient', 'deleteMany', { where: { ssn: { not: {} } } }],
  ['not_supported', 'Nurse', 'findMany', { where: { first: { not: { full: 'b' } } } }],
  ['not_supported', 'Nurse', 'deleteMany', { where: { first: { full: 'b' } } }],
  ['not_supported', 'Nurse', 'delete', { where: { id: 'n', first: { full: 'b' } } }],
  ['not_searchable', 'Patient', 'findMany', { where: { notes: { equals: {} } } }],
  ['not_searchable', 'Patient', 'findMany', { where: { coarse: 'x' } }],
  [
    'not_supported',
    'Patient',
    'findMany',
    { where: { city: { equals: { modelName: 'Patient', name: 'ssn' } } } },
  ],
  ['not_searchable', 'Doctor', 'deleteMany', { where: { patients: { some: { name: 'x' } } } }],
  ['index_column', 'Patient', 'findMany', { where: { ssn_index: '#1' } }],
  ['index_column', 'Patient', 'findMany', { select: { ssn_index: true } }],
  ['index_column', 'Patient', 'create', { data: { ssn_index: '#1' } }],
  ['index_column', 'Patient', 'findMany', { orderBy: { ssn_index: 'asc' } }],
  ['index_column', 'Patient', 'count', { select: { ssn_index: true } }],
  ['not_supported', 'Patient', 'findMany', { orderBy: { name: 'asc' } }],
  ['not_supported', 'Visit', 'findMany', { orderBy: { patient: { name: 'asc' } } }],
  ['not_supported', 'Patient', 'findMany', { cursor: { ssn: '1' } }],
  ['not_supported', 'Patient', 'findMany', { distinct: ['name'] }],
  ['not_supported', 'Patient', 'groupBy', { by: ['name'] }],
  ['not_supported', 'Patient', 'groupBy', { by: 'city', having: { OR: [{ name: { _min: {} } }] } }],
  ['not_supported', 'Patient', 'aggregate', { _max: { name: true } }],
  ['not_supported', 'Doctor', 'findMany', { include: { patients: { orderBy: { name: 'asc' } } } }],
  ['not_supported', 'Patient', 'update', { where: { id: 'p' }, data: { weight: { increment: 1 } } }],
  ['row_unknown', 'Patient', 'update', { where: { id: 'p' }, data: { id: 'q' } }],
  ['unknown_argument', 'Patient', 'update', { where: { ssn: undefined }, data: { name: 'x' } }],
  ['unknown_argument', 'Patient', 'upsert', { where: {}, create: {}, update: { name: 'x' } }],
  ['unknown_argument', 'Patient', 'findMany', { wheer: {} }],
  ['unknown_argument', 'Patient', 'findMany', { include: { vists: true } }],
  ['unknown_argument', 'Patient', 'create', { data: { nmae: 'x' } }],
  [
    'unknown_argument',
    'Patient',
    'update',
    { where: { id: 'p' }, data: { visits: { upsert: { wher: {} } } } },
  ],
  [
    'unknown_argument',
    'Patient',
    'update',
    { where: { id: 'p' }, data: { visits: { updateMany: { where: {}, data: {}, limit: 1 } } } },
  ],
  ['unknown_argument', 'Patient', 'deleteMany', { where: new Map() }],
  ['unknown_argument', 'Patient', 'findMany', { orderBy: { nmae: 'asc' } }],
  ['unknown_argument', 'Patient', 'findMany', { include: { _count: { select: { vists: true } } } }],
  ['unknown_argument', 'Patient', 'findRaw', {}],
])('the error %s is thrown before a query is sent: %s.%s(%j)', async (expected, name, operation, args) => {
  await expect(play(name, operation, args)).rejects.toEqual(code(expected));
});

test.each<[string, string, Args, string]>([
  [
    'an unknown filter names the model, the field and the indexes of the field',
    'Nurse',
    { last: { year: 1 } },
    'Nurse.last: an encrypted field has no filter `year`: filter by `equals`, `in`, `not`, `notIn`, `end`, or filter ' +
      'the rows after reading them',
  ],
  [
    'a case-insensitive filter says how to normalize the field',
    'Patient',
    { ssn: { equals: 'a', mode: 'insensitive' } },
    "define the field with searchable({ normalize: ['lowercase'] })",
  ],
  [
    'an unknown field lists the fields of the model',
    'Visit',
    { not: 'a' },
    '`where` has an unknown member `not`: the model has `id`, `kind`, `note`, `patient`',
  ],
  ['an index column names every field', 'Nurse', { full_name: '#1' }, 'use `first` and `last` instead'],
])('the error about %s', async (_, model, where, message) => {
  await expect(whereOf(where, model)).rejects.toThrow(message);
});

test('a ciphertext is bound to the id of the row that the operation writes', async () => {
  const name = (id: string) => ({ name: sealed('Patient', 'name', id, 'Ada') });
  expect(await dataOf('create', { data: { name: 'Ada', city: 'x' } })).toEqual({
    id: 'new',
    city: 'x',
    ...name('new'),
  });
  expect(await dataOf('create', { data: { id: 'p', name: 'Ada' } })).toEqual({ id: 'p', ...name('p') });
  expect(await dataOf('update', { where: { id: 'p' }, data: { name: 'Ada' } })).toEqual(name('p'));
  expect(await dataOf('update', { where: { id: 'p' }, data: { name: { set: 'Ada' } } })).toEqual(name('p'));
  expect(await dataOf('createMany', { data: [{ name: 'Ada' }] })).toEqual([{ id: 'new', ...name('new') }]);
});

test('a JSON value with the only member `set` is refused, because it could be meant as an operation', async () => {
  const data = { notes: { set: { tags: [] } } };
  const refused = code('not_supported', {
    message: expect.stringContaining('Patient.notes: `{ set }` is not an operation of a JSON field'),
  });
  const where = { id: 'p' };
  const write = play('Patient', 'upsert', { where, create: {}, update: data });
  await expect(write).rejects.toEqual(refused);
  const notes = { set: 1, tags: [] };
  expect(await dataOf('update', { where: { id: 'p' }, data: { notes } })).toEqual({
    notes: sealed('Patient', 'notes', 'p', notes),
  });
});

test('a field that is not bound to its row needs no id', async () => {
  const { runs, sent } = await play('Patient', 'updateMany', { where: { city: 'x' }, data: { ward: 'w' } });
  expect(runs).toEqual([]);
  expect(sent).toEqual([{ where: { city: 'x' }, data: { ward: sealed('Patient', 'ward', undefined, 'w') } }]);
});

test('an update without a condition is sent without a condition, so that Prisma refuses it', async () => {
  const sent = await sentOf('Patient', 'update', { data: { name: 'Ada' } }, { id: 'p' });
  expect(sent).toEqual({ ...hidden, data: { name: sealed('Patient', 'name', 'p', 'Ada') } });
});

test('an upsert binds ciphertexts to the id of the row that it writes', async () => {
  const args = { where: { ssn: '1' }, create: { name: 'new' }, update: { name: 'old' } };
  for (const [run, id] of [
    [{ id: 'p' }, 'p'],
    [null, 'new'],
  ] as const) {
    expect(await sentOf('Patient', 'upsert', args, run)).toEqual({
      ...hidden,
      where: { ssn_index: '#1', id },
      create: { id: 'new', name: sealed('Patient', 'name', 'new', 'new') },
      update: { name: sealed('Patient', 'name', id, 'old') },
    });
  }
});

test('`updateMany` writes different ciphertexts to each row', async () => {
  const args = { where: { ssn: '1' }, data: { name: 'Ada' }, limit: 2 };
  const { runs, sent, result } = await play('Patient', 'updateMany', args, {
    run: [{ id: 'p' }, { id: 'q' }],
  });
  expect(runs).toEqual([
    ['Patient', 'findMany', { where: { ssn_index: '#1' }, select: { id: true }, take: 2 }],
  ]);
  expect(sent).toEqual(
    ['p', 'q'].map((id) => ({
      where: { id, AND: [{ ssn_index: '#1' }] },
      data: { name: sealed('Patient', 'name', id, 'Ada') },
    })),
  );
  expect(result).toEqual({ count: 2 });
});

test('`updateMany` without a condition names each row by its id, beside a condition that all rows meet', async () => {
  const { sent } = await play('Patient', 'updateMany', { data: { name: 'Ada' } }, { run: [{ id: 'p' }] });
  expect(sent).toEqual([
    { where: { id: 'p', AND: [{}] }, data: { name: sealed('Patient', 'name', 'p', 'Ada') } },
  ]);
});

const hidden = { omit: { ssn_index: true, born_index: true, coarse_index: true } };

const note = (id: string, value = 'cough') => ({ note: sealed('Visit', 'note', id, value) });

test.each<[string, Args, unknown]>([
  [
    'createMany',
    { createMany: { data: [{ note: 'cough' }], skipDuplicates: true } },
    { createMany: { data: [{ id: 'nv', ...note('nv') }], skipDuplicates: true } },
  ],
  [
    'connectOrCreate',
    { connectOrCreate: { where: { id: 'v' }, create: { note: 'cough' } } },
    { connectOrCreate: { where: { id: 'v' }, create: { id: 'nv', ...note('nv') } } },
  ],
  [
    'upsert',
    { upsert: [{ where: { id: 'v' }, create: { note: 'cough' }, update: { note: 'cold' } }] },
    { upsert: [{ where: { id: 'v' }, create: { id: 'nv', ...note('nv') }, update: note('v', 'cold') }] },
  ],
])('the extension rewrites a nested %s', async (_name, visits, expected) => {
  expect(await dataOf('update', { where: { id: 'p' }, data: { visits } })).toEqual({ visits: expected });
});

test('an update reads its row, and the rows that its relations lead to, with one query', async () => {
  const doctor = {
    update: { title: 'Dr', patients: { update: { where: { id: 'q' }, data: { name: 'Bob' } } } },
  };
  const patient = { update: { data: { name: 'Ada', doctor } } };
  const args = { where: { kind: 'first' }, data: { note: 'cold', patient } };
  const { runs, sent } = await play('Visit', 'update', args, { run: { id: 'v', patient: { id: 'p' } } });
  const select = { id: true, patient: { select: { id: true } } };
  expect(runs).toEqual([['Visit', 'findFirstOrThrow', { where: { kind: 'first' }, select }]]);
  const named = (id: string, value: string) => ({
    where: { id },
    data: { name: sealed('Patient', 'name', id, value) },
  });
  const { where, data } = named('p', 'Ada');
  const inner = { update: { title: 'Dr', patients: { update: named('q', 'Bob') } } };
  expect(sent[0]).toMatchObject({
    where: { kind: 'first', id: 'v' },
    data: { ...note('v', 'cold'), patient: { update: { where, data: { ...data, doctor: inner } } } },
  });
});

test('the extension decrypts results at any depth, and removes the columns that it added to the query', async () => {
  const args = {
    select: { name: true, visits: { select: { note: true } }, doctor: { include: { patients: true } } },
  };
  const row = {
    id: 'p',
    name: sealed('Patient', 'name', 'p', 'Ada'),
    visits: [{ id: 'v', ...note('v') }],
    doctor: {
      id: 'd',
      title: 'Dr',
      patients: [{ id: 'q', ssn_index: '#', name: sealed('Patient', 'name', 'q', 'Bob') }],
    },
  };
  const { sent, result } = await play('Patient', 'findMany', args, { query: [row] });
  expect(sent[0]).toEqual({
    select: {
      id: true,
      name: true,
      visits: { select: { id: true, note: true } },
      doctor: { include: { patients: hidden } },
    },
  });
  expect(result).toEqual([
    {
      name: 'Ada',
      visits: [{ note: 'cough' }],
      doctor: { id: 'd', title: 'Dr', patients: [{ id: 'q', name: 'Bob' }] },
    },
  ]);
});

test('an omitted field of an index with several fields is null in a new row, and untouched by an update', async () => {
  const written = { first: sealed('Nurse', 'first', 'n', 'Ada') };
  const created = await sentOf('Nurse', 'create', { data: { id: 'n', first: 'Ada' } });
  expect(created?.['data']).toEqual({ id: 'n', ...written, last: null });
  const updated = await sentOf('Nurse', 'update', { where: { id: 'n' }, data: { first: 'Ada' } });
  expect(updated?.['data']).toEqual(written);
});

/** The models of a schema that has only visits, with the given columns. */
const visitsWith = (given: readonly RuntimeField[], options: ModelOptions = {}) =>
  modelsWith(
    { models: { Visit: { fields: given } } },
    { tables: { Visit: { note: field.text() } } },
    { Visit: options },
    codec,
  );

test('a new row whose id is not text is refused without its id', async () => {
  const numbered = visitsWith([column('id', { type: 'Int' }), column('note')]);
  const created = played(numbered, ['Visit', 'create', { data: { note: 'x' } }]);
  await expect(created).rejects.toEqual(code('row_unknown', { table: 'Visit', column: 'id' }));
});

test('an index of `searchableBy` with the name of an operator is refused', () => {
  const part = withFields(['last'], { column: 'full_name' });
  const named = defineFields({
    Nurse: { lowEntropy: 'accepted', first: field.text().searchableBy({ in: part }), last: field.text() },
  });
  expect(() => modelsWith(schema, named)).toThrow('`in` is an operator of Prisma');
});

test.each<[string, object, string]>([
  ['a model that the schema lacks', { Visti: 'Visit' }, 'no such model'],
  ['a table that the definition lacks', { Doctor: 'doctors' }, 'no table `doctors`'],
  ['an id that is not a column', { Visit: { id: 'key' } }, 'the id of a row must be a column'],
])('%s is refused when the client is extended', (_name, options, message) => {
  expect(() => modelsWith(schema, fields, { ...options })).toThrow(message);
});

test('an encrypted table without a Prisma model is refused', () => {
  const refused =
    'Bill: exactly one model must have this table (got 0): name the table like a model (Patient, ';
  expect(() => modelsWith(schema, { tables: { ...fields.tables, Bill: {} } })).toThrow(refused);
});

test.each<[string, readonly RuntimeField[], string]>([
  ['is not text', [column('note', { type: 'DateTime' })], 'the column is DateTime, but must be text'],
  ...['VarChar(219)', 'Char(300)', 'Uuid'].map((nativeType): [string, RuntimeField[], string] => [
    `has @db.${nativeType}`,
    [column('note', { nativeType })],
    `remove \`@db.${nativeType}\` and migrate`,
  ]),
])('an encrypted field whose column %s is refused', (_, fields, message) => {
  expect(() => visitsWith([column('id'), ...fields])).toThrow(message);
});

test.each(['Text', 'VarChar', 'VarChar(220)'])('a ciphertext fits a column with @db.%s', (nativeType) => {
  expect(visitsWith([column('id'), column('note', { nativeType })]).size).toBe(1);
});

test.each<[string, Args]>([
  ['update', { where: { a_b: { a: 'x', b: 'y' } }, data: { b: 'z' } }],
  ['update', { where: { a_b: { a: 'x', b: 'y' } }, data: { b: { increment: 1 } } }],
  ['updateMany', { where: { a: 'x', b: 'y' }, data: { b: 'z' } }],
])('a part of a compound id cannot be changed by %s(%j)', async (operation, args) => {
  const compound = visitsWith(columns('a', 'b', 'note'), { id: ['a', 'b'] });
  const written = played(compound, ['Visit', operation, args]);
  await expect(written).rejects.toEqual(code('row_unknown', { table: 'Visit', column: 'a,b' }));
});

test('two compound ids differ even if a part of one id contains the separator', () => {
  const model = visitsWith(columns('a', 'b', 'note'), { id: ['a', 'b'] }).get('Visit');
  const idsOf = (rows: Args[]) => rows.map((row) => model && idOf(model, row));
  const ids = idsOf([
    { a: 'x/y', b: 'z' },
    { a: 'x', b: 'y/z' },
    { a: 'x%2Fy', b: 'z' },
  ]);
  expect(new Set(ids).size).toBe(3);
  expect(idsOf([{ a: 'x', b: 1 }])).toEqual(['x/1']);
});
