import { encrypted } from '@eaas/prisma';
import { createIndexKey, defineFields, field, lastCharacters } from '@eaas/sdk/fields';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { type Clinic, openClinic, showsStored } from './clinic.ts';
import { type Client, majors } from './generated-client.ts';

describe.each(majors)('Prisma %i', (major) => {
  let database: TestDatabase;
  let clinic: Clinic;

  beforeAll(async () => {
    database = await createDatabase();
    clinic = await openClinic(major, 'hostile', database);
  });

  afterAll(async () => {
    await clinic.close();
    await database.drop();
  });

  beforeEach(async () => {
    await clinic.sql`truncate doctors, patients, visits, bills, tags cascade`;
    const visits = { create: { note: 'cough', kind: 'first' } };
    for (const data of [
      { ssn: '1', email: 'a@x', city: 'A', visits },
      { ssn: '2', city: 'B' },
      { city: 'C' },
    ])
      await patient('create', { data });
  });

  const call = async (db: Client, model: 'patient' | 'visit' | 'tag', operation: string, args: object) =>
    db[model][operation]?.(args);
  const patient = async (operation: string, args: object) => call(clinic.db, 'patient', operation, args);
  const code = (code: string) => expect.objectContaining({ name: 'EncryptedModelError', code });

  test.each<[string, unknown]>([
    ['a promise', { ssn: Promise.resolve('1') }],
    ['a Map', { ssn: new Map() }],
    ['an empty object', { ssn: {} }],
    ['`not` of an empty object', { ssn: { not: {} } }],
    ['a boxed number', { born: Object(5) }],
    ['a part of the value', { ssn: { equals: { last4: '6789' } } }],
  ])('a deleteMany with the filter %s deletes nothing', async (_, where) => {
    await expect(patient('deleteMany', { where })).rejects.toMatchObject({
      name: expect.stringMatching(/^(?:EncryptedModelError|FieldError)$/),
    });
    expect(await patient('count', {})).toBe(3);
  });

  test.each<[string, object]>([
    ['{ notIn: [] }', { email: { notIn: [] } }],
    ['NOT { in: [] }', { NOT: { email: { in: [] } } }],
  ])('%s finds all rows, also those with null', async (_, where) => {
    expect(await patient('count', { where })).toBe(3);
  });

  test('operations on one row refuse a filter that can match several rows', async () => {
    const where = { ssn: { in: ['2', '1'] } };
    for (const operation of ['findUnique', 'delete']) {
      await expect(patient(operation, { where })).rejects.toMatchObject({
        name: 'PrismaClientValidationError',
      });
    }
    expect(await patient('count', {})).toBe(3);
  });

  test('undefined throws with `strictUndefinedChecks`', async () => {
    const features: unknown = Reflect.get(clinic.plain, '_previewFeatures');
    Reflect.set(clinic.plain, '_previewFeatures', ['strictUndefinedChecks']);
    try {
      for (const where of [undefined, { ssn: undefined }, { OR: [{ ssn: { equals: undefined } }] }]) {
        await expect(patient('deleteMany', { where })).rejects.toEqual(code('unknown_argument'));
      }
    } finally {
      Reflect.set(clinic.plain, '_previewFeatures', features);
    }
    expect(await patient('count', {})).toBe(3);
  });

  test('the app can neither read nor write the index columns of `searchableBy`', async () => {
    const last = lastCharacters(1, { column: 'labelIndex' });
    const fields = defineFields({
      Tag: { lowEntropy: 'accepted', label: field.text().searchableBy({ last }) },
    });
    const index = await createIndexKey(clinic.eaas);
    const db: Client = clinic.plain.$extends(encrypted(clinic.plain, clinic.eaas, fields, { index }));
    const created = await call(db, 'tag', 'create', { data: { label: 'urgent' } });
    expect(created).toMatchObject({ label: 'urgent' });
    expect(showsStored([created, await call(db, 'tag', 'findMany', {})])).toBe(false);
    const written = call(db, 'tag', 'create', { data: { label: 'x', labelIndex: 'PLAIN' } });
    await expect(written).rejects.toEqual(code('index_column'));
    expect(await clinic.sql`select label_index ~ '^[0-9a-f]{64}$' as ok from tags`).toEqual([{ ok: true }]);
  });

  test.each<[string, (id: string) => string]>([
    ['in braces', (id) => `{${id}}`],
    ['without hyphens', (id) => id.replaceAll('-', '')],
    ['in upper case', (id) => id.toUpperCase()],
  ])('after an update or upsert by a UUID %s, the row can be decrypted', async (_, form) => {
    const { id } = (await patient('findFirst', { where: { ssn: '1' } })) as { id: string };
    const where = { id: form(id) };
    await patient('update', { where, data: { name: 'Ada' } });
    await patient('upsert', { where, create: { city: 'D' }, update: { email: 'b@x' } });
    expect(await patient('findUnique', { where: { id } })).toMatchObject({ name: 'Ada', email: 'b@x' });
    expect(await patient('count', {})).toBe(3);
  });

  test('a ciphertext of another row does not decrypt', async () => {
    await clinic.sql`update patients set ssn = (select ssn from patients where city = 'A') where city = 'B'`;
    await expect(patient('findMany', {})).rejects.toMatchObject({ name: 'FieldError', code: 'decryption' });
  });
});
