// Two versions of an app at once, with Prisma.
import { migrate, type SqlDatabase } from '@eaas/migrate';
import { withEncryption } from '@eaas/prisma';
import { defineFields, type FieldsTables } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { createClient } from '@eaas/test-kit/orms/client';
import {
  byId,
  definedBy,
  type OpenedVersion,
  playVersions,
  type Row,
  type VersionName,
} from '@eaas/test-kit/orms/versions';
import { expect, test } from 'vitest';
import { type Client, majors, openPrisma } from './generated-client.ts';

const { eaas, index } = await createClient();
type Rows = readonly Readonly<Record<string, string | null>>[];
type Encrypted = Client & { $encryptedTable(name: string): { database: SqlDatabase } };

function versionOf(prisma: Client, name: VersionName): OpenedVersion {
  const { table, columns, fields } = definedBy(name, 'Person', 'User', (column) => `${column}Index`);
  const defined = defineFields<FieldsTables>({
    [table]: { [columns.email]: fields.email, [columns.code]: fields.code },
  });
  const db = withEncryption(prisma, eaas, defined, { index }) as Encrypted;
  const delegate = (db as unknown as Record<string, Client['person']>)[table.toLowerCase()];
  const call = async (operation: string, args: object) => (await delegate?.[operation]?.(args)) as Rows;
  const { database, ...source } = db.$encryptedTable(table);
  const dataOf = ({ id, email, code }: Row) => ({ id, [columns.email]: email, [columns.code]: code });
  const isMixed = name === 'reading' || name === 'writing';
  return {
    version: {
      insert: async (row) => call('create', { data: dataOf(row) }),
      update: async (id, value) => call('update', { where: { id }, data: { [columns.email]: value } }),
      async find(by, value) {
        const where = { [columns[by]]: value };
        const isUnique = by === 'code' && !isMixed;
        const found = [await call(isUnique ? 'findUnique' : 'findMany', { where })].flat() as (
          | Rows[number]
          | null
        )[];
        return found.flatMap((row) => (row ? String(row['id']) : []));
      },
      async read() {
        const rows = await call('findMany', {});
        return rows.map(
          (row) => ({ id: row['id'], email: row[columns.email], code: row[columns.code] }) as Row,
        );
      },
    },
    query: (...given) => database.query(...given),
    migrate: async (mode, query) => {
      const own = { ...source, database: { ...database, query } } as never;
      return migrate({ $encryptedTable: () => own }, table, mode, { client: eaas, pageSize: 4 });
    },
  };
}

test.each(majors)(
  'two versions with Prisma %i rename and leave, and no kill loses anything',
  async (major) => {
    const { prisma, sql } = await closing(openPrisma(major, 'versions', 'versions'), (it) => it.close());
    const left = await playVersions((name) => versionOf(prisma, name));
    expect(byId(await sql<Row[]>`select id, email, code from users`)).toEqual(left);
  },
);
