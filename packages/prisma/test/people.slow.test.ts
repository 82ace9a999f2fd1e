import { AsyncLocalStorage } from 'node:async_hooks';
import { type EncryptedDatabase, migrate } from '@eaas/migrate';
import { encrypted } from '@eaas/prisma';
import { EaasClient, type EaasClientOptions } from '@eaas/sdk';
import { createIndexKey, defineFields, field, plaintext, unencrypted } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import type postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import {
  type Client,
  folderOf,
  generateClient,
  majors,
  openPrisma,
  readSchema,
  type Sent,
} from './generated-client.ts';

const fields = defineFields({
  Patient: { subject: 'id', name: field.text(), ssn: field.text().searchable({ column: 'ssnIndex' }) },
  Visit: { subject: 'patientId', note: field.text() },
  Stay: { subject: 'patientId', reason: field.text({ context: 'field' }) },
  Person: { subject: 'subject', name: field.text() },
  Letter: {
    subject: ({ tenant, owner }) => `${String(tenant)}/${String(owner)}`,
    ...unencrypted('tenant', 'owner'),
    text: field.text(),
  },
  Bed: { note: field.text() },
});

type Row = Record<string, unknown>;
type Model = 'patient' | 'visit' | 'stay' | 'person' | 'letter' | 'bed';

