import { defineFields, field, type FieldsTables, unencrypted } from '@eaas/sdk/fields';
import { describe, expect, test } from 'vitest';
import { type Codec, column, columns, modelsWith, play as played, relation } from '../test/played.ts';
import { withSchema } from './schema.ts';
import type { Args } from './values.ts';

const schemaFor = (provider: string) => `
datasource db {
  provider = "${provider}"
}
model Visit {
  id        String   @id
  token     String   @default(uuid())
  other     String   @default(cuid())
  made      String   @default(dbgenerated("gen_random_uuid()")) @db.Uuid
  text      String   @default("@default(uuid())") // @default(uuid())
  note      String?
  number    Int      @default(autoincrement())
  nick      String   @db.Citext
  place     String   @db.Inet
  seen      DateTime
  patient   Patient  @relation("of", fields: [patientId, ward, number], references: [id, ward, number], onDelete: Cascade)
  patientId String
  ward      String
}
model Patient {
  id     String  @id
  ward   String
  number Int     @default(autoincrement())
  name   String?
  visits Visit[] @relation("of")
}
`;
const model = {
  models: {
    Visit: {
      fields: [
        ...columns('id', 'token', 'other', 'made', 'text', 'note', 'nick', 'place', 'patientId', 'ward'),
        column('number', { type: 'Int' }),
        column('seen', { type: 'DateTime' }),
        relation('patient', 'Patient', 'of'),
        relation('next', 'Visit[]'),
      ],
    },
    Patient: { fields: [...columns('id', 'ward', 'number', 'name'), relation('visits', 'Visit', 'of')] },
  },
};

const modelsOf = (tables: FieldsTables, provider = 'postgresql', codec: Partial<Codec> = {}) =>
  modelsWith(withSchema(model, schemaFor(provider)), defineFields(tables), {}, codec);

const note = field.text();

/** Runs an operation on visits, or on `model`. Returns the statements, what is encrypted, and what was read before. */
async function play(visit: object, operation: string, args: Args, result: unknown = null, model = 'Visit') {
  const rows: Args[] = [];
  const codec: Codec = {
    async encryptRows(_, given) {
      rows.push(...given);
      return given.map((row) => ({ ...row, note: 'sealed' }));
    },
    decryptRows: async (_, given) => given,
    where: async () => ({}),
  };
  const models = modelsOf({ Visit: { note, ...visit } }, undefined, codec);
  const each = Array.isArray(result) ? result.map(() => ({ count: 1 })) : undefined;
  return {
    rows,
    ...(await played(models, [model, operation, args], { query: result, run: result, each })),
  };
}

describe('a definition', () => {
  test.each<[string, FieldsTables[string], string | RegExp]>([
    [
      'an unknown field',
      { subject: 'person' },
      /^Visit\.person: the model has no such field.*another field as/,
    ],
    ['a date', { subject: 'seen' }, /^Visit\.seen: .*String, Int or BigInt/],
    ['a function of unknown fields', { subject: () => '7' }, /^Visit: .*list them .*unencrypted/],
  ])('whose person is %s is refused', (_, subject, message) => {
    expect(() => modelsOf({ Visit: { ...subject, note } })).toThrow(message);
  });
});

