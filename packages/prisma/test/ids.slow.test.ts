import { withEncryption } from '@eaas/prisma';
import { defineFields, field } from '@eaas/sdk/fields';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '@eaas/test-kit/orms/client';
import { type Client, majors, openPrisma } from './generated-client.ts';

const name = field.text();
const fields = defineFields({
  Uuid: { name },
  Padded: { name },
  Caseless: { name },
  Plain: { name },
  Numbered: { name },
});

const braced = '{0F8FAD5B-D9CB-469F-A165-70867728950E}';

describe.each(majors)('Prisma %i', (major) => {
  let db: Client;

  beforeAll(async () => {
    const { prisma, close } = await openPrisma(major, 'ids', 'ids');
    const { eaas } = await createClient();
    db = withEncryption(prisma, eaas, fields);
    return close;
  });

  test.each<['uuid' | 'padded' | 'plain', string, string]>([
    ['uuid', braced, braced.slice(1, -1).toLowerCase()],
    ['padded', 'é ', 'é   '],
    ['plain', braced, braced],
  ])(
    'a row of the model %s with the id `%s` can be decrypted after each write',
    async (model, id, stored) => {
      const table = db[model];
      const read = async () => table['findMany']?.({ where: { id } });
      await db.$transaction([
        table['createMany']?.({ data: [{ id, name: 'created' }] }),
        table['update']?.({ where: { id }, data: { name: 'updated' } }),
      ]);
      expect(await read()).toEqual([{ id: stored, name: 'updated' }]);
      await table['upsert']?.({ where: { id }, create: { id }, update: { id, name: 'upserted' } });
      expect(await read()).toEqual([{ id: stored, name: 'upserted' }]);
    },
  );

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

  test('an update with a `citext` id in another letter case encrypts the values for the stored id', async () => {
    await db.caseless['create']?.({ data: { id: 'Grace', name: 'created' } });
    const where = { id: 'GRACE' };
    expect(await db.caseless['update']?.({ where, data: { name: 'updated' } })).toEqual({
      id: 'Grace',
      name: 'updated',
    });
    await db.caseless['upsert']?.({ where, create: where, update: { name: 'upserted' } });
    expect(await db.caseless['findUnique']?.({ where })).toEqual({ id: 'Grace', name: 'upserted' });
    const batch = db.$transaction([db.caseless['update']?.({ where, data: { name: 'batch' } })]);
    await expect(batch).rejects.toMatchObject({ name: 'EncryptedTableError', code: 'not_supported' });
    expect(await db.caseless['findUnique']?.({ where })).toEqual({ id: 'Grace', name: 'upserted' });
  });
});
