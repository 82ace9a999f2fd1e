import { encrypted } from '@eaas/prisma';
import { EaasClient, type EaasEvent } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import type postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deepJson, lookAlike } from '@eaas/test-kit/look-alike';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { type Client, folderOf, generateClient, majors, openPrisma, readSchema } from './generated-client.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly profile: unknown;
}

const fields = defineFields({ Patient: { name: field.text() }, Visit: { note: field.text() } });

describe.each(majors)('Prisma %i', (major) => {
  let database: TestDatabase;
  let sql: postgres.Sql;
  let close: () => Promise<void>;
  let prisma: Client;
  let db: Client;
  let events: EaasEvent[];
  let stolen: string;

  beforeAll(async () => {
    database = await createDatabase();
    const folder = folderOf(major, 'look-alike');
    await generateClient(major, folder, readSchema('comments.prisma'));
    ({ prisma, sql, close } = await openPrisma(major, folder, database, 'comments.sql'));
  });

  afterAll(async () => {
    await close();
    await database.drop();
  });

  beforeEach(async () => {
    await sql`truncate patients, visits, comments`;
    const service = createTestService();
    const { key_id: keyId } = service.createKey('comments');
    events = [];
    const onEvent = (event: EaasEvent): unknown => events.push(event);
    const { baseUrl, apiKey, fetch } = service;
    const eaas = new EaasClient({ baseUrl, apiKey, fetch, keyId, onEvent });
    db = prisma.$extends(encrypted(prisma, eaas, fields));
    await call('patient', 'create', {
      data: { name: 'Ada', nickname: 'Countess', visits: { create: { note: 'cough', kind: 'first' } } },
    });
    const [row] = await sql<{ name: string }[]>`select name from patients`;
    stolen = row?.name ?? '';
  });

  const call = async (model: 'patient' | 'visit' | 'comment', operation: string, args: object) =>
    db[model][operation]?.(args);
  const unexpected = () =>
    events.flatMap((event) =>
      event.type === 'unexpected_ciphertext' ? [`${event.table}.${event.column}`] : [],
    );

  describe.each([
    ['a look-alike', () => lookAlike],
    ['a ciphertext of the app', () => stolen],
  ])('%s that a user typed breaks no read', (_, typed) => {
    test('in a text, in JSON and in bytes of a table with encrypted fields', async () => {
      const profile = { theme: 'dark', links: [{ title: typed() }] };
      const picture = Uint8Array.from(Buffer.from(typed()));
      const plain = { nickname: typed(), profile, picture };
      const visits = { create: { note: 'fever', kind: typed() } };
      const data = { name: 'Eve', ...plain, visits };
      const eve = { name: 'Eve', ...plain };
      const created = await call('patient', 'create', { data, include: { visits: true } });
      expect(created).toMatchObject({ ...eve, visits: [{ note: 'fever', kind: typed() }] });
      const { id } = created as Row;
      const nested = { note: 'fever', kind: typed(), patient: eve };
      const where = { id };
      expect(await call('patient', 'findMany', { orderBy: { nickname: 'asc' } })).toHaveLength(2);
      expect(await call('patient', 'findUnique', { where })).toMatchObject(eve);
      expect(await call('patient', 'findMany', { where, select: { nickname: true } })).toEqual([
        { nickname: typed() },
      ]);
      expect(
        await call('visit', 'findMany', { where: { patientId: id }, include: { patient: true } }),
      ).toMatchObject([nested]);
      expect(await call('patient', 'update', { where, data: { name: 'Eva' } })).toMatchObject({
        ...eve,
        name: 'Eva',
      });
      expect(await call('patient', 'groupBy', { by: ['nickname'], where, _max: { nickname: true } })).toEqual(
        [{ nickname: typed(), _max: { nickname: typed() } }],
      );
      expect(await call('patient', 'aggregate', { where, _min: { nickname: true } })).toEqual({
        _min: { nickname: typed() },
      });
      expect(await call('patient', 'delete', { where })).toMatchObject({ ...eve, name: 'Eva' });
      const places = ['Patient.nickname', 'Patient.picture', 'Patient.profile', 'Visit.kind'];
      expect(unexpected().toSorted()).toEqual(places);
      expect(JSON.stringify(events)).not.toContain('eaasA');
    });

    test('in a table without encrypted fields', async () => {
      const comment = { text: typed(), extra: [{ note: typed() }] };
      const created = await call('comment', 'create', { data: comment, include: { patient: true } });
      expect(created).toMatchObject(comment);
      expect(await call('comment', 'findMany', {})).toMatchObject([comment]);
      expect(await call('comment', 'createManyAndReturn', { data: [comment] })).toMatchObject([comment]);
      const patient = { name: 'Ada', nickname: 'Countess' };
      const owned = { data: { ...comment, patient: { connect: { id: await idOfAda() } } } };
      await call('comment', 'create', owned);
      const where = { patient: { isNot: null } };
      expect(await call('comment', 'findMany', { where, include: { patient: true } })).toMatchObject([
        { ...comment, patient },
      ]);
      expect(unexpected()).toEqual([]);
    });
  });

  async function idOfAda(): Promise<string> {
    const { id } = (await call('patient', 'findFirst', { where: { nickname: 'Countess' } })) as Row;
    return id;
  }

  test('JSON of any depth can be read', async () => {
    const json = deepJson(3_000, 'x');
    await sql`update patients set profile = ${JSON.stringify(json)}::text::jsonb`;
    const { name, profile } = (await call('patient', 'findFirst', {})) as Row;
    expect(name).toBe('Ada');
    expect(JSON.stringify(profile)).toBe(JSON.stringify(json));
    await db.$queryRawUnsafe(`select jsonb_build_array(1) as list`);
    expect(unexpected()).toEqual([]);
  });
});
