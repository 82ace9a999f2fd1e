import { withEncryption } from '@eaas/prisma';
import { defineFields, field } from '@eaas/sdk/fields';
import type postgres from 'postgres';
import { createClient } from '@eaas/test-kit/orms/client';
import { type Client, type Major, openPrisma } from './generated-client.ts';

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

export type Clinic = Awaited<ReturnType<typeof openClinic>>;

const { patients } = fields.tables;
const concealed = Object.entries(patients).map(([name, of]) => [name, { ...Object(of), isConcealed: true }]);
const own = { ...Object.fromEntries(concealed), lowEntropy: 'accepted' } as typeof patients;
const concealing = defineFields({ ...fields.tables, patients: own });

export async function openClinic(major: Major, name: string, isConcealed = false) {
  const { prisma: plain, sql, close } = await openPrisma(major, name, 'clinic');
  const { eaas, index, service } = await createClient();
  const of = isConcealed ? concealing : fields;
  const db: Client = withEncryption(plain, eaas, of, { index, models: { Patient: 'patients' } });
  const misplaced = async () =>
    misplacedIn(sql, {
      patients: ['name', 'email', 'ssn', 'born', 'weight', 'notes', 'scan', 'ward'],
      visits: ['note'],
      bills: ['text'],
      tags: ['label'],
      doctors: [],
    });
  return { db, plain, sql, eaas, service, misplaced, close };
}

/** Returns the columns that hold plaintext although they are encrypted, or what belongs into another column. */
export async function misplacedIn(
  sql: postgres.Sql,
  encryptedColumns: Readonly<Record<string, readonly string[]>>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [table, columns] of Object.entries(encryptedColumns)) {
    for (const row of await sql<
      Record<string, string | number | string[] | null>[]
    >`select * from ${sql(table)}`) {
      for (const [column, value] of Object.entries(row)) {
        if (value === null || isRight(columns.includes(column), column, String(value))) continue;
        wrong.push(`${table}.${column}`);
      }
    }
  }
  return wrong;
}

function isRight(isEncrypted: boolean, column: string, value: string): boolean {
  if (isEncrypted) return value.startsWith('eaasA') && value.length >= 220;
  if (column.endsWith('_index')) return /^[0-9a-f]{64}$/.test(value);
  if (/_(?:words|start|born|month|range)$/.test(column)) {
    return /^[0-9a-f]{16,64}(?: [0-9a-f]{16,64})*$/.test(value);
  }
  return !value.includes('eaasA');
}

export function showsStored(result: unknown): boolean {
  const shown = JSON.stringify(result) ?? '';
  return shown.includes('eaasA') || /[0-9a-f]{64}|Index"/.test(shown);
}
