import { encrypted } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import {
  createIndexKey,
  dateRange,
  defineFields,
  field,
  months,
  prefixes,
  withFields,
  words,
} from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import type postgres from 'postgres';
import type { TestDatabase } from '@eaas/test-kit/database';
import {
  type Client,
  folderOf,
  generateClient,
  type Major,
  openPrisma,
  readSchema,
  type Sent,
} from './generated-client.ts';

const fields = defineFields({
  Person: {
    lowEntropy: 'accepted',
    name: field.text().searchableBy({
      words: words({ column: 'nameWords', bits: 64 }),
      start: prefixes(2, 4, { column: 'nameStart' }),
      and_born: withFields(['born'], { column: 'nameBorn' }),
    }),
    born: field.date().searchableBy({
      month: months({ column: 'bornMonth' }),
      range: dateRange({ column: 'bornRange' }),
    }),
    nick: field.text().searchable({ column: 'nickIndex' }),
  },
  Bed: { note: field.text(), code: field.text().searchable({ column: 'codeIndex' }) },
  Check: { remark: field.text() },
});
const models = {
  Bed: { table: 'Bed', id: ['ward', 'number'] },
  Check: { table: 'Check', id: ['ward', 'number', 'day'] },
} as const;

export interface Staff {
  readonly db: Client;
  readonly encrypting: (client: Client) => Client;
  readonly plain: Client;
  readonly sent: readonly Sent[];
  readonly sql: postgres.Sql;
  readonly close: () => Promise<void>;
}

export async function openStaff(major: Major, database: Pick<TestDatabase, 'connection'>): Promise<Staff> {
  const folder = folderOf(major, 'staff');
  await generateClient(major, folder, readSchema('staff.prisma'), ['relationJoins']);
  const { prisma, sent, sql, close } = await openPrisma(major, folder, database, 'staff.sql');
  const service = createTestService();
  const { key_id: keyId } = service.createKey('staff');
  const { baseUrl, apiKey, fetch } = service;
  const eaas = new EaasClient({ baseUrl, apiKey, keyId, fetch });
  const index = await createIndexKey(eaas);
  const encrypting = (client: Client) => client.$extends(encrypted(client, eaas, fields, { index, models }));
  return { db: encrypting(prisma), encrypting, plain: prisma, sent, sql, close };
}

const encryptedColumns = new Set(['name', 'born', 'nick', 'note', 'code', 'remark']);
const indexColumns = /^(?:name_(?:words|start|born)|born_(?:month|range)|(?:nick|code)_index)$/;

export async function misplacedIn(sql: postgres.Sql): Promise<string[]> {
  const wrong: string[] = [];
  for (const table of ['persons', 'beds', 'checks']) {
    for (const row of await sql<
      Record<string, string | number | string[] | null>[]
    >`select * from ${sql(table)}`) {
      for (const [column, value] of Object.entries(row)) {
        if (value !== null && !isRight(column, String(value))) wrong.push(`${table}.${column}`);
      }
    }
  }
  return wrong;
}

function isRight(column: string, value: string): boolean {
  if (encryptedColumns.has(column)) return value.startsWith('eaasA') && value.length >= 220;
  if (indexColumns.test(column)) return /^[0-9a-f]{16,64}(?: [0-9a-f]{16,64})*$/.test(value);
  return !value.includes('eaasA');
}
