import { encrypted } from '@eaas/prisma';
import { EaasClient, type EaasEvent } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import type postgres from 'postgres';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deepJson, lookAlike } from '@eaas/test-kit/look-alike';
import { type Client, majors, openPrisma } from './generated-client.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly profile: unknown;
}

const fields = defineFields({ Patient: { name: field.text() }, Visit: { note: field.text() } });
const ada = '00000000-0000-4000-8000-00000000000a';

describe.each(majors)('Prisma %i', (major) => {
  let sql: postgres.Sql;
  let prisma: Client;
  let db: Client;
  let events: EaasEvent[];
  let stolen: string;

  beforeAll(async () => {
    const opened = await openPrisma(major, 'look-alike', 'comments');
    ({ prisma, sql } = opened);
    return opened.close;
  });

  beforeEach(async () => {
    await sql`truncate patients, visits, comments`;
    const service = createTestService();
    const { key_id: keyId } = service.createKey('comments');
    events = [];
    const onEvent = (event: EaasEvent): unknown => events.push(event);
    const eaas = new EaasClient({ ...service, keyId, onEvent });
    db = prisma.$extends(encrypted(prisma, eaas, fields));
    const visits = { create: { note: 'cough', kind: 'first' } };
    await call('patient', 'create', { data: { id: ada, name: 'Ada', nickname: 'Countess', visits } });
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
      await call('comment', 'create', { data: { ...comment, patient: { connect: { id: ada } } } });
      const where = { patient: { isNot: null } };
      expect(await call('comment', 'findMany', { where, include: { patient: true } })).toMatchObject([
        { ...comment, patient },
      ]);
      expect(unexpected()).toEqual([]);
    });
  });

  test('JSON of any depth can be read', async () => {
    const json = deepJson(3_000, 'x');
    await sql`update patients set profile = ${JSON.stringify(json)}::text::jsonb`;
    const { name, profile } = (await call('patient', 'findFirst', {})) as Row;
    expect(name).toBe('Ada');
    expect(JSON.stringify(profile)).toBe(JSON.stringify(json));
    expect(unexpected()).toEqual([]);
  });
});
