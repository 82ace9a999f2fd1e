import { defineFields, field, type FieldOptions } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { column, columns, modelsWith } from '../test/played.ts';
import { storedIn } from './id-form.ts';
import type { Models, RuntimeField } from './models.ts';
import { withSchema } from './schema.ts';

const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e';

test.each<[string, Partial<RuntimeField>, unknown, unknown, boolean]>([
  ['a UUID in braces', { nativeType: 'Uuid' }, `{${uuid}}`, uuid, true],
  ['a UUID without hyphens', { nativeType: 'Uuid' }, uuid.replaceAll('-', ''), uuid, true],
  ['the same text in a text column', {}, `{${uuid}}`, `{${uuid}}`, true],
  ['a text that is shorter than its column', { nativeType: 'Char(3)' }, 'é', 'é  ', true],
  ['a text that is compared without case', { nativeType: 'Citext' }, 'A', 'A', false],
  ['the text of a BigInt', { type: 'BigInt' }, '007', '7', true],
])('ciphertexts are bound to the id that the database returns: %s', (_, more, given, id, isExact) => {
  expect(storedIn(column('id', more), given)).toEqual({ id, isExact });
});

test('the native types of the columns are read from the Prisma schema', () => {
  const fields = columns('id', 'note', 'kind');
  const { models } = withSchema(
    { models: { Visit: { fields }, Doctor: { fields } } },
    `model Visit {
      id   String  @id @default(dbgenerated("gen_random_uuid()")) @pg.Uuid
      note String? // was @pg.Text
      kind String  @default("// \\" @pg.Xml") @pg.Char(12)
    }
    model Doctor {
      id   String @id
      kind String @pg.Citext
    }`,
  );
  const typesOf = (name: string) => models[name]?.fields.map(({ nativeType }) => nativeType);
  expect(typesOf('Visit')).toEqual(['Uuid', undefined, 'Char(12)']);
  expect(typesOf('Doctor')).toEqual([undefined, undefined, 'Citext']);
});

const definedWith = (options: FieldOptions<string>) => defineFields({ Visit: { note: field.text(options) } });
const bound = definedWith({});

test.each<[string, Partial<RuntimeField>]>([
  ['Inet', { nativeType: 'Inet' }],
  ['DateTime', { type: 'DateTime' }],
])('a column of the type %s is refused as the id of a row', (_, type) => {
  const models = { Visit: { fields: [column('note'), column('id', type)] } };
  expect(() => modelsWith({ models }, bound)).toThrow(
    'Visit.id: the id of a row must be String, Int or BigInt, and not @db.Inet',
  );
});

const withId = (attributes: string, type = 'String') =>
  withSchema(
    { models: { Visit: { fields: [column('id', { type }), column('note')] } } },
    `provider = "postgresql"\nmodel Visit {\n  id ${type} @id ${attributes}\n  note String?\n}`,
  );
const made = 'cuid() cuid(2) nanoid() nanoid(8) ulid() uuid(7) dbgenerated("uuid_generate_v7()")';

test.each(made.split(' '))('an id that only Prisma or the database makes needs `newId`: %s', (call) => {
  const schema = withId(`@default(${call})`);
  const message = expect.stringContaining(call.replace(/\(.*/, '')) as string;
  const remedy = expect.stringMatching(/^pass `newId`.*or .*context: 'field'.* swap values/) as string;
  expect(() => modelsWith(schema, bound)).toThrow(
    expect.objectContaining({ code: 'definition', table: 'Visit', column: 'id', message, remedy }),
  );
  const newIds = [
    modelsWith(schema, bound, { Visit: { newId: () => 'own' } }),
    modelsWith(schema, bound, {}, {}, () => 'own'),
  ];
  expect(newIds.map((models) => models.get('Visit')?.newId?.())).toEqual(['own', 'own']);
  // Nothing is bound to the id, so the database makes it.
  const free = modelsWith(schema, definedWith({ context: 'field' }));
  expect(free.get('Visit')?.newId).toBeUndefined();
});

test.each([
  ['@default(uuid())', 'String', 'a UUID'],
  ['@default(uuid(4))', 'String', 'a UUID'],
  ['@default(dbgenerated("gen_random_uuid()")) @db.Uuid', 'String', 'a UUID'],
  ['@default(autoincrement())', 'Int', 'undefined'],
  ['// was @default(cuid())', 'String', 'own'],
  ['', 'Int', 'undefined'],
])(
  'one `newId` for all models makes only the ids that have no other: %s %s',
  (attributes, type, expected) => {
    const schema = withId(attributes, type);
    const idIn = (models: Models) =>
      String(models.get('Visit')?.newId?.()).replace(/^[0-9a-f-]{36}$/, 'a UUID');
    expect(idIn(modelsWith(schema, bound, {}, {}, () => 'own'))).toBe(expected);
    expect(idIn(modelsWith(schema, bound))).toBe(type === 'String' ? 'a UUID' : 'undefined');
  },
);