describe.each(majors)('Prisma %i', (major) => {
  let database: TestDatabase;
  let sql: postgres.Sql;
  let sent: Sent[];
  let plain: Client;
  let db: Client;
  let index: string;
  let close = async (): Promise<void> => {};
  const service = createTestService();
  const { key_id: keyId } = service.createKey('people');
  const clientOf = (options: Partial<EaasClientOptions> = {}) =>
    new EaasClient({ ...service, keyId, ...options });
  const eaas = clientOf();
  const extend = (options: object = {}, client = clientOf()) =>
    plain.$extends(encrypted(plain, client, fields, { index, ...options }));

  beforeAll(async () => {
    database = await createDatabase();
    const folder = folderOf(major, 'people');
    await generateClient(major, folder, readSchema('people.prisma'));
    ({ prisma: plain, sql, sent, close } = await openPrisma(major, folder, database, 'people.sql'));
    index = await createIndexKey(eaas);
    db = extend();
  });

  afterAll(async () => {
    await close();
    await database.drop();
  });

  beforeEach(async () => {
    await sql`truncate patients, visits, stays, persons, letters, beds`;
    await call('patient', 'createMany', {
      data: [1, 2].map((id) => ({ id, name: `name ${id}`, ssn: `ssn ${id}`, city: 'x' })),
    });
    await call('visit', 'create', { data: { id: visit, note: 'cough', patientId: 1 } });
  });

  const visit = '0f8fad5b-d9cb-469f-a165-70867728950e';

  async function call<T = Row>(model: Model, operation: string, args: object, on = db): Promise<T> {
    return (await on[model][operation]?.(args)) as T;
  }

  /** The people who open the encrypted values of a table, and `nobody` for values that belong to nobody. */
  async function owners(table: string, column: string, names: readonly string[] = ['1', '2', '3']) {
    const rows = await sql<Row[]>`select * from ${sql(table)} order by ${sql(column)} is null, id`;
    const model = {
      patients: 'Patient',
      visits: 'Visit',
      stays: 'Stay',
      persons: 'Person',
      letters: 'Letter',
    }[table];
    return Promise.all(
      rows.flatMap((row) => {
        const ciphertext = row[column];
        if (typeof ciphertext !== 'string') return [];
        const context = {
          table: String(model),
          field: column,
          ...(table === 'stays' ? {} : { row: String(row['id']) }),
        };
        return [
          Promise.all(
            names.map(async (subject) =>
              (await eaas.decryptMany([{ ciphertext, subject, context }]))[0]?.ok ? [subject] : [],
            ),
          ).then((found) => found.flat().join() || 'nobody'),
        ];
      }),
    );
  }

  const refused = (code: string, of: string, remedy: RegExp = /./) =>
    expect.objectContaining({
      name: 'EncryptedModelError',
      code,
      message: expect.stringMatching(of),
      remedy: expect.stringMatching(remedy),
    });

  describe('writes', () => {
    test('rows of the test belong to their people', async () => {
      expect(await owners('patients', 'name')).toEqual(['1', '2']);
      expect(await owners('visits', 'note')).toEqual(['1']);
    });

    test.each<[string, object]>([
      ['its column', { patientId: 2 }],
      ['a row that is connected', { patient: { connect: { id: 2 } } }],
      ['a new row', { patient: { create: { id: 3, name: 'new' } } }],
      ['connectOrCreate', { patient: { connectOrCreate: { where: { id: 2 }, create: { id: 2 } } } }],
    ])('a new row knows its person from %s', async (_, data) => {
      await call('visit', 'create', { data: { note: 'rash', ...data } });
      expect((await owners('visits', 'note')).sort()).toEqual([
        '1',
        'patient' in data && 'create' in Object(data.patient) ? '3' : '2',
      ]);
    });

    test.each<[Model, object, string, RegExp]>([
      ['visit', { data: { note: 'x' } }, 'Visit.patientId', /pass `patientId` in `data`/],
      ['visit', { data: { note: 'x', patientId: null } }, 'Visit.patientId', /write `patientId` too/],
      [
        'visit',
        { data: { note: 'x', patient: { connect: { ssn: 'ssn 1' } } } },
        'Visit.patientId',
        /connect .* by the field/,
      ],
      ['letter', { data: { text: 'x', owner: visit } }, 'Letter.tenant', /pass `tenant`, `owner`/],
      ['patient', { data: { ssn: 'x', city: 'y' } }, 'Patient.id', /./],
    ])('a new row of %s without its person is refused', async (model, args, of, remedy) => {
      sent.length = 0;
      await expect(call(model, 'create', args)).rejects.toEqual(
        refused(model === 'patient' ? 'unknown_id' : 'unknown_subject', of, remedy),
      );
      await expect(call(model, 'createMany', { data: [Object(args).data] })).rejects.toThrow(of);
      expect(sent).toEqual([]);
    });

    test('a row without encrypted values needs no person', async () => {
      await call('visit', 'create', { data: { note: null } });
      await call('visit', 'updateMany', { data: { kind: 'x', note: null } });
      expect(await owners('visits', 'note')).toEqual([]);
    });

    test('the extension makes a random id and a random subject itself', async () => {
      const person = await call('person', 'create', { data: { name: 'Ada' } });
      expect(await owners('persons', 'name', [String(person['subject'])])).toEqual([person['subject']]);
      const [found] = await call<Row[]>('person', 'findMany', { select: { name: true } });
      expect(found).toEqual({ name: 'Ada' });
      const letters = { create: { text: 'Dear Ada', tenant: 'a' } };
      const other = await call('person', 'create', { data: { name: null, letters } });
      const subject = `a/${String(other['subject'])}`;
      expect(await owners('letters', 'text', [subject])).toEqual([subject]);
      expect(
        await call('person', 'findMany', {
          where: { id: other['id'] },
          select: { letters: { select: { text: true } } },
        }),
      ).toEqual([{ letters: [{ text: 'Dear Ada' }] }]);
    });

    test('rows inside a new person belong to this person', async () => {
      await call('patient', 'create', {
        data: {
          id: 3,
          visits: { create: [{ note: 'a' }, { note: 'b' }], createMany: { data: [{ note: 'c' }] } },
          stay: { connectOrCreate: { where: { bed: 'A1' }, create: { bed: 'A1', reason: 'd' } } },
        },
      });
      expect((await owners('visits', 'note')).sort()).toEqual(['1', '3', '3', '3']);
      expect(await owners('stays', 'reason')).toEqual(['3']);
    });

    test.each<[string, Model, string, object]>([
      ['the id', 'patient', 'update', { where: { id: 2 }, data: { name: 'new' } }],
      ['a unique field', 'patient', 'update', { where: { ssn: 'ssn 2' }, data: { name: 'new' } }],
      ['a filter', 'patient', 'updateMany', { where: { city: 'x' }, data: { name: 'new' } }],
      [
        'an upsert that finds it',
        'patient',
        'upsert',
        { where: { ssn: 'ssn 2' }, create: { id: 9 }, update: { name: 'new' } },
      ],
      [
        'an upsert by its id',
        'patient',
        'upsert',
        { where: { id: 2 }, create: { id: 2 }, update: { name: 'new' } },
      ],
    ])('an update knows the person from %s', async (_, model, operation, args) => {
      await call(model, operation, args);
      expect(await owners('patients', 'name')).toEqual(['1', '2']);
      expect(await call('patient', 'findUnique', { where: { id: 2 } })).toMatchObject({
        name: 'new',
        ssn: 'ssn 2',
      });
    });

    test('an upsert that finds nothing creates the row for its own person', async () => {
      await call('patient', 'upsert', {
        where: { ssn: 'ssn 3' },
        create: { id: 3, name: 'new', ssn: 'ssn 3' },
        update: { name: 'old' },
      });
      expect(await owners('patients', 'name')).toEqual(['1', '2', '3']);
      await call('visit', 'upsert', {
        where: { id: visit, patientId: 1 },
        create: { note: 'x', patientId: 2 },
        update: { note: 'y' },
      });
      expect(await owners('visits', 'note')).toEqual(['1']);
    });

    test('an upsert for another person does not move the row', async () => {
      const args = {
        where: { id: visit, patientId: 2 },
        create: { id: visit, note: 'x', patientId: 2 },
        update: { note: 'y' },
      };
      await expect(call('visit', 'upsert', args)).rejects.toEqual(
        refused('unsupported_value', 'Visit.patientId', /name the person/),
      );
      expect(await call<Row[]>('visit', 'findMany', {})).toMatchObject([{ patientId: 1, note: 'cough' }]);
    });

    test.each<[string, Model, string, object, string]>([
      ['update', 'visit', 'update', { where: { id: visit }, data: { note: 'x' } }, 'Visit.patientId'],
      [
        'upsert',
        'visit',
        'upsert',
        { where: { id: visit }, create: { patientId: 1 }, update: { note: 'x' } },
        'Visit.patientId',
      ],
      ['updateMany without ids', 'stay', 'updateMany', { data: { reason: 'x' } }, 'Stay.patientId'],
    ])('%s without the person says what to add', async (_, model, operation, args, of) => {
      sent.length = 0;
      await expect(call(model, operation, args)).rejects.toEqual(
        refused('unknown_subject', of, /add `patientId` to `where`/),
      );
      expect(sent).toEqual([]);
    });

    test('updates name the person beside the id', async () => {
      await call('visit', 'update', { where: { id: visit, patientId: 1 }, data: { note: 'x' } });
      await expect(
        call('visit', 'update', { where: { id: visit, patientId: 2 }, data: { note: 'y' } }),
      ).rejects.toMatchObject({ code: 'P2025' });
      await call('stay', 'createMany', { data: [1, 2].map((patientId) => ({ reason: 'x', patientId })) });
      await call('stay', 'updateMany', { where: { patientId: 2 }, data: { reason: 'y' } });
      expect(
        await call<Row[]>('stay', 'findMany', { orderBy: { patientId: 'asc' }, select: { reason: true } }),
      ).toEqual([{ reason: 'x' }, { reason: 'y' }]);
      expect(await call<Row[]>('visit', 'findMany', { select: { note: true } })).toEqual([{ note: 'x' }]);
    });

    test.each<[string, Model, object]>([
      [
        'update',
        'patient',
        { data: { visits: { update: { where: { id: visit }, data: { note: 'new' } } } } },
      ],
      [
        'updateMany',
        'patient',
        { data: { visits: { updateMany: { where: { kind: 'first' }, data: { note: 'new' } } } } },
      ],
      [
        'upsert',
        'patient',
        {
          data: {
            visits: { upsert: { where: { id: visit }, create: { note: 'x' }, update: { note: 'new' } } },
          },
        },
      ],
      [
        'an upsert that creates',
        'patient',
        {
          data: {
            visits: {
              deleteMany: {},
              upsert: {
                where: { id: '936da01f-9abd-4d9d-80c7-02af85c822a8' },
                create: { note: 'new' },
                update: { note: 'x' },
              },
            },
          },
        },
      ],
    ])('nested in its person, %s encrypts for this person', async (_, model, args) => {
      await call(model, 'update', { where: { id: 1 }, ...args });
      expect(await owners('visits', 'note')).toEqual(['1']);
      expect(await call<Row[]>('visit', 'findMany', { select: { note: true } })).toEqual([{ note: 'new' }]);
    });

    test('rows inside a person who is found by a search read once who it is, and the update names them', async () => {
      const visits = { create: [{ note: 'a' }, { note: 'b' }, { note: 'c' }] };
      sent.length = 0;
      await call('patient', 'update', { where: { ssn: 'ssn 2' }, data: { visits } });
      expect((await owners('visits', 'note')).sort()).toEqual(['1', '2', '2', '2']);
      const looked = sent.filter(({ query }) => /^SELECT .*patients"."ssn_index" =/.test(query));
      expect(looked.map(({ query }) => /"patients"."id" = /.test(query))).toEqual([false, true]);
    });

    test.each<[string, string[], string[]]>([
      ['ssn 2', ['1', '2'], ['1', '2']],
      ['ssn 3', ['1', '2', '3'], ['1']],
    ])('rows inside the update of an upsert by %s belong to whom it finds', async (ssn, patients, visits) => {
      const create = { id: 3, ssn, name: 'new' };
      const update = { visits: { create: { note: 'x' } } };
      await call('patient', 'upsert', { where: { ssn }, create, update });
      expect(await owners('patients', 'name')).toEqual(patients);
      expect((await owners('visits', 'note')).sort()).toEqual(visits);
    });

    test('a nested update of the person reads whose row it is', async () => {
      await call('visit', 'update', { where: { id: visit }, data: { patient: { update: { name: 'new' } } } });
      await call('stay', 'create', { data: { reason: 'x', patientId: 2 } });
      await call('patient', 'update', {
        where: { ssn: 'ssn 2' },
        data: { stay: { update: { reason: 'y' } } },
      });
      expect([await owners('patients', 'name'), await owners('stays', 'reason')]).toEqual([
        ['1', '2'],
        ['2'],
      ]);
      expect(await call('patient', 'findUnique', { where: { id: 1 }, select: { name: true } })).toEqual({
        name: 'new',
      });
    });

    test.each<[string, Model, object]>([
      ['its column', 'visit', { where: { id: visit, patientId: 1 }, data: { patientId: 2 } }],
      ['its column, also without values', 'visit', { where: { id: visit }, data: { patientId: { set: 2 } } }],
      [
        'a number that is added',
        'visit',
        { where: { id: visit, patientId: 1 }, data: { patientId: { increment: 1 } } },
      ],
      [
        'its relation',
        'visit',
        { where: { id: visit, patientId: 1 }, data: { patient: { connect: { id: 2 } } } },
      ],
      [
        'a new row',
        'visit',
        { where: { id: visit, patientId: 1 }, data: { patient: { create: { id: 3 } } } },
      ],
      [
        'a relation that ends',
        'visit',
        { where: { id: visit, patientId: 1 }, data: { patient: { disconnect: true } } },
      ],
      ['the other side', 'patient', { where: { id: 2 }, data: { visits: { connect: { id: visit } } } }],
      ['a list from the other side', 'patient', { where: { id: 2 }, data: { visits: { set: [] } } }],
      [
        'the end of it from the other side',
        'patient',
        { where: { id: 1 }, data: { visits: { disconnect: { id: visit } } } },
      ],
      [
        'its subject',
        'person',
        { where: { subject: visit }, data: { subject: '936da01f-9abd-4d9d-80c7-02af85c822a8' } },
      ],
    ])('a row cannot be moved to another person by %s', async (_, model, args) => {
      await expect(call(model, 'update', args)).rejects.toEqual(
        refused('unsupported_value', '(?:patientId|visits|subject): ', /delete the old one/),
      );
      expect(await owners('visits', 'note')).toEqual(['1']);
    });

    test('an update can repeat the person, and give a row without one its person', async () => {
      await call('visit', 'update', {
        where: { id: visit, patientId: 1 },
        data: { note: 'x', patientId: 1 },
      });
      const { id } = await call('visit', 'create', { data: { kind: 'new' } });
      await expect(
        call('visit', 'update', { where: { id, patientId: null }, data: { note: 'x' } }),
      ).rejects.toEqual(refused('unknown_subject', 'Visit.patientId', /`patientId: null` in `where`/));
      await call('visit', 'update', { where: { id, patientId: null }, data: { note: 'y', patientId: 2 } });
      expect((await owners('visits', 'note')).sort()).toEqual(['1', '2']);
    });

    test('connectOrCreate from the other side takes only rows of the same person', async () => {
      const visits = { connectOrCreate: { where: { id: visit }, create: { id: visit, note: 'x' } } };
      await call('patient', 'update', { where: { id: 1 }, data: { visits } });
      await expect(call('patient', 'update', { where: { id: 2 }, data: { visits } })).rejects.toMatchObject({
        code: 'P2002',
      });
      expect(await call<Row[]>('visit', 'findMany', {})).toMatchObject([{ patientId: 1, note: 'cough' }]);
    });
  });

  describe('reads', () => {
    test.each<[string, Model, object, unknown]>([
      ['a selection without the field', 'visit', { select: { note: true } }, [{ note: 'cough' }]],
      [
        'an omission of the field',
        'visit',
        { omit: { id: true, patientId: true, kind: true } },
        [{ note: 'cough' }],
      ],
      [
        'an inner selection',
        'patient',
        { where: { id: 1 }, select: { visits: { select: { note: true } } } },
        [{ visits: [{ note: 'cough' }] }],
      ],
      [
        'a relation',
        'visit',
        { select: { patient: { select: { name: true } } } },
        [{ patient: { name: 'name 1' } }],
      ],
      ['a search', 'patient', { where: { ssn: 'ssn 1' }, select: { ssn: true } }, [{ ssn: 'ssn 1' }]],
    ])('%s is decrypted, and has only what was asked for', async (_, model, args, expected) => {
      expect(await call(model, 'findMany', args)).toEqual(expected);
    });

    test('the rows of a relation that follows a query are decrypted', async () => {
      const found = db.patient['findUnique']?.({ where: { id: 1 } }) as unknown as {
        visits(args: object): Promise<unknown>;
      };
      expect(await found.visits({ select: { note: true } })).toEqual([{ note: 'cough' }]);
    });

    test('1,000 rows of 1,000 people take one request for data keys', async () => {
      const rows = Array.from({ length: 1_000 }, (_, at) => ({ id: 10 + at, name: `name ${at}` }));
      let before = service.requests.length;
      await call('patient', 'createMany', { data: rows }, extend());
      expect(service.requests.slice(before).map(({ route }) => route)).toEqual(['POST /v1/batch/wrap']);
      before = service.requests.length;
      const read = await call<Row[]>(
        'patient',
        'findMany',
        { where: { id: { gte: 10 } }, select: { name: true }, orderBy: { id: 'asc' } },
        extend(),
      );
      expect(read).toEqual(rows.map(({ name }) => ({ name })));
      expect(service.requests.slice(before).map(({ route }) => route)).toEqual(['POST /v1/batch/unwrap']);
    });

    test('writing and reading many people and their rows takes two requests', async () => {
      const own = extend();
      const data = Array.from({ length: 50 }, (_, at) => ({ id: 10 + at, name: `name ${at}` }));
      await call('patient', 'createMany', { data }, extend());
      const visits = data.map(({ id }) => ({ note: 'x', patientId: id }));
      const before = service.requests.length;
      await call('visit', 'createMany', { data: visits }, own);
      const args = { where: { id: { gte: 10 } }, include: { visits: true } };
      expect(await call<Row[]>('patient', 'findMany', args, own)).toHaveLength(50);
      expect(service.requests.slice(before).map(({ route }) => route)).toEqual([
        'POST /v1/batch/wrap',
        'POST /v1/batch/unwrap',
      ]);
    });

    test('values from before, which belong to nobody, are still read', async () => {
      const before = defineFields({ Visit: { note: field.text() } });
      await call(
        'visit',
        'create',
        { data: { note: 'old', patientId: 2 } },
        plain.$extends(encrypted(plain, eaas, before)),
      );
      const notes = await call<Row[]>('visit', 'findMany', {
        select: { note: true },
        orderBy: { patientId: 'asc' },
      });
      expect(notes).toEqual([{ note: 'cough' }, { note: 'old' }]);
    });

    test('`migrate` encrypts each row for its person and rotates the key, and the app can read it', async () => {
      await sql`insert into visits select gen_random_uuid(), 'old', 'note ' || id, id from patients`;
      const { Visit, ...others } = fields.tables;
      const old = defineFields({
        ...others,
        Visit: { ...Visit, note: field.text({ previous: plaintext() }) },
      });
      const db = plain.$extends(encrypted(plain, eaas, old, { index })) as unknown as EncryptedDatabase;
      const result = await migrate(db, 'Visit', 'encrypt', { client: eaas });
      expect(result).toMatchObject({ done: true, progress: { rewritten: 2, skipped: 1 } });
      await eaas.keys.rotate({ key_id: String(eaas.keyId) });
      const rotated = await migrate(db, 'Visit', 'rewrap', { client: eaas });
      expect(rotated).toMatchObject({ done: true, progress: { rewritten: 3 } });
      expect((await owners('visits', 'note')).sort()).toEqual(['1', '1', '2']);
      const args = { where: { kind: 'old' }, select: { note: true }, orderBy: { patientId: 'asc' } };
      expect(await call<Row[]>('visit', 'findMany', args)).toEqual([{ note: 'note 1' }, { note: 'note 2' }]);
    });

    test('the values of an erased person are gone, and can be set to null', async () => {
      await call('patient', 'create', { data: { id: 903, name: 'erased', ssn: 'ssn 3' } });
      await eaas.subjects.erase({ subject: '903' });
      const args = { select: { name: true, ssn: true }, orderBy: { id: 'asc' } };
      const strict = call('patient', 'findMany', { ...args, onError: 'throw' }, extend());
      await expect(strict).rejects.toMatchObject({ name: 'FieldError', code: 'subject_erased' });
      const names = [1, 2].map((id) => ({ name: `name ${id}`, ssn: `ssn ${id}` }));
      const readable = [...names, { name: null, ssn: null }];
      expect(await call('patient', 'findMany', args, extend())).toEqual(readable);
      const where = { id: 903 };
      const gone = { ...where, name: null, city: 'Bern' };
      const data = { city: 'Bern' };
      expect(await call('patient', 'update', { where, data }, extend())).toMatchObject(gone);
      const upsert = { where, create: { ...where, ...data }, update: data };
      expect(await call('patient', 'upsert', upsert, extend())).toMatchObject(gone);
      await call('patient', 'updateMany', { where: { id: 903 }, data: { name: null, ssn: null } });
      expect(await call('patient', 'findMany', args, extend())).toEqual(readable);
      expect(await sql`select ssn_index from patients where id = 903`).toEqual([{ ssn_index: null }]);
    });

    test('the row of an erased person can be deleted, also in a transaction', async () => {
      for (const id of [904, 905]) {
        await call('patient', 'create', { data: { id, name: 'erased' } });
        await eaas.subjects.erase({ subject: String(id) });
      }
      expect(await call('patient', 'delete', { where: { id: 904 } }, extend())).toMatchObject({
        id: 904,
        name: null,
      });
      await extend().$transaction(async (tx: Client) =>
        call('patient', 'delete', { where: { id: 905 } }, tx),
      );
      expect(await sql`select id from patients where id > 903`).toEqual([]);
    });

    test('a nested upsert of one row encrypts for its person', async () => {
      for (const reason of ['a', 'b']) {
        const stay = { upsert: { create: { reason }, update: { reason } } };
        const { stay: read } = await call('patient', 'update', {
          where: { id: 2 },
          data: { stay },
          select: { stay: { select: { reason: true } } },
        });
        expect(read).toEqual({ reason });
        expect(await owners('stays', 'reason')).toEqual(['2']);
      }
    });

    test('a model without a subject sends the same statements and requests as before', async () => {
      const before = defineFields({ Bed: { note: field.text() } });
      const runs: unknown[] = [];
      for (const on of [extend(), plain.$extends(encrypted(plain, clientOf(), before))]) {
        const { length } = service.requests;
        sent.length = 0;
        const bed = await call('bed', 'create', { data: { note: 'x' } }, on);
        await call('bed', 'update', { where: { id: bed['id'] }, data: { note: 'y' } }, on);
        expect(await call('bed', 'findMany', { select: { note: true } }, on)).toEqual([{ note: 'y' }]);
        await sql`truncate beds`;
        runs.push([sent.map(({ query }) => query), service.requests.slice(length).map(({ route }) => route)]);
      }
      expect(runs[0]).toEqual(runs[1]);
    });
  });

  describe('users', () => {
    const usersOf = async (action: string) => {
      const { logs } = await eaas.audit.page({ limit: 100 });
      return logs.flatMap((entry) =>
        entry.action === action && entry.metadata['user_asserted'] ? [entry.metadata['user']] : [],
      );
    };

    test('`$as` reads for a user, on the client and in a transaction, and shares the rest', async () => {
      const own = extend();
      await own.patient['findMany']?.();
      const before = (await usersOf('key.unwrap')).length;
      const seven = own.$as('7');
      expect(await call('visit', 'findMany', { select: { note: true } }, seven)).toEqual([{ note: 'cough' }]);
      await own.$transaction(async (tx: Client) => {
        await call(
          'visit',
          'update',
          { where: { id: visit, patientId: 1 }, data: { note: 'changed' } },
          tx.$as('8'),
        );
        expect(await call('visit', 'findMany', { select: { note: true } }, tx.$as('8'))).toEqual([
          { note: 'changed' },
        ]);
        expect(await call('visit', 'findMany', { select: { note: true } }, tx.$as('7').$as('9'))).toEqual([
          { note: 'changed' },
        ]);
        expect(await call('visit', 'findMany', { select: { note: true } }, seven)).toEqual([
          { note: 'cough' },
        ]);
        expect(await call('visit', 'findMany', { select: { note: true } }, tx)).toEqual([
          { note: 'changed' },
        ]);
      });
      await seven.$transaction(async (tx: Client) => {
        expect(await call('visit', 'findMany', { select: { note: true } }, tx)).toEqual([
          { note: 'changed' },
        ]);
      });
      const rolledBack = own.$transaction(async (tx: Client) => {
        await call(
          'visit',
          'update',
          { where: { id: visit, patientId: 1 }, data: { note: 'gone' } },
          tx.$as('8'),
        );
        throw new Error('stop');
      });
      await expect(rolledBack).rejects.toThrow('stop');
      expect(await call('visit', 'findMany', { select: { note: true } })).toEqual([{ note: 'changed' }]);
      const users = (await usersOf('key.unwrap')).slice(0, -before || undefined);
      expect(new Set(users).size).toBe(3);
    });

    test('the parent of the client is the client without the extension, also in a transaction', async () => {
      const parentOf = (on: Client) => (on as unknown as { $parent: Client }).$parent;
      const stored = { note: expect.stringMatching(/^eaasA/) };
      const read = (on: Client) => call('visit', 'findFirst', { select: { note: true } }, on);
      expect(await read(parentOf(db))).toEqual(stored);
      await parentOf(db).$transaction(async (tx: Client) => expect(await read(tx)).toEqual(stored));
      await db.$transaction(async (tx: Client) => {
        await tx.visit['updateMany']?.({ data: { kind: 'changed' } });
        expect(await parentOf(tx).visit['findMany']?.()).toMatchObject([{ ...stored, kind: 'changed' }]);
      });
    });

    test('the operations of a batch can act for different users', async () => {
      const own = extend();
      const read = (on: Client) => on.visit['findMany']?.({ select: { note: true } });
      const before = new Set(await usersOf('key.unwrap'));
      const results = await own.$transaction([read(own.$as('27')), read(own.$as('28')), read(own)]);
      expect(results).toEqual([1, 2, 3].map(() => [{ note: 'cough' }]));
      const users = (await usersOf('key.unwrap')).filter((user) => !before.has(user));
      expect([users.length, new Set(users).size]).toEqual([2, 2]);
    });

    test('`user` is asked in the context of each operation', async () => {
      const requests = new AsyncLocalStorage<string>();
      const own = extend({ user: () => requests.getStore() });
      const read = () => call('visit', 'findMany', { select: { note: true } }, own);
      const before = new Set(await usersOf('key.unwrap'));
      await Promise.all(['17', '18', '17'].map((user) => requests.run(user, read)));
      await read();
      const users = (await usersOf('key.unwrap')).filter((user) => !before.has(user));
      expect([users.length, new Set(users).size]).toEqual([2, 2]);
      await requests.run('17', () => own.$as('19').visit['findMany']?.());
      expect(new Set(await usersOf('key.unwrap')).size).toBe(before.size + 3);
    });

    test.each<[Model, string, object]>([
      ['patient', 'findMany', {}],
      ['patient', 'updateMany', { data: { name: 'x' } }],
      ['patient', 'upsert', { where: { ssn: 'ssn 1' }, create: { id: 9 }, update: { name: 'x' } }],
      ['bed', 'create', { data: { note: 'x' } }],
    ])(
      'with `requireUser`, %s %s without a user is refused before anything runs',
      async (model, operation, args) => {
        const own = extend({}, clientOf({ requireUser: true }));
        sent.length = 0;
        await expect(call(model, operation, args, own)).rejects.toEqual(
          expect.objectContaining({ code: 'unknown_user', remedy: expect.stringContaining('$as') }),
        );
        expect(sent).toEqual([]);
        await call(model, operation, args, own.$as('7'));
        expect(sent).not.toEqual([]);
      },
    );

    test('with `requireUser`, an operation without values needs no user', async () => {
      expect(await extend({}, clientOf({ requireUser: true })).patient['count']?.()).toBe(2);
    });

    test('an invalid user is refused at once', () => {
      expect(() => db.$as('')).toThrow(/1 to 256 bytes/);
      expect(() => extend({ user: '7' })).toThrow(/`user` must be a function/);
    });
  });
});
