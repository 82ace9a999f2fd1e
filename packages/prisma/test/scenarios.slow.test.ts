import { createIndexKey, defineFields, field, FieldError } from '@eaas/sdk/fields';
import { encrypted } from '@eaas/prisma';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Clinic, openClinic } from './clinic.ts';
import { type Client, majors } from './generated-client.ts';

describe.each(majors)('Prisma %i', (major) => {
  let clinic: Clinic;

  beforeAll(async () => {
    clinic = await openClinic(major, 'scenarios');
    return clinic.close;
  });

  beforeEach(async () => {
    await clinic.sql`truncate doctors, patients, visits, bills, tags cascade`;
  });

  type Row = Record<string, unknown>;
  type Name = 'patient' | 'visit' | 'bill' | 'doctor' | 'tag';

  async function call<T = Row>(db: Client, model: Name, operation: string, args: object): Promise<T> {
    return (await db[model][operation]?.(args)) as T;
  }

  const patient = <T = Row>(operation: string, args: object) =>
    call<T>(clinic.db, 'patient', operation, args);
  const code = (code: string) => expect.objectContaining({ code });

  test('one operation can write, connect and read five models', async () => {
    await call(clinic.db, 'tag', 'create', { data: { label: 'urgent' } });
    const bill = { create: { text: 'paid', cents: 100 } };
    const created = await patient('create', {
      data: {
        name: 'Ada',
        city: 'London',
        doctor: { create: { title: 'Dr' } },
        tags: { connect: { label: 'urgent' }, create: { label: 'new' } },
        visits: { create: [{ note: 'cough', kind: 'first', bill }] },
      },
      include: { doctor: true, tags: true, visits: { include: { bill: true } } },
    });
    expect(created).toMatchObject({
      name: 'Ada',
      doctor: { title: 'Dr' },
      visits: [{ note: 'cough', bill: { text: 'paid', cents: 100 } }],
    });
    const labels = (created['tags'] as Row[]).map(({ label }) => String(label));
    expect(new Set(labels)).toEqual(new Set(['urgent', 'new']));
    expect(await clinic.misplaced()).toEqual([]);
  });

  test('an update of a row that does not exist throws the same error as without the extension', async () => {
    const missing = { where: { ssn: '404' }, data: { name: 'Ada' } };
    await expect(patient('update', missing)).rejects.toEqual(code('P2025'));
    await expect(patient('findUniqueOrThrow', { where: { ssn: '404' } })).rejects.toEqual(code('P2025'));
  });

  test('upserts of one row at the same time create it once, and then update it', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `Name ${at}`);
    const upsert = (name: string) =>
      patient('upsert', {
        where: { ssn: '1' },
        create: { ssn: '1', name, city: 'London' },
        update: { name },
      });
    for (let round = 0; round < 3; round++) {
      await clinic.sql`truncate patients cascade`;
      const written = await Promise.all(names.map(upsert));
      expect(written.map(({ name }) => name)).toEqual(names);
      expect(new Set(written.map(({ id }) => id)).size).toBe(1);
      const rows = await patient<Row[]>('findMany', {});
      expect(rows).toHaveLength(1);
      expect(names).toContain(rows[0]?.['name']);
    }
  });

  test('an upsert throws if its new row has the unique value of another row, or if a transaction cannot go on', async () => {
    const create = { ssn: '1', city: 'London' };
    await patient('create', { data: create });
    const args = { where: { ssn: '2' }, create, update: { name: 'Ada' } };
    await expect(patient('upsert', args)).rejects.toEqual(code('P2002'));
    const work = clinic.db.$transaction(async (tx: Client) => call(tx, 'patient', 'upsert', args));
    await expect(work).rejects.toEqual(code('P2002'));
    expect(await patient('count', {})).toBe(1);
  });

  test('an updateMany that fails for one row changes no row', async () => {
    await patient('createMany', { data: ['1', '2'].map((ssn) => ({ ssn, city: 'London' })) });
    await expect(patient('updateMany', { data: { ssn: '3' } })).rejects.toEqual(code('P2002'));
    const rows = await patient<Row[]>('findMany', {});
    expect(new Set(rows.map(({ ssn }) => ssn))).toEqual(new Set(['1', '2']));
  });

  test('an equality filter throws for a text that is empty after normalization, but a `not` filter finds the text', async () => {
    const rows = ['n/a', '1', null].map((ssn) => ({ ssn, city: 'London' }));
    await patient('createMany', { data: rows });
    const others = await patient<Row[]>('findMany', { where: { ssn: { not: '1' } } });
    expect(others.map(({ ssn }) => ssn)).toEqual(['n/a']);
    expect(await patient('count', { where: { NOT: { ssn: '1' } } })).toBe(1);
    const search = patient('findMany', { where: { ssn: 'n/a' } });
    await expect(search).rejects.toBeInstanceOf(FieldError);
    await expect(search).rejects.toEqual(code('no_fingerprint'));
  });

  test('while an index key is replaced, unique look-ups find old and new rows', async () => {
    const fields = defineFields({ Tag: { label: field.text().searchable({ column: 'labelIndex' }) } });
    const [older, newer] = [await createIndexKey(clinic.eaas), await createIndexKey(clinic.eaas)];
    const open = (index: string[]): Client =>
      clinic.plain.$extends(encrypted(clinic.plain, clinic.eaas, fields, { index }));
    await call(open([older]), 'tag', 'create', { data: { label: 'old' } });
    const db = open([newer, older]);
    await call(db, 'tag', 'create', { data: { label: 'new' } });
    for (const label of ['old', 'new']) {
      expect(await call(db, 'tag', 'findUnique', { where: { label } })).toMatchObject({ label });
      expect(await call(db, 'tag', 'update', { where: { label }, data: { label } })).toMatchObject({ label });
    }
    expect(await call(db, 'tag', 'findUnique', { where: { label: 'other' } })).toBeNull();
    expect(await call(open([newer]), 'tag', 'findUnique', { where: { label: 'old' } })).toMatchObject({
      label: 'old',
    });
  });

  test('raw SQL is refused if it names an encrypted table', async () => {
    const named = clinic.db.$queryRawUnsafe('select name from patients');
    await expect(named).rejects.toEqual(code('raw_query'));
    expect(await clinic.db.$queryRawUnsafe('select 1 as one')).toEqual([{ one: 1 }]);
  });

  describe('among three patients', () => {
    beforeEach(async () => {
      const data = [{ ssn: '1', email: 'a@x', city: 'A' }, { ssn: '2', city: 'B' }, { city: 'C' }];
      await patient('createMany', { data });
    });

    test.each<[string, unknown]>([
      ['a promise', { ssn: Promise.resolve('1') }],
      ['`not` of an empty object', { ssn: { not: {} } }],
      ['a boxed number', { born: Object(5) }],
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

    test.each(['findUnique', 'delete'])(
      '`%s` of one row refuses a filter that can match several rows',
      async (operation) => {
        const found = patient(operation, { where: { ssn: { in: ['2', '1'] } } });
        await expect(found).rejects.toMatchObject({ name: 'PrismaClientValidationError' });
        expect(await patient('count', {})).toBe(3);
      },
    );
  });
});
