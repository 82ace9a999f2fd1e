import { inspect } from 'node:util';
import { toUtf8 } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { defineFields, field, plaintext } from './fields.ts';

const fields = defineFields({
  users: {
    name: field.text({ previous: plaintext() }),
    age: field.number({ previous: plaintext(Number) }),
    born: field.date({ previous: plaintext(), context: 'field' }),
    notes: field.json<{ a: number }>({
      previous: plaintext((stored) => JSON.parse(String(stored)) as { a: number }),
    }),
  },
});

async function openFields() {
  const { client } = await observedClient();
  return { client, records: fields.for(client) };
}

test('a column can hold both plaintext and ciphertext during a migration', async () => {
  const { records } = await openFields();
  const { name } = await records.encryptRow('users', 1, { name: 'Ada' });
  const rows = [
    { id: 1, name: name as string, age: '36', notes: '{"a":1}' },
    { id: 2, name: 'Bob', age: null, notes: null },
  ];
  expect(await records.decryptRows('users', rows, ({ id }) => id)).toEqual([
    { id: 1, name: 'Ada', age: 36, notes: { a: 1 } },
    { id: 2, name: 'Bob', age: null, notes: null },
  ]);
});

test('a ciphertext that cannot be decrypted is never read as plaintext', async () => {
  const { records } = await openFields();
  const { name } = await records.encryptRow('users', 1, { name: 'Ada' });
  const envelope = name as string;
  const at = envelope.length - 10;
  const altered = [
    ['of another row', envelope, 'decryption', 2],
    [
      'altered',
      envelope.slice(0, at) + (envelope[at] === 'A' ? 'B' : 'A') + envelope.slice(at + 1),
      'decryption',
      1,
    ],
    ['cut by a column that was too narrow', envelope.slice(0, 100), 'format', 1],
    ['of a stream', `eaasAg${envelope.slice(6)}`, 'format', 1],
  ] as const;
  for (const [what, stored, code, id] of altered) {
    const [result] = await records.decryptRows('users', [{ name: stored }], () => id, { settled: true });
    expect([what, result]).toMatchObject([what, { ok: false, error: { code, field: 'name' } }]);
  }
});

test('the error for a stored plaintext of another type does not contain the plaintext', async () => {
  const { records } = await openFields();
  const read = records.decryptRow('users', 1, { notes: '{secret' as never });
  const error: unknown = await read.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'format', field: 'notes' });
  expect(inspect(error)).not.toContain('secret');
  const born = records.decryptRow('users', 1, { born: 'secret' as never });
  await expect(born).rejects.toThrow(/^users\.born of row 1: expected a Date, got a string;/);
});

test('decryptRow decrypts a ciphertext that the database returns as UTF-8 bytes', async () => {
  const { client } = await observedClient();
  const photos = defineFields({
    users: { photo: field.bytes({ previous: plaintext() }), name: field.text() },
  }).for(client);
  const stored = await photos.encryptRow('users', 1, { photo: Uint8Array.of(1, 2, 3), name: 'Ada' });
  const binary = { photo: toUtf8(stored.photo), name: toUtf8(stored.name) as never };
  const row = await photos.decryptRow('users', 1, binary);
  expect(row).toEqual({ photo: Uint8Array.of(1, 2, 3), name: 'Ada' });
  await expect(photos.encryptRow('users', 1, binary)).rejects.toThrow('is already encrypted');
});
