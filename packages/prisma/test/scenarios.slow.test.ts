import { createIndexKey, defineFields, field, FieldError } from '@eaas/sdk/fields';
import { encrypted } from '@eaas/prisma';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { type Clinic, misplaced, openClinic } from './clinic.ts';
import { type Client, majors } from './generated-client.ts';

describe.each(majors)('Prisma %i', (major) => {
  let database: TestDatabase;
  let clinic: Clinic;

  beforeAll(async () => {
    database = await createDatabase();
    clinic = await openClinic(major, 'scenarios', database);
  });

  afterAll(async () => {
    await clinic.close();
    await database.drop();
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
    expect(await misplaced(clinic.sql)).toEqual([]);
  });

  test('updates through relations find the ids of the related rows', async () => {
    const visits = { create: { note: 'cough', kind: 'first', bill: { create: { text: 'open', cents: 1 } } } };
    await patient('create', { data: { name: 'Ada', ssn: '1', city: 'London', visits } });
    const [visit] = await call<Row[]>(clinic.db, 'visit', 'findMany', {});
    const updated = await call(clinic.db, 'visit', 'update', {
      where: { id: visit?.['id'] },
      data: { bill: { update: { text: 'paid' } }, patient: { update: { data: { name: 'Lovelace' } } } },
      include: { bill: true, patient: true },
    });
    expect(updated).toMatchObject({ bill: { text: 'paid' }, patient: { name: 'Lovelace', ssn: '1' } });
    await call(clinic.db, 'visit', 'update', {
      where: { id: visit?.['id'] },
      data: { bill: { upsert: { create: { text: 'new', cents: 1 }, update: { text: 'twice' } } } },
    });
    expect(await call(clinic.db, 'bill', 'findMany', {})).toMatchObject([{ text: 'twice' }]);
    expect(await misplaced(clinic.sql)).toEqual([]);
  });

  test('an update of a row that does not exist throws the same error as without the extension', async () => {
    const missing = { where: { ssn: '404' }, data: { name: 'Ada' } };
    await expect(patient('update', missing)).rejects.toEqual(code('P2025'));
    await expect(patient('findUniqueOrThrow', { where: { ssn: '404' } })).rejects.toEqual(code('P2025'));
  });

  test('the unique constraint of an index column refuses duplicate values', async () => {
    await patient('create', { data: { ssn: '123-45', city: 'London' } });
    const twin = patient('create', { data: { ssn: '12345', city: 'Turin' } });
    await expect(twin).rejects.toEqual(code('P2002'));
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

  test('a failed transaction leaves no changes', async () => {
    const work = clinic.db.$transaction(async (tx: Client) => {
      await call(tx, 'patient', 'create', { data: { ssn: '1', name: 'Ada', city: 'London' } });
      await call(tx, 'patient', 'update', { where: { ssn: '1' }, data: { name: 'Grace' } });
      expect(await call(tx, 'patient', 'findUnique', { where: { ssn: '1' } })).toMatchObject({
        name: 'Grace',
      });
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await patient('count', {})).toBe(0);
  });

  test('an updateMany that fails for one row changes no row', async () => {
    await patient('createMany', { data: ['1', '2'].map((ssn) => ({ ssn, city: 'London' })) });
    await expect(patient('updateMany', { data: { ssn: '3' } })).rejects.toEqual(code('P2002'));
    const rows = await patient<Row[]>('findMany', {});
    expect(new Set(rows.map(({ ssn }) => ssn))).toEqual(new Set(['1', '2']));
  });

  test('a `$transaction` list throws and writes nothing if one of its operations must read an id first', async () => {
    await patient('create', { data: { ssn: '1', name: 'Ada', city: 'London' } });
    const batch = clinic.db.$transaction([
      clinic.db.patient['create']?.({ data: { city: 'Turin' } }),
      clinic.db.patient['update']?.({ where: { ssn: '1' }, data: { name: 'Grace' } }),
    ]);
    await expect(batch).rejects.toEqual(code('batch'));
    expect(await patient<Row[]>('findMany', {})).toMatchObject([{ name: 'Ada', city: 'London' }]);
  });

  test('an operation on any number of rows needs one request for data keys', async () => {
    const visits = { create: [{ note: 'cough', kind: 'first' }] };
    const before = clinic.service.requests.length;
    for (let at = 0; at < 20; at++)
      await patient('create', { data: { name: `Name ${at}`, city: 'London', visits } });
    const data = Array.from({ length: 500 }, (_, at) => ({
      name: `Name ${at}`,
      email: `${at}@x`,
      city: 'London',
    }));
    await patient('createMany', { data });
    await patient('findMany', { include: { visits: true } });
    expect(clinic.service.requests.length - before).toBeLessThanOrEqual(1);
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
    await patient('create', { data: { name: 'Ada', city: 'London' } });
    await expect(clinic.db.$queryRawUnsafe('select name from patients')).rejects.toEqual(code('raw_query'));
    const write = `update patients set name = 'PLAIN'`;
    await expect(clinic.db.$queryRawUnsafe(write)).rejects.toEqual(code('raw_query'));
    expect(await clinic.db.$queryRawUnsafe('select 1 as one')).toEqual([{ one: 1 }]);
    expect(await patient('findFirst', {})).toMatchObject({ name: 'Ada' });
  });

  test('a plaintext in an encrypted column is refused', async () => {
    await patient('create', { data: { city: 'London' } });
    await clinic.sql`update patients set name = 'Ada'`;
    await expect(patient('findMany', {})).rejects.toEqual(code('format'));
  });

  test('a definition that does not fit the schema is refused when the client is extended', () => {
    const fields = defineFields({ Patients: { name: field.text() } });
    expect(() => encrypted(clinic.plain, clinic.eaas, fields)).toThrow(
      /^Patients: exactly one model .* or pass \{ models: \{ <Model>: 'Patients' \} \}$/,
    );
    const swapped = () => encrypted(clinic.eaas, clinic.plain as never, fields);
    expect(swapped).toThrow('`encrypted` takes (prisma, eaas, fields, options)');
    expect(() => encrypted(clinic.plain, clinic.eaas, {} as never)).toThrow('that `defineFields` returned');
  });
});
