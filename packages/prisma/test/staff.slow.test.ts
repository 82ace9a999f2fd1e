import { createIndexKey, defineFields, field, part, withFields } from '@eaas/sdk/fields';
import { withEncryption } from '@eaas/prisma';
import { createClient } from '@eaas/test-kit/orms/client';
import type postgres from 'postgres';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { misplacedIn, showsStored } from './clinic.ts';
import { type Client, majors, openPrisma } from './generated-client.ts';

type Row = Record<string, unknown>;

const fields = defineFields({
  Person: {
    lowEntropy: 'accepted',
    name: field.text().searchableBy({
      words: part.words({ column: 'nameWords', bits: 64 }),
      and_born: withFields(['born'], { column: 'nameBorn' }),
    }),
    born: field.date().searchableBy({
      month: part.months({ column: 'bornMonth' }),
      range: part.dateRange({ column: 'bornRange' }),
    }),
    nick: field.text().searchable({ column: 'nickIndex', normalize: ['trim'] }),
  },
  Bed: { note: field.text(), code: field.text().searchable({ column: 'codeIndex' }) },
  Check: { remark: field.text() },
});
const models = {
  Bed: { table: 'Bed', id: ['ward', 'number'] },
  Check: { table: 'Check', id: ['ward', 'number', 'day'] },
} as const;
const { eaas, index } = await createClient();
const encrypting = (client: Client, keys: string | string[] = index): Client =>
  withEncryption(client, eaas, fields, { index: keys, models });

