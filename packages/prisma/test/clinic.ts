import { encrypted } from '@eaas/prisma';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, field } from '@eaas/sdk/fields';
import { createTestService, type TestService } from '@eaas/local';
import type postgres from 'postgres';
import type { TestDatabase } from '@eaas/test-kit/database';
import { type Client, folderOf, generateClient, type Major, openPrisma, schema } from './generated-client.ts';

export interface Clinic {
  readonly db: Client;
  readonly plain: Client;
  readonly sql: postgres.Sql;
  readonly eaas: EaasClient;
  readonly service: TestService;
  readonly close: () => Promise<void>;
}

const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    name: field.text(),
    email: field.text().searchable({ column: 'emailIndex', normalize: ['trim', 'lowercase'] }),
    ssn: field.text().searchable({ column: 'ssnIndex', normalize: ['digits'] }),
    born: field.date().searchable({ column: 'bornIndex' }),
    weight: field.number(),
    notes: field.json<{ tags: string[] }>(),
    scan: field.bytes(),
    ward: field.text({ context: 'field' }),
  },
  Visit: { note: field.text() },
  Bill: { text: field.text() },
  Tag: { label: field.text().searchable({ column: 'labelIndex' }) },
});

export async function openClinic(
  major: Major,
  name: string,
  database: Pick<TestDatabase, 'connection'>,
): Promise<Clinic> {
  const folder = folderOf(major, name);
  await generateClient(major, folder, schema);
  const { prisma, sql, close } = await openPrisma(major, folder, database);
  const service = createTestService();
  const { key_id: keyId } = service.createKey('clinic');
  const { baseUrl, apiKey, fetch } = service;
  const eaas = new EaasClient({ baseUrl, apiKey, keyId, fetch });
  const index = await createIndexKey(eaas);
  const models = { Patient: 'patients' } as const;
  const extended = prisma.$extends(encrypted(prisma, eaas, fields, { index, models }));
  return { db: extended, plain: prisma, sql, eaas, service, close };
}

const encryptedColumns: Readonly<Record<string, readonly string[]>> = {
  patients: ['name', 'email', 'ssn', 'born', 'weight', 'notes', 'scan', 'ward'],
  visits: ['note'],
  bills: ['text'],
  tags: ['label'],
};

export async function misplaced(sql: postgres.Sql): Promise<string[]> {
  const wrong: string[] = [];
  for (const table of [...Object.keys(encryptedColumns), 'doctors']) {
    for (const row of await sql<Record<string, string | number | null>[]>`select * from ${sql(table)}`) {
      for (const [column, value] of Object.entries(row)) {
        if (value === null || isRight(table, column, String(value))) continue;
        wrong.push(`${table}.${column}`);
      }
    }
  }
  return wrong;
}

function isRight(table: string, column: string, value: string): boolean {
  if (encryptedColumns[table]?.includes(column)) return value.startsWith('eaasA') && value.length >= 220;
  if (column.endsWith('_index')) return /^[0-9a-f]{64}$/.test(value);
  return !value.includes('eaasA');
}

export function showsStored(result: unknown): boolean {
  const shown = JSON.stringify(result) ?? '';
  return shown.includes('eaasA') || /[0-9a-f]{64}|Index"/.test(shown);
}
