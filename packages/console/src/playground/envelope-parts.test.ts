import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { contains, differencesOf, flipBit, partsOf } from './envelope-parts.ts';

const service = createTestService();
const { key_id: keyId } = service.createKey('test');
const client = new EaasClient({ ...service, keyId, retries: 0 });
const value = 'ada@example.com';

test('the parts of a stored value, in order, make up the whole value', async () => {
  const { ciphertext } = await client.encrypt(value);
  const parts = partsOf(ciphertext);
  expect(parts.map(({ text }) => text).join('')).toBe(ciphertext);
  expect(parts.map(({ start }) => start)).toEqual([0, ...parts.slice(0, -1).map(({ end }) => end)]);
  const shows = Object.fromEntries(parts.map((part) => [part.name, part.shows]));
  expect(shows).toMatchObject({ magic: '79a6ac', version: '1', key_id: keyId, key_version: '1' });
  const lengths = Object.fromEntries(parts.map(({ name, start, end }) => [name, end - start]));
  expect(lengths).toMatchObject({ iv: 12, commitment: 32, ciphertext: value.length, tag: 16 });
});

test('the part `ciphertext` of a stored value has the length of the plaintext', async () => {
  for (const text of ['', 'a', 'ab', 'abc', 'a longer value']) {
    const { ciphertext } = await client.encrypt(text);
    const parts = partsOf(ciphertext);
    expect(parts.map((part) => part.text).join('')).toBe(ciphertext);
    expect(parts.find(({ name }) => name === 'ciphertext')).toMatchObject({
      start: parts.at(-1)?.start && (parts.at(-1)?.start ?? 0) - text.length,
    });
  }
});

test('decryption fails if one bit of any part of a stored value is changed', async () => {
  const { ciphertext } = await client.encrypt(value);
  for (const part of partsOf(ciphertext)) {
    const altered = flipBit(ciphertext, part);
    expect(differencesOf(ciphertext, altered).length).toBeGreaterThan(0);
    const error = await client.decrypt(altered, { as: 'text' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: expect.stringMatching(/Error$/) as string });
  }
});

test('`contains` finds a value in a text, as plain text, JSON, base64 or hex', () => {
  const bytes = Buffer.from(`before ${value} after`);
  expect(contains(`{"value":"${value}"}`, value)).toBe(true);
  expect(contains(bytes.toString('hex'), value)).toBe(true);
  expect(contains(Buffer.from(value).toString('base64'), value)).toBe(true);
  expect(contains(JSON.stringify({ value: 'a "quote"' }), 'a "quote"')).toBe(true);
  expect(contains('{"dek":"AAAA"}', value)).toBe(false);
});
