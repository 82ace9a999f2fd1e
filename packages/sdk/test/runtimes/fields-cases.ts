import { createIndexKey, defineFields, field, part } from '@eaas/sdk/fields';
import type { Cases } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';
import { stepHashes, stepHashesOf } from './unicode.ts';

const definition = defineFields({
  patients: { email: field.text().searchable(), born: field.date(), scan: field.bytes() },
});
const row = { email: 'ada@example.com', born: new Date('1815-12-10'), scan: Uint8Array.of(0, 255, 1) };

export const fieldsCases: Cases = {
  'a row is encrypted by field, found by a fingerprint, and decrypted': async ({ connect }) => {
    const client = connect();
    const index = await createIndexKey(client);
    const records = definition.for(client, { index });
    const sealed = await records.encryptRow('patients', 4711, row);
    const { email_index } = await records.where('patients', { email: row.email });
    same(email_index, [sealed.email_index], 'the fingerprint');
    same(await records.decryptRow('patients', 4711, sealed), row, 'the row');
    await refused(() => records.decryptRow('patients', 4712, sealed), 'decryption');
  },
  'a fingerprint does not depend on the Unicode of the runtime': async () => {
    same(await stepHashesOf(part), stepHashes, 'what each step makes of every code point');
  },
};
