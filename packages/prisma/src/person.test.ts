import { defineFields, describeFields, field, type Tables, unencrypted } from '@eaas/sdk/fields';
import { describe, expect, test } from 'vitest';
import { encrypted } from './encrypted.ts';
import { modelsOf, type RuntimeField } from './models.ts';
import { type Codec, perform } from './perform.ts';
import { peopleOf } from './person.ts';
import { withSchema } from './schema.ts';
import type { Args } from './values.ts';

const schema = `
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
  isOpen    Boolean
  patient   Patient  @relation("of", fields: [patientId, ward], references: [id, ward], onDelete: Cascade)
  patientId String
  ward      String
}
model Patient {
  id     String  @id
  ward   String
  name   String?
  visits Visit[] @relation("of")
}
`;
const column = (name: string, type = 'String'): RuntimeField => ({ name, kind: 'scalar', type });
const relation = (name: string, type: string): RuntimeField => ({
  name,
  kind: 'object',
  type,
  relationName: 'of',
});
const texts = ['id', 'token', 'other', 'made', 'text', 'note', 'nick', 'place', 'patientId', 'ward'];
const declared = withSchema(
  {
    models: {
      Visit: {
        fields: [
          ...texts.map((name) => column(name)),
          column('number', 'Int'),
          column('seen', 'DateTime'),
          column('isOpen', 'Boolean'),
          relation('patient', 'Patient'),
        ],
      },
      Patient: { fields: [column('id'), column('ward'), column('name'), relation('visits', 'Visit')] },
    },
  },
  schema,
);

function modelsWith(tables: Tables) {
  const names = Object.keys(tables);
  const fields = defineFields(tables);
  const described = new Map(names.map((name) => [name, describeFields(fields, name)]));
  return modelsOf(declared, described, {}, peopleOf(tables));
}

/** Runs an operation on visits. Returns the statements, what is encrypted, and the rows that were read before. */
async function play(visit: Tables[string], operation: string, args: Args, result: unknown = null) {
  const models = modelsWith({ Visit: visit });
  const rows: Args[] = [];
  const [sent, reads]: [Args[], Args[]] = [[], []];
  const codec: Codec = {
    onErrorOf: () => 'throw',
    onlyMatching: (_, found) => found,
    async encryptRows(_, given) {
      rows.push(...given);
      return given.map((row) => ({ ...row, note: 'sealed' }));
    },
    decryptRows: async (_, given) => given,
    where: async () => ({}),
  };
  const executor = {
    run: async (_: unknown, __: string, read: Args) => {
      reads.push(read);
      return result;
    },
    query: async (given: Args) => {
      sent.push(given);
      return result;
    },
    queryEach: async (_: unknown, all: readonly Args[]) => {
      sent.push(...all);
      return all.map(() => ({ count: 1 }));
    },
  };
  const model = models.get('Visit');
  if (!model) throw new Error('no such model');
  await perform(models, codec, executor, { model, operation, args, path: [] });
  return { sent, rows, reads };
}

test('foreign keys and random defaults are read from the Prisma schema', () => {
  const fields = new Map(declared.models['Visit']?.fields.map((field) => [field.name, field]));
  expect([...(fields.get('patient')?.key ?? [])]).toEqual([
    ['patientId', 'id'],
    ['ward', 'ward'],
  ]);
  expect([...fields.values()].filter(({ isRandom }) => isRandom).map(({ name }) => name)).toEqual([
    'token',
    'made',
  ]);
});

describe('a definition', () => {
  test.each<[string, Tables[string], string | RegExp]>([
    [
      'an unknown field',
      { subject: 'person' },
      /^Visit\.person: the model has no such field.*another field as/,
    ],
    ['a relation', { subject: 'patient' }, /^Visit\.patient: the field that names the person must be String/],
    ['a date', { subject: 'seen' }, /^Visit\.seen: .*String, Int or BigInt/],
    ['a Boolean', { subject: 'isOpen' }, /^Visit\.isOpen: /],
    ['a network address', { subject: 'place' }, /^Visit\.place: .*not @db\.Inet/],
    ['a function of unknown fields', { subject: () => '7' }, /^Visit: .*list them .*unencrypted/],
    [
      'a function of a date',
      { subject: ({ seen }) => seen, ...unencrypted('seen') },
      /^Visit\.seen: .*list another field with `unencrypted`/,
    ],
  ])('whose person is %s is refused', (_, subject, message) => {
    expect(() => modelsWith({ Visit: { ...subject, note: field.text() } })).toThrow(message);
  });

  test('a function can read Booleans', () => {
    const subject = ({ isOpen, ward }: Readonly<Record<string, unknown>>) =>
      `${String(isOpen)} ${String(ward)}`;
    const models = modelsWith({ Visit: { subject, ...unencrypted('isOpen', 'ward'), note: field.text() } });
    expect(models.get('Visit')?.subject).toEqual(['isOpen', 'ward']);
    expect(modelsWith({ Visit: { note: field.text() } }).get('Visit')?.subject).toEqual([]);
  });
});

