import { createIndexKey, defineFields, field, unencrypted } from '@eaas/sdk/fields';
import type { Cases } from '@eaas/test-kit/runtimes/case';
import { holds, refused, same } from './expect.ts';

const definition = defineFields({
  patients: {
    ...unencrypted('id', 'ward'),
    email: field.text().searchable(),
    born: field.date(),
    weight: field.number(),
    scan: field.bytes(),
    notes: field.json<{ allergies: string[] }>(),
  },
});

const row = {
  id: 4711,
  email: 'ada@example.com',
  born: new Date('1815-12-10T00:00:00.000Z'),
  weight: 54.5,
  scan: Uint8Array.of(0, 255, 1),
  notes: { allergies: ['nuts'] },
  ward: 'west',
};

export const fieldsCases: Cases = {
  'a row is encrypted by field, found by a fingerprint, and decrypted': async ({ connect }) => {
    const client = connect();
    const index = await createIndexKey(client);
    const records = definition.for(client, { index });
    const sealed = await records.encryptRow('patients', row.id, row);
    same([sealed['ward'], sealed['id']], ['west', 4711], 'what is not defined');
    holds(!JSON.stringify(sealed).includes('ada@example.com'), 'the row shows the address');
    const query = await records.where('patients', { email: row.email });
    const wanted = new Set<unknown>(Object.values(query).flat());
    holds(
      Object.values(sealed).some((column) => wanted.has(column)),
      'the row is not found',
    );
    same(await records.decryptRow('patients', row.id, sealed), row, 'the row');
    await refused(() => records.decryptRow('patients', 4712, sealed), 'decryption');
    records.close();
  },
};
