import { encrypted } from '@eaas/prisma';
import { dateRange, defineFields, field, months, prefixes, withFields, words } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { misplacedIn } from './clinic.ts';
import { type Client, type Major, openPrisma } from './generated-client.ts';

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

export type Staff = Awaited<ReturnType<typeof openStaff>>;

export async function openStaff(major: Major) {
  const { prisma: plain, sql, close } = await openPrisma(major, 'staff', 'staff', ['relationJoins']);
  const { eaas, index } = await createClient();
  const encrypting = (client: Client) => client.$extends(encrypted(client, eaas, fields, { index, models }));
  const misplaced = async () =>
    misplacedIn(sql, { persons: ['name', 'born', 'nick'], beds: ['note', 'code'], checks: ['remark'] });
  return { db: encrypting(plain), encrypting, plain, sql, misplaced, close };
}