describe('what names the person', () => {
  const note = field.text();

  test.each<[string, Args, Args]>([
    ['a new id', { subject: 'id' }, { id: expect.any(String) }],
    ['a random default', { subject: 'token' }, { token: expect.any(String) }],
    ['a random default of the database', { subject: 'made' }, { made: expect.any(String) }],
    ['what the app passes', { subject: 'other' }, { other: 'x' }],
  ])('in a new row is %s, and it is stored', async (_, subject, expected) => {
    const data = { note: 'x', ...('other' in expected ? expected : {}) };
    const { sent, rows } = await play({ ...(subject as { subject: string }), note }, 'create', { data });
    const [name = ''] = Object.keys(expected);
    expect(rows).toMatchObject([expected]);
    expect(sent[0]).toMatchObject({ data: { [name]: rows[0]?.[name], note: 'sealed' } });
  });

  test.each<[string, Args]>([
    ['other', { note: 'x' }],
    ['number', { note: 'x' }],
    ['text', { note: 'x' }],
  ])('in a new row is not the default of `%s`', async (subject, data) => {
    await expect(play({ subject, note }, 'create', { data })).rejects.toMatchObject({
      code: 'unknown_subject',
      model: 'Visit',
      field: subject,
    });
  });

  test('is the key of the connected row, of several columns too', async () => {
    const of = { subject: ({ patientId, ward }: Args) => `${String(patientId)} ${String(ward)}`, note };
    const visit = { ...of, ...unencrypted('patientId', 'ward') } as Tables[string];
    const patient = { connect: { id_ward: { id: '7', ward: 'A' } } };
    const { rows } = await play(visit, 'create', { data: { note: 'x', patient } });
    expect(rows).toEqual([{ patientId: '7', ward: 'A', note: 'x' }]);
  });

  test('is not written by an update, and stays in its `where`', async () => {
    const where = { id: '1', patientId: '7' };
    const args = { where, data: { note: 'x' } };
    const { sent, rows, reads } = await play({ subject: 'patientId', note }, 'update', args);
    expect([sent, rows, reads]).toEqual([
      [{ where, data: { note: 'sealed' } }],
      [{ patientId: '7', note: 'x' }],
      [],
    ]);
  });

  test('is read with the id, and pinned, if the id is unknown', async () => {
    const row = { id: '1', patientId: '7' };
    const args = { where: { token: 't' }, data: { note: 'x' }, select: { id: true } };
    const { sent, rows, reads } = await play({ subject: 'patientId', note }, 'update', args, row);
    expect(reads).toMatchObject([{ where: { token: 't' }, select: { id: true, patientId: true } }]);
    expect(sent).toMatchObject([{ where: { token: 't', ...row }, data: { note: 'sealed' } }]);
    expect(rows).toEqual([{ patientId: '7', note: 'x' }]);
  });

  test('in each row of `updateMany` is its own', async () => {
    const rows = [
      { id: '1', patientId: '7' },
      { id: '2', patientId: '8' },
    ];
    const given = await play({ subject: 'patientId', note }, 'updateMany', { data: { note: 'x' } }, rows);
    expect(given.rows.map(({ patientId }) => patientId)).toEqual(['7', '8']);
    expect(given.sent.map(({ where }) => where)).toMatchObject(rows);
  });

  test('is unknown from a condition that ignores case', async () => {
    const args = { where: { id: '1', nick: 'ADA' }, data: { note: 'x' } };
    await expect(play({ subject: 'nick', note }, 'update', args)).rejects.toMatchObject({
      code: 'unknown_subject',
      field: 'nick',
      remedy: 'add `nick` to `where`',
    });
  });

  test('is required in a result, although the options of the client omit it', async () => {
    const row = { id: '1', note: 'sealed' };
    await expect(play({ subject: 'patientId', note }, 'findFirst', {}, row)).rejects.toMatchObject({
      code: 'unknown_subject',
      remedy: 'read it: add `omit: { patientId: false }`',
    });
    await play({ subject: 'patientId', note }, 'findFirst', {}, { id: '1', note: null });
  });
});

test('an upsert that writes nothing is refused', async () => {
  const args = { where: { id: '1', patientId: '7' }, create: { patientId: '7' }, update: { note: 'x' } };
  await expect(play({ subject: 'patientId', note: field.text() }, 'upsert', args)).rejects.toMatchObject({
    code: 'unsupported_value',
    field: 'patientId',
    remedy: 'name the person whose row it is in `where`',
  });
});

test('`$as` without its client is refused, because it could be in a transaction', () => {
  const fields = defineFields({ Visit: { note: field.text() } });
  const prisma = {
    _runtimeDataModel: declared,
    _engineConfig: { inlineSchema: schema },
    $extends: (extension: object) => extension,
  };
  const eaas = { decryptMany: async () => [], encryptMany: async () => [], as: () => eaas };
  const extend = encrypted(prisma, eaas as never, fields) as unknown as (client: object) => {
    client: { readonly $as: (this: void, user: string) => unknown };
  };
  const { $as } = extend(prisma).client;
  expect(() => $as('7')).toThrow(/`\$as` has no client: call it on the client, as in `db\.\$as\(userId\)`/);
});