describe('what names the person', () => {
  const ofBoth = {
    subject: ({ patientId, ward }: Args) => `${String(patientId)} ${String(ward)}`,
    ...unencrypted('patientId', 'ward'),
  };

  test.each<[string, string, Args]>([
    ['a new id', 'id', {}],
    ['a random default of the database', 'made', {}],
  ])('in a new row is %s, and it is stored', async (_, subject, given) => {
    const { sent, rows } = await play({ subject }, 'create', { data: { note: 'x', ...given } });
    expect(rows).toMatchObject([{ [subject]: expect.any(String), ...given }]);
    expect(sent[0]).toMatchObject({ data: { [subject]: rows[0]?.[subject], note: 'sealed' } });
  });

  test.each<[string, object, string, Args]>([
    ['a text that looks like a default', { subject: 'text' }, 'text', {}],
    ['a row that has other columns', { subject: 'ward' }, 'ward', { patient: { connect: { id: '7' } } }],
    ['one of two columns', ofBoth, 'ward', { patientId: '7' }],
  ])('in a new row is not %s', async (_, visit, name, given) => {
    await expect(play(visit, 'create', { data: { note: 'x', ...given } })).rejects.toMatchObject({
      code: 'subject_unknown',
      table: 'Visit',
      column: name,
      remedy: expect.stringMatching(/^pass `.*` with the values/) as string,
    });
  });

  test('in new rows is a number of a sequence of PostgreSQL, asked for all of them at once', async () => {
    const visits = [{ note: 'x' }, { note: 'y', number: 7 }, { note: 'z' }];
    const { sent, rows, runs } = await play({ subject: 'number' }, 'createMany', { data: visits });
    const numbers = [{ number: 1 }, { number: 7 }, { number: 2 }];
    expect([runs, sent]).toMatchObject([[['Visit', 'number', 2]], [{ data: numbers }]]);
    expect(rows).toContainEqual({ number: 2, note: 'z' });
    const other = modelsOf({ Visit: { subject: 'number', note } }, 'sqlite').get('Visit');
    expect(other?.columns.get('number')?.isSerial).toBe(false);
  });

  test('is the key of the connected row, of several columns too', async () => {
    const patient = { connect: { id_ward: { id: '7', ward: 'A' } } };
    const { rows } = await play(ofBoth, 'create', { data: { note: 'x', patient } });
    expect(rows).toEqual([{ patientId: '7', ward: 'A', note: 'x' }]);
  });

  const subject = 'patientId';
  const data = { note: 'x' };

  test('in each row of `updateMany` is its own', async () => {
    const rows = [
      { id: '1', patientId: '7' },
      { id: '2', patientId: '8' },
    ];
    const given = await play({ subject }, 'updateMany', { data }, rows);
    expect(given.rows.map(({ patientId }) => patientId)).toEqual(['7', '8']);
    expect(given.sent.map(({ where }) => where)).toMatchObject(rows);
  });

  const where = { id: '1' };
  const boundToField = { note: field.text({ context: 'field' }) };
  test.each<[string, string, object, string, Args]>([
    ['an update by the id', subject, {}, 'update', { where, data }],
    ['an update without a row id', subject, boundToField, 'update', { where: { token: 't' }, data }],
    ['a condition that ignores case', 'nick', {}, 'update', { where: { id: '1', nick: 'ADA' }, data }],
  ])('is read and pinned by %s', async (_, name, visit, operation, args) => {
    const row = { id: '1', patientId: '7', nick: 'Ada' };
    const { runs, sent, rows } = await play({ subject: name, ...visit }, operation, args, row);
    const person = { [name]: name === 'nick' ? 'Ada' : '7' };
    expect(runs).toHaveLength(1);
    expect(rows.at(-1)).toEqual({ ...person, note: 'x' });
    expect(sent).toMatchObject([{ where: { ...(args['where'] as Args), ...person } }]);
  });

  test('is read once from a row that is connected by another field, and pinned there', async () => {
    const connect = { name: 'a' };
    const create = { data: { note: 'x', patient: { connect } } };
    const row = { id: '7', ward: 'A' };
    const { runs, sent, rows } = await play(ofBoth, 'create', create, row);
    const select = { id: true, ward: true, number: true };
    expect(runs).toEqual([['Patient', 'findFirstOrThrow', { where: connect, select }]]);
    expect(rows).toEqual([{ patientId: '7', ward: 'A', note: 'x' }]);
    expect(sent).toMatchObject([{ data: { note: 'sealed', patient: { connect: { name: 'a', ...row } } } }]);
    expect(connect).toEqual({ name: 'a' });
  });

  test.each(['connect', 'connectOrCreate'])(
    'is not any row that `%s` without a value finds',
    async (link) => {
      const where = { name: undefined };
      const patient = { [link]: link === 'connect' ? where : { where, create: {} } };
      await expect(
        play({ subject }, 'create', { data: { note: 'x', patient } }, { id: '7' }),
      ).rejects.toMatchObject({
        code: 'unknown_argument',
      });
    },
  );

  const ofNobody = { id: '1', patientId: null };
  test.each<[string, string, Args]>([
    ['a new row', 'create', {}],
    ['an update of a row without one', 'update', { where: ofNobody }],
  ])('in %s is that of the row that `connectOrCreate` finds, or else creates', async (_, operation, more) => {
    const connectOrCreate = { where: { name: 'a' }, create: { name: 'a' } };
    const args = { ...more, data: { note: 'x', patient: { connectOrCreate } } };
    const found = await play({ subject }, operation, args, { id: '7', ward: 'A' });
    const lookUp = { where: { name: 'a' }, select: { id: true, ward: true, number: true } };
    expect(found.runs).toEqual([['Patient', 'findFirst', lookUp]]);
    expect(found.rows).toEqual([{ patientId: '7', note: 'x' }]);
    const connect = { name: 'a', id: '7', ward: 'A' };
    expect(found.sent).toMatchObject([{ data: { note: 'sealed', patient: { connect } } }]);
    const { rows, sent } = await play({ subject }, operation, args, null);
    const id: unknown = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(rows).toEqual([{ patientId: id, note: 'x' }]);
    const create = { id: rows[0]?.['patientId'], name: 'a' };
    // With the new id in `where`, which would else connect the row of somebody else that has come to be.
    const patient = { connectOrCreate: { where: create, create } };
    expect(sent).toMatchObject([{ data: { note: 'sealed', patient } }]);
    expect(connectOrCreate).toEqual({ where: { name: 'a' }, create: { name: 'a' } });
  });

  test.each([{ name: 'a' }, { name: 'b' }])('is created once if %j would find it', async (where) => {
    const visit = (create: Args) => ({ ...data, patient: { connectOrCreate: { where, create } } });
    const [first, second, third, fourth] = ['A', 'B', 'C', 'D'].map((ward) => visit({ name: 'a', ward }));
    const upsert = { where: { id: '1', number: null }, create: third, update: fourth };
    const args = { where: upsert.where, data: { ...first, next: { create: second, upsert } } };
    const { rows, sent } = await play({ subject: 'number' }, 'update', args);
    const people = new Set(rows.map(({ number }) => number)).size;
    const created = String(JSON.stringify(sent).match(/(?<="ward":")./g));
    expect([created, people]).toEqual(where.name === 'a' ? ['A,A,A,D', 2] : ['A,B,C,D', 4]);
  });

  test('of the rows of an `updateMany` that reads none is unknown', async () => {
    const row = { id: '1', patientId: '7' };
    await expect(play({ subject, ...boundToField }, 'updateMany', { data }, row)).rejects.toMatchObject({
      code: 'subject_unknown',
      column: subject,
      remedy: expect.stringContaining('name the rows of an update by it') as string,
    });
  });

  test('is that of the outer row in a nested upsert of one related row', async () => {
    const visits = { upsert: { create: { note: 'x' }, update: { note: 'y' } } };
    const args = { where: { id: '8' }, data: { visits } };
    const { sent, rows } = await play({ subject }, 'update', args, null, 'Patient');
    const ofEight = { patientId: '8' };
    expect(rows).toEqual([
      { ...ofEight, note: 'x' },
      { ...ofEight, note: 'y' },
    ]);
    expect(sent).toMatchObject([{ data: { visits: { upsert: { where: ofEight } } } }]);
  });

  const ofOne = { id: '1', patientId: '7' };
  test.each<[string, string, Args]>([
    ['its column', 'Visit', { where: ofOne, data: { patientId: '8' } }],
    ['its column, also without values', 'Visit', { where, data: { patientId: { set: '8' } } }],
    ['a new row', 'Visit', { where: ofOne, data: { patient: { create: { id: '8' } } } }],
    ['its relation', 'Visit', { where: ofOne, data: { patient: { connect: { id: '8' } } } }],
    ['a relation that ends', 'Visit', { where: ofOne, data: { patient: { disconnect: true } } }],
    ['the other side', 'Patient', { where: { id: '8' }, data: { visits: { connect: where } } }],
  ])('is not changed by %s', async (_, model, args) => {
    await expect(play({ subject }, 'update', args, null, model)).rejects.toMatchObject({
      code: 'subject_unknown',
      column: model === 'Visit' ? 'patientId' : 'visits',
      remedy: expect.stringContaining('delete the old one') as string,
    });
  });

  test('is that of the outer row, and `connectOrCreate` connects no row of another', async () => {
    const visits = { connectOrCreate: { where: { id: '1' }, create: { id: '1', note: 'x' } } };
    const other = { patient: { create: { id: '9', visits } } };
    const args = { where: { id: '8' }, data: { visits: { ...visits, create: { next: { create: other } } } } };
    const { sent, rows } = await play({ subject }, 'update', args, null, 'Patient');
    expect(rows).toEqual(['8', '9'].map((patientId) => ({ patientId, note: 'x' })));
    expect(sent).toMatchObject([
      { data: { visits: { connectOrCreate: { where: { id: '1', patientId: '8' } } } } },
    ]);
  });

  test('is required in a result, although the options of the client omit it', async () => {
    const row = { id: '1', note: 'sealed' };
    await expect(play({ subject }, 'findFirst', {}, row)).rejects.toMatchObject({
      code: 'subject_unknown',
      remedy: 'read it: add `omit: { patientId: false }`',
    });
    await play({ subject }, 'findFirst', {}, { id: '1', note: null });
  });

  test('of an upsert that writes nothing is another, so the upsert is refused', async () => {
    const args = { where: ofOne, create: { patientId: '7' }, update: data };
    await expect(play({ subject }, 'upsert', args)).rejects.toMatchObject({
      code: 'subject_unknown',
      column: 'patientId',
      remedy: 'name the person whose row it is in `where`',
    });
  });
});