describe.each(majors)('Prisma %i', (major) => {
  let plain: Client;
  let db: Client;
  let sql: postgres.Sql;

  beforeAll(async () => {
    const opened = await openPrisma(major, 'staff', 'staff', ['relationJoins']);
    ({ prisma: plain, sql } = opened);
    db = encrypting(plain);
    return opened.close;
  });

  beforeEach(async () => {
    await sql`truncate persons, "_friends", beds, checks`;
  });

  async function call<T = Row>(
    model: 'person' | 'bed' | 'check',
    operation: string,
    args: object,
    on = db,
  ): Promise<T> {
    try {
      const result = await on[model][operation]?.(args);
      expect(showsStored(result)).toBe(false);
      return result as T;
    } finally {
      // Checks the rows only after a transaction, because a separate connection does not see the changes of an
      // unfinished one.
      const columns = { persons: ['name', 'born', 'nick'], beds: ['note', 'code'], checks: ['remark'] };
      expect(await misplacedIn(sql, columns)).toEqual([]);
    }
  }
  const person = <T = Row>(operation: string, args: object, db?: Client) =>
    call<T>('person', operation, args, db);
  const bed = <T = Row>(operation: string, args: object) => call<T>('bed', operation, args);
  const code = (code: string) => expect.objectContaining({ name: 'EncryptedTableError', code });

  describe('self relations, enums and lists', () => {
    beforeEach(async () => {
      const friends = { create: { name: 'Grace', nick: 'g' } };
      await person('create', {
        data: {
          name: 'Ada',
          nick: 'a',
          rank: 'surgeon',
          badges: ['x'],
          ranks: ['nurse'],
          staff: {
            create: [
              { name: 'Joan', nick: 'j', friends },
              { name: 'Mary', nick: 'm' },
            ],
          },
        },
      });
    });

    test.each(['join', 'query'])(
      'self relations, enums and lists are read with the load strategy `%s`',
      async (relationLoadStrategy) => {
        const found = await person<Row[]>('findMany', {
          relationLoadStrategy,
          where: { staff: { some: { boss: { is: { nick: 'a' } }, nick: { in: ['j'] } } }, rank: 'surgeon' },
          select: {
            name: true,
            badges: true,
            staff: {
              select: { name: true, friends: { select: { name: true } } },
              orderBy: { bossId: 'asc' },
            },
            _count: { select: { staff: { where: { nick: 'j' } } } },
          },
        });
        expect(found).toEqual([
          {
            name: 'Ada',
            badges: ['x'],
            _count: { staff: 1 },
            staff: expect.arrayContaining([
              { name: 'Joan', friends: [{ name: 'Grace' }] },
              { name: 'Mary', friends: [] },
            ]),
          },
        ]);
      },
    );

    test('nested writes encrypt in both directions of a self relation', async () => {
      const updated = await person('update', {
        where: { nick: 'm' },
        data: {
          badges: { push: 'y' },
          rank: { set: 'surgeon' },
          boss: { update: { name: 'Lovelace', born: null } },
          friends: { connect: { nick: 'g' }, create: { name: 'Eve', nick: 'e' } },
        },
        include: { boss: true, friends: { where: { nick: 'e' } } },
      });
      expect(updated).toMatchObject({
        badges: ['y'],
        boss: { name: 'Lovelace' },
        friends: [{ name: 'Eve' }],
      });
      const all = { updateMany: { where: {}, data: { name: 'all', born: null } } };
      await person('update', { where: { nick: 'a' }, data: { staff: all } });
      const changed = await person<Row[]>('findMany', { where: { boss: { nick: 'a' } } });
      expect(changed.map(({ name }) => name)).toEqual(['all', 'all']);
    });
  });

  describe('compound ids', () => {
    const first = { ward: 'a/b', number: 1 };

    beforeEach(async () => {
      await bed('create', { data: { ...first, note: 'n', code: 'c', person: { create: { nick: 'p' } } } });
      await bed('createMany', { data: [{ ward: 'w', number: 2, note: 'm', code: 'c' }] });
      const remarks = [
        { ...first, day: 1, remark: 'r1' },
        { ...first, day: 2, remark: 'r2' },
      ];
      await call('check', 'createMany', { data: remarks });
    });

    test('a compound id selects the row in reads and writes', async () => {
      const where = { ward_number: first };
      expect(await bed('findUnique', { where })).toMatchObject({ note: 'n' });
      expect(await bed('update', { where, data: { note: 'N' } })).toMatchObject({ note: 'N' });
      const upsert = { where, create: first, update: { note: 'NN' } };
      expect(await bed('upsert', upsert)).toMatchObject({ note: 'NN' });
      await bed('updateMany', { where: { code: 'c' }, data: { note: 'all' } });
      expect(await bed('findMany', { select: { note: true } })).toEqual([{ note: 'all' }, { note: 'all' }]);
    });

    test('a compound id can have a name in the schema', async () => {
      const data = { checks: { update: { where: { place: { ...first, day: 1 } }, data: { remark: 'y' } } } };
      const where = { ward_number: first };
      expect(await bed('update', { where, data, include: { checks: true } })).toMatchObject({
        checks: [{ remark: 'y' }, { remark: 'r2' }],
      });
    });

    test('a compound unique key can contain an encrypted field', async () => {
      const where = { ward_codeIndex: { ward: 'w', code: 'c' } };
      expect(await bed('findUnique', { where })).toMatchObject({ note: 'm', code: 'c' });
      expect(await bed('findUnique', { where: { ward_codeIndex: { ward: 'x', code: 'c' } } })).toBeNull();
      expect(await bed('update', { where, data: { personId: null } })).toMatchObject({ note: 'm' });
      await expect(bed('update', { where, data: { note: 'x' } })).rejects.toEqual(code('row_unknown'));
    });
  });

  describe('indexes of `searchableBy`', () => {
    const born = new Date('1815-12-10');
    beforeEach(async () => {
      const friends = { create: { name: 'Grace Hopper', born: new Date('1906-12-09'), nick: 'g' } };
      await person('create', { data: { name: 'Ada King-Noël', born, nick: 'a', friends } });
      await person('createMany', { data: [{ name: 'Ada', born: new Date('1816-01-05') }, { nick: 'n' }] });
    });

    test('updates and nested updates also update the indexes of `searchableBy`', async () => {
      const friends = { update: { where: { nick: 'g' }, data: { name: 'Ada Hopper', born } } };
      await person('update', { where: { nick: 'a' }, data: { name: null, born, friends } });
      const names = async (where: object) =>
        (await person<Row[]>('findMany', { where })).map(({ name }) => String(name)).toSorted();
      expect(await names({ name: { words: 'ada' } })).toEqual(['Ada', 'Ada Hopper']);
      expect(await names({ name: { words: 'grace' } })).toEqual([]);
      expect(await names({ name: { and_born: { name: 'Ada Hopper', born } } })).toEqual(['Ada Hopper']);
      await person('updateMany', { where: { nick: 'g' }, data: { name: 'Eve', born } });
      expect(await names({ name: { words: 'eve' } })).toEqual(['Eve']);
    });
  });

  describe('one row', () => {
    const failed = (code: string) => expect.objectContaining({ code });

    test('an update of a row that does not exist throws the same error as without the extension', async () => {
      const missing = { where: { nick: '404' }, data: { rank: 'nurse', nick: '404' } };
      await expect(person('update', missing)).rejects.toEqual(failed('P2025'));
      await expect(person('findUniqueOrThrow', { where: missing.where })).rejects.toEqual(failed('P2025'));
    });

    test('upserts of one row at the same time create it once, and then update it', async () => {
      const names = Array.from({ length: 10 }, (_, at) => `Name ${at}`);
      const upsert = (name: string) =>
        person('upsert', { where: { nick: '1' }, create: { nick: '1', name }, update: { name, born: null } });
      const written = await Promise.all(names.map(upsert));
      expect(written.map(({ name }) => name)).toEqual(names);
      expect(new Set(written.map(({ id }) => id)).size).toBe(1);
      expect(await person('count', {})).toBe(1);
    });

    test('an upsert throws if its new row has the unique value of another row, also in a transaction', async () => {
      await person('create', { data: { nick: '1' } });
      const args = { where: { nick: '2' }, create: { nick: '1' }, update: { nick: '2' } };
      await expect(person('upsert', args)).rejects.toEqual(failed('P2002'));
      const work = db.$transaction(async (tx: Client) => tx.person['upsert']?.(args));
      await expect(work).rejects.toEqual(failed('P2002'));
    });

    test('an updateMany that fails for one row changes no row', async () => {
      await person('createMany', { data: [{ nick: '1' }, { nick: '2' }] });
      await expect(person('updateMany', { data: { nick: '3' } })).rejects.toEqual(failed('P2002'));
      const rows = await person<Row[]>('findMany', {});
      expect(new Set(rows.map(({ nick }) => nick))).toEqual(new Set(['1', '2']));
    });

    test('while an index key is replaced, unique look-ups find old and new rows', async () => {
      const [older, newer] = [await createIndexKey(eaas), await createIndexKey(eaas)];
      await person('create', { data: { nick: 'old' } }, encrypting(plain, older));
      const both = encrypting(plain, [newer, older]);
      await person('create', { data: { nick: 'new' } }, both);
      for (const nick of ['old', 'new']) {
        expect(await person('update', { where: { nick }, data: { nick } }, both)).toMatchObject({ nick });
      }
      expect(await person('findUnique', { where: { nick: 'other' } }, both)).toBeNull();
      const found = person('findUnique', { where: { nick: 'old' } }, encrypting(plain, newer));
      expect(await found).toMatchObject({ nick: 'old' });
    });

    test.each(['findUnique', 'delete'])('`%s` refuses a filter that can match several rows', async (by) => {
      await person('createMany', { data: [{ nick: '1' }, { nick: '2' }] });
      const found = person(by, { where: { nick: { in: ['2', '1'] } } });
      await expect(found).rejects.toMatchObject({ name: 'PrismaClientValidationError' });
      expect(await person('count', {})).toBe(2);
    });

    test.each([{ nick: { notIn: [] } }, { NOT: { nick: { in: [] } } }])(
      'the filter %j finds all rows, also those with null',
      async (where) => {
        await person('createMany', { data: [{ nick: '1' }, { nick: null }] });
        expect(await person('count', { where })).toBe(2);
      },
    );
  });

  const extension = {
    query: {
      person: {
        async create({ args, query }: { args: { data: Row }; query: (args: object) => unknown }) {
          args.data['name'] = 'written';
          return query(args);
        },
      },
    },
    result: {
      person: {
        upper: { needs: { name: true }, compute: ({ name }: { name: string }) => name.toUpperCase() },
      },
    },
    client: {
      async $byNick(this: Client, nick: string) {
        return person('findUnique', { where: { nick }, include: { friends: true } }, this);
      },
    },
  };
  test.each<[string, () => Client]>([
    ['earlier', () => encrypting(plain.$extends(extension))],
    ['later', () => db.$extends(extension)],
    ['later, as a function', () => db.$extends((other: Client) => other.$extends(extension))],
  ])('another Prisma extension writes, computes and searches with plaintext (%s)', async (_, extended) => {
    const other = extended() as Client & { $byNick(nick: string): Promise<unknown> };
    await person('create', { data: { nick: 'a', friends: { create: { name: 'Eve' } } } }, other);
    const expected = { name: 'written', upper: 'WRITTEN', friends: [{ upper: 'EVE' }] };
    expect(await other.$byNick('a')).toMatchObject(expected);
  });
});
