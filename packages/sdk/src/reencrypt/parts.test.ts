import { FormatError, InputError } from '@eaas/sdk';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { clientOf } from '../../test/simulated-table.ts';
import { fold, isEncrypted, unfold } from './reencrypt.ts';

test('`unfold` returns the parts of a ciphertext, and `fold` joins the parts', async () => {
  const { client } = observedClient();
  const bundle = await client.encrypt('a');
  expect(unfold(bundle.ciphertext)).toEqual(bundle);
  expect(fold(bundle)).toBe(bundle.ciphertext);
  expect(fold({ ciphertext: bundle.ciphertext, wrapped_key: null, iv: null, key_version: null })).toBe(
    bundle.ciphertext,
  );
});

test('`fold` puts a rewrapped key from a separate column into the ciphertext', async () => {
  const { client, service, keyId } = observedClient();
  const stored = await client.serverMode.encrypt({ plaintext: 'a', key_id: keyId });
  await client.keys.rotate({ key_id: keyId });
  const [rewrapped] = await client.rewrapMany([stored]);
  if (!rewrapped?.ok) throw new Error('not rewrapped');
  const { wrapped_key, key_version } = rewrapped.value;
  const folded = fold({ ...stored, wrapped_key, key_version });
  expect(folded).toBe(rewrapped.value.ciphertext);
  expect(await clientOf(service).decrypt(folded, { as: 'text', keyId })).toBe('a');
  const parts = unfold(folded);
  const { plaintext } = await client.serverMode.decrypt({
    ciphertext: folded,
    key_id: keyId,
    key_version: parts.key_version,
  });
  expect(plaintext).toBe('a');
});

test('`fold` replaces the iv in the ciphertext by the passed iv', async () => {
  const { client } = observedClient();
  const bundle = await client.encrypt('a');
  const without = unfold(fold({ ...bundle, iv: 'AAAAAAAAAAAAAAAA' }));
  expect(without.iv).toBe('AAAAAAAAAAAAAAAA');
  expect(fold({ ciphertext: without.ciphertext, iv: bundle.iv })).toBe(bundle.ciphertext);
});

test('fold refuses invalid parts', async () => {
  const { ciphertext } = await observedClient().client.encrypt('a');
  expect(() => fold({ ciphertext: 'AAAA' })).toThrow(FormatError);
  expect(() => unfold('AAAA')).toThrow(FormatError);
  const wrong = [
    { iv: 'AAAA' },
    { wrapped_key: 'no base64' },
    { key_version: -1 },
    { wrapped_key: 'A'.repeat(2_736) },
  ];
  for (const part of wrong) expect(() => fold({ ciphertext, ...part })).toThrow(InputError);
});

test('`isEncrypted` returns true for an envelope as text or as bytes, and false for a truncated envelope', async () => {
  const { client } = observedClient();
  const { ciphertext } = await client.encrypt('a');
  expect(isEncrypted(ciphertext)).toBe(true);
  expect(isEncrypted(await client.encrypt('a', { as: 'bytes' }))).toBe(true);
  const others = [null, undefined, '', 'eaas@example.com', ciphertext.slice(0, 96), Uint8Array.of(1, 2, 3)];
  expect(others.map(isEncrypted)).toEqual(others.map(() => false));
});
