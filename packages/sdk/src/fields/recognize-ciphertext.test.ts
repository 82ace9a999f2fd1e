import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { defineFields, field, plaintext } from './fields.ts';

const fields = defineFields({
  users: { name: field.text(), photo: field.bytes(), old: field.text({ previous: plaintext() }) },
});

const words = [
  'eaasAhead',
  'eaasAhead of all others, because it begins with a name',
  `eaasAQ${'A'.repeat(100)}`,
];

test.each(words)(
  'plaintext that begins like a ciphertext is encrypted, and read during a migration: %s',
  async (name) => {
    const records = fields.for((await observedClient()).client);
    const stored = await records.encryptRow('users', 1, { name });
    expect(await records.decryptRow('users', 1, { ...stored, old: name })).toEqual({ name, old: name });
  },
);

test('a short text that might be a truncated ciphertext is encrypted, but not read as plaintext', async () => {
  const records = fields.for((await observedClient()).client);
  const stored = await records.encryptRow('users', 1, { name: 'eaasAbout' });
  expect(await records.decryptRow('users', 1, stored)).toEqual({ name: 'eaasAbout' });
  await expect(records.decryptRow('users', 1, { old: 'eaasAbout' })).rejects.toMatchObject({
    code: 'format',
  });
});

test('bytes that begin like an envelope but are not an envelope are encrypted', async () => {
  const records = fields.for((await observedClient()).client);
  const photo = Uint8Array.of(0x79, 0xa6, 0xac, 1, 2, 3);
  const stored = await records.encryptRow('users', 1, { photo });
  expect(await records.decryptRow('users', 1, stored)).toEqual({ photo });
});

test('encryptRow refuses a ciphertext as text, as bytes, and as truncated text, before any request', async () => {
  const { client, service } = await observedClient();
  const records = fields.for(client);
  const { name } = await records.encryptRow('users', 1, { name: 'Ada' });
  const ciphertext = String(name);
  const requests = service.requests.length;
  for (const value of [ciphertext, `${ciphertext} `, ciphertext.slice(0, 60)]) {
    await expect(records.encryptRow('users', 1, { name: value })).rejects.toThrow('is already encrypted');
  }
  for (const photo of [Buffer.from(ciphertext, 'base64'), Buffer.from(ciphertext)]) {
    await expect(records.encryptRow('users', 1, { photo })).rejects.toThrow('is already encrypted');
  }
  expect(service.requests).toHaveLength(requests);
});
