import { parseHeader } from '@eaas/protocol/internal';
import { fromBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { defineFields, field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import { inventory } from './inventory.ts';

const fields = defineFields({ notes: { body: field.text() } });

/** A database whose table `notes` has the given texts. */
const databaseOf = (texts: readonly (string | null)[]) => ({
  query(statement: string, [after = '0']: string[]): readonly object[] {
    if (statement.includes('pg_attribute')) {
      return ['id', 'body'].map((name) => ({ name, type: 'text', is_unique: 'true' }));
    }
    return texts.map((v0, at) => ({ id: at + 1, v0 })).slice(Number(after), Number(after) + 5_000);
  },
});

async function openClient() {
  const { eaas: client, keyId } = await createClient();
  const encrypt = async (more: object = {}) => await client.encrypt('a', { context: {}, ...more });
  return { client, keyId, encrypt };
}

test('values are counted by form and key version, beside the counts of the service', async () => {
  const { client, keyId, encrypt } = await openClient();
  const texts = [
    null,
    'plain',
    'enc:v1:0123:4567:89ab',
    (await encrypt()).slice(0, 60),
    await encrypt(),
    await encrypt({ subject: 'p' }),
  ];
  for (let rotations = 0; rotations < 2; rotations++) await client.keys.rotate(keyId);
  texts.push(await encrypt({ fresh: true }));
  const counts = { values: 7, empty: 1, plaintexts: 2, broken: 1, others: 0 };
  const first = { key_version: 1, values: 2, intake: 0, people: 1 };
  const last = { key_version: 3, values: 1, intake: 0, people: 0 };
  expect(await inventory(databaseOf(texts), 'notes', { fields })).toEqual({
    ...counts,
    keys: [{ key_id: keyId, versions: [first, last] }],
  });
  const unused = { key_version: 2, values: 0, wraps: 0 };
  const versions = [first, unused, { ...last, wraps: 1 }];
  expect(await inventory(databaseOf(texts), 'notes', { fields, client })).toMatchObject({
    ...counts,
    keys: [{ key_id: keyId, key_version: 3, status: 'active', versions }],
  });
});

test('forged versions beyond 10,000 count as others, and a key that the service does not know has no record', async () => {
  const { client, encrypt } = await openClient();
  const bytes = fromBase64(await encrypt());
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  bytes.fill(7, 4, 20);
  const texts = Array.from({ length: 10_500 }, (_, at) => {
    view.setUint32(20, at + 1);
    return toBase64(bytes);
  });
  expect(parseHeader(bytes).keyVersion).toBe(10_500);
  const found = await inventory(databaseOf(texts), 'notes', { fields, client });
  expect(found).toMatchObject({ values: 10_500, others: 500 });
  expect(found.keys).toHaveLength(1);
  expect(found.keys[0]).not.toHaveProperty('status');
  expect(found.keys[0]?.versions).toHaveLength(10_000);
});
