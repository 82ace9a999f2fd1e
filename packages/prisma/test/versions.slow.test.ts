// Two versions of an app at once, with Prisma.
import { withEncryption } from '@eaas/prisma';
import { defineFields, type FieldsTables } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import {
  type App,
  definedBy,
  eaas,
  index,
  playVersions,
  type Row,
  type VersionName,
} from '@eaas/test-kit/orms/versions';
import { test } from 'vitest';
import { type Client, majors, openPrisma } from './generated-client.ts';

type Encrypted = Client & { $encryptedTable(name: string): App['source'] };

function appWith(prisma: Client, name: VersionName): App {
  const { table, columns } = definedBy(name);
  const db = withEncryption(prisma, eaas, defineFields<FieldsTables>({ [table]: columns }), {
    index,
  }) as Encrypted;
  const call = async (operation: string, args: object) => Reflect.get(db, table)[operation](args);
  return {
    insert: async (data) => call('create', { data }),
    update: async (id, data) => call('update', { where: { id }, data }),
    select: async (column, value) => call('findMany', { where: column && { [column]: value } }),
    source: db.$encryptedTable(table),
  };
}

test.each(majors)(
  'two versions with Prisma %i rename and leave, and no kill loses anything',
  async (major) => {
    const { prisma, sql } = await closing(openPrisma(major, 'versions', 'versions'), (it) => it.close());
    await playVersions(
      (name) => appWith(prisma, name),
      async () => sql`select id, email, code from users`,
    );
  },
);
