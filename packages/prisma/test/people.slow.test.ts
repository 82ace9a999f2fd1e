import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { migrate } from '@eaas/migrate';
import { withEncryption } from '@eaas/prisma';
import { defineFields, field, type FieldsTables, plaintext, unencrypted } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import * as versions from '@eaas/test-kit/orms/versions';
import type postgres from 'postgres';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, majors, openPrisma } from './generated-client.ts';

const fields = defineFields({
  Patient: { subject: 'id', name: field.text(), ssn: field.text().searchable({ column: 'ssnIndex' }) },
  Visit: { subject: 'patientId', note: field.text() },
  Person: { subject: 'subject', name: field.text() },
  Letter: {
    subject: ({ tenant, owner }) => `${String(tenant)}/${String(owner)}`,
    ...unencrypted('tenant', 'owner'),
    text: field.text(),
  },
  Numbered: { name: field.text() },
});

type Row = Record<string, unknown>;
type Played = Client & { $encryptedTable(name: string): versions.App['source'] };
type Model = 'patient' | 'visit' | 'person' | 'letter';

describe.each(majors)('Prisma %i', async (major) => {
  let sql: postgres.Sql;
  let plain: Client;
  let db: Client;
  const { eaas, make, index, service } = await createClient();
  const newId = () => `c${randomUUID()}`;
  const extend = (options: object = {}) =>
    withEncryption(plain, make(), fields, { index, newId, ...options }) as unknown as Client;

  beforeAll(async () => {
    const opened = await openPrisma(major, 'people', 'people');
    ({ prisma: plain, sql } = opened);
    db = extend();
    return opened.close;
  });

  beforeEach(async () => {
    await sql`truncate patients, visits, persons, letters`;
    await call('patient', 'createMany', {
      data: [1, 2].map((id) => ({ id, name: `name ${id}`, ssn: `ssn ${id}`, city: 'x' })),
    });
    await call('visit', 'create', { data: { id: visit, note: 'cough', patientId: 1 } });
  });

  const visit = '0f8fad5b-d9cb-469f-a165-70867728950e';
  const ofOne = { id: visit, patientId: 1 };

  async function call<T = Row>(model: Model, operation: string, args: object, on = db): Promise<T> {
    return (await on[model][operation]?.(args)) as T;
  }

  async function notes(on = db): Promise<unknown[]> {
    const args = { select: { note: true }, orderBy: { patientId: 'asc' } };
    return (await call<Row[]>('visit', 'findMany', args, on)).map((row) => row['note']);
  }

  /** The people who open the encrypted values of a model, and `nobody` for values that belong to nobody. */
  async function owners(model: Model, field: string, names: readonly string[] = ['1', '2', '3']) {
    const rows = await sql<Row[]>`select * from ${sql(`${model}s`)} where ${sql(field)} is not null`;
    const table = model.charAt(0).toUpperCase() + model.slice(1);
    const found = rows.map(async (row) => {
      const context = { table, field, row: String(row['id']) };
      const ciphertext = String(row[field]);
      const opened = await eaas.decryptMany(names.map((subject) => ({ ciphertext, subject, context })));
      return names.filter((_, at) => opened[at]?.ok).join() || 'nobody';
    });
    return (await Promise.all(found)).toSorted();
  }

  const refused = (code: string, of: string, remedy: RegExp) =>
    expect.objectContaining({
      name: 'EncryptedTableError',
      code,
      message: expect.stringMatching(of),
      remedy: expect.stringMatching(remedy),
    });

  describe('writes', () => {
    test('all who connect or create a person at once name the same', async () => {
      const where = { id: randomUUID() };
      const person = { connectOrCreate: { where, create: { ...where, name: 'Ada' } } };
      const letter = { data: { text: 'Dear Ada', tenant: 'a', person }, select: { owner: true } };
      const made = await Promise.all(Array.from({ length: 5 }, async () => call('letter', 'create', letter)));
      const subjects = [...new Set(made.map(({ owner }) => String(owner)))];
      expect(subjects).toHaveLength(1);
      const owner = `a/${subjects[0]}`;
      expect(await owners('letter', 'text', [owner])).toEqual(made.map(() => owner));
    });

    test('updates read whose row it is, or name the person beside the id', async () => {
      await call('visit', 'update', { where: { id: visit }, data: { note: 'w' } });
      expect([await notes(), await owners('visit', 'note')]).toEqual([['w'], ['1']]);
      const batch = db.$transaction([db.visit['update']?.({ where: { id: visit }, data: { note: 'v' } })]);
      await expect(batch).rejects.toEqual(refused('not_supported', 'Visit', /and its person/));
      await call('visit', 'update', { where: ofOne, data: { note: 'x' } });
      const ofTwo = { id: visit, patientId: 2 };
      const foreign = call('visit', 'update', { where: ofTwo, data: { note: 'y' } });
      await expect(foreign).rejects.toMatchObject({ code: 'P2025' });
      expect(await notes()).toEqual(['x']);
    });

    test.each<[string, string[], string[]]>([
      ['ssn 2', ['1', '2'], ['1', '2']],
      ['ssn 3', ['1', '2', '3'], ['1']],
    ])('rows inside the update of an upsert by %s belong to whom it finds', async (ssn, patients, visits) => {
      const update = { visits: { create: { note: 'x' } } };
      await call('patient', 'upsert', { where: { ssn }, create: { id: 3, ssn, name: 'new' }, update });
      expect(await owners('patient', 'name')).toEqual(patients);
      expect(await owners('visit', 'note')).toEqual(visits);
    });

    test('an update can repeat the person, and give a row without one its person', async () => {
      await call('visit', 'update', { where: ofOne, data: { note: 'x', patientId: 1 } });
      const { id } = await call('visit', 'create', { data: { kind: 'new' } });
      const where = { id, patientId: null };
      await expect(call('visit', 'update', { where, data: { note: 'x' } })).rejects.toEqual(
        refused('subject_unknown', 'Visit.patientId', /name the rows .* also by null/),
      );
      await call('visit', 'update', { where, data: { note: 'y', patientId: 2 } });
      expect(await owners('visit', 'note')).toEqual(['1', '2']);
    });
  });

  test('rows that the database numbers have their numbers before they are encrypted', async () => {
    const { numbered } = db;
    const parts = { create: [{ name: 'b' }, { parts: { create: { name: 'c' } } }] };
    await numbered['create']?.({ data: { name: 'a', parts } });
    await db.$transaction(async (tx: Client) =>
      tx.numbered['createMany']?.({ data: [{ name: 'd' }, { name: null }, { name: 'e' }] }),
    );
    await db.$transaction([
      numbered['create']?.({ data: { name: 'f' } }),
      numbered['create']?.({ data: {} }),
    ]);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const where = { name: { not: null } };
    const rows = (await numbered['findMany']?.({ where })) as { id: number; name: string }[];
    expect(rows.map((row) => row.name).toSorted()).toEqual(names);
    expect(await numbered['findMany']?.({ where: { name: null } })).toHaveLength(3);
  });

  describe('reads', () => {
    test('writing and reading the rows of up to 1,000 people takes one request each', async () => {
      const own = extend();
      const data = Array.from({ length: 1_000 }, (_, at) => ({ id: 10 + at, name: `name ${at}` }));
      const visits = data.slice(500).map(({ id }) => ({ note: 'x', patientId: id }));
      const before = service.requests.length;
      await call('patient', 'createMany', { data }, extend());
      await call('visit', 'createMany', { data: visits }, own);
      const args = { where: { id: { gte: 510 } }, include: { visits: true } };
      expect(await call<Row[]>('patient', 'findMany', args, own)).toHaveLength(500);
      const routes = service.requests.slice(before).map(({ route }) => route);
      expect(routes).toEqual(['POST /v1/batch/wrap', 'POST /v1/batch/wrap', 'POST /v1/batch/unwrap']);
    });

    test('`migrate` encrypts each row for its person and rotates the key, and the app can read it', async () => {
      await sql`insert into visits select gen_random_uuid(), 'old', 'note ' || id, id from patients where id = 2`;
      const note = field.text({ previous: plaintext() });
      const old = defineFields({ ...fields.tables, Visit: { ...fields.tables.Visit, note } });
      const db = withEncryption(plain, eaas, old, { index, newId }) as never;
      const result = await migrate(db, 'Visit', 'encrypt', { client: eaas });
      expect(result).toMatchObject({ done: true, progress: { rewritten: 1, skipped: 1 } });
      await eaas.keys.rotate(String(eaas.keyId));
      const rotated = await migrate(db, 'Visit', 'rewrap', { client: eaas });
      expect(rotated).toMatchObject({ done: true, progress: { rewritten: 2 } });
      expect(await owners('visit', 'note')).toEqual(['1', '2']);
      expect(await notes()).toEqual(['cough', 'note 2']);
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
      const write = (note: string, tx: Client) =>
        call('visit', 'update', { where: ofOne, data: { note } }, tx.$as('8'));
      const seven = own.$as('7');
      expect(await notes(seven)).toEqual(['cough']);
      await own.$transaction(async (tx: Client) => {
        await write('changed', tx);
        for (const on of [tx.$as('8'), tx.$as('7').$as('9'), tx]) {
          expect(await notes(on)).toEqual(['changed']);
        }
        expect(await notes(seven)).toEqual(['cough']);
      });
      await seven.$transaction(async (tx: Client) => expect(await notes(tx)).toEqual(['changed']));
      const users = (await usersOf('key.unwrap')).slice(0, -before || undefined);
      expect(new Set(users).size).toBe(3);
    });

    test('the operations of a batch act for their users, and `user` is asked in the context of each operation', async () => {
      const requests = new AsyncLocalStorage<string>();
      const own = extend({ user: () => requests.getStore() });
      const read = (on: Client) => on.visit['findMany']?.({ select: { note: true } });
      const known = new Set(await usersOf('key.unwrap')).size;
      const added = async () => new Set(await usersOf('key.unwrap')).size - known;
      const results = await own.$transaction([read(own.$as('27')), read(own.$as('28')), read(own)]);
      expect(results).toEqual([1, 2, 3].map(() => [{ note: 'cough' }]));
      expect(await added()).toBe(2);
      await Promise.all(['17', '18', '17'].map((user) => requests.run(user, () => notes(own))));
      expect(await added()).toBe(4);
      await requests.run('17', () => notes(own.$as('19')));
      expect(await added()).toBe(5);
    });
  });

  test('two versions of an app rename and leave, and no kill loses anything', async () => {
    function appOf(name: versions.VersionName): versions.App {
      const { table, columns } = versions.definedBy(name);
      const own = defineFields<FieldsTables>({ [table]: columns });
      const app = withEncryption(plain, versions.eaas, own, { index: versions.index }) as never as Played;
      const run = async (operation: string, args: object) =>
        (await app[table as 'visit'][operation]?.(args)) as Row[];
      return {
        insert: async (data) => run('create', { data }),
        update: async (id, data) => run('update', { where: { id }, data }),
        select: async (column, value) => run('findMany', { where: column && { [column]: value } }),
        source: app.$encryptedTable(table),
      };
    }
    const playing = versions.playVersions(appOf, async () => sql`select id, email, code from users`);
    await expect(playing).resolves.toBeUndefined();
  });
});
