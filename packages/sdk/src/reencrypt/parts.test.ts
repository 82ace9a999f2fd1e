import { FormatError, InputError } from '@eaas/sdk';
import { expect, test } from 'vitest';
import { clientOf, serviceWithKey } from '../../../../test/sdk/simulated-table.ts';
import { fold, isEncrypted, unfold } from './reencrypt.ts';

test('unfold takes apart what encrypt answers, and fold puts it together', async () => {
  const { client } = serviceWithKey();
  const bundle = await client.encrypt('a');
  expect(unfold(bundle.ciphertext)).toEqual(bundle);
  expect(fold(bundle)).toBe(bundle.ciphertext);
  expect(fold({ ciphertext: bundle.ciphertext, wrapped_key: null, iv: null, key_version: null })).toBe(
    bundle.ciphertext,
  );
});

test('a wrapped key that was wrapped anew in its own column goes into the ciphertext', async () => {
  const { client, service, keyId } = serviceWithKey();
  const stored = await client.serverMode.encrypt({ plaintext: 'a', key_id: keyId });
  await client.keys.rotate({ key_id: keyId });
  const [rewrapped] = await client.rewrapMany([stored]);
  if (!rewrapped?.ok) throw new Error('not rewrapped');
  const { wrapped_key, key_version } = rewrapped.value;
  const folded = fold({ ...stored, wrapped_key, key_version });
  expect(folded).toBe(rewrapped.value.ciphertext);
  expect(await clientOf(service).decryptText(folded, { keyId })).toBe('a');
  const parts = unfold(folded);
  const { plaintext } = await client.serverMode.decrypt({
    ciphertext: folded,
    key_id: keyId,
    key_version: parts.key_version,
  });
  expect(plaintext).toBe('a');
});

test('an iv in its own column goes into the ciphertext', async () => {
  const { client } = serviceWithKey();
  const bundle = await client.encrypt('a');
  const without = unfold(fold({ ...bundle, iv: 'AAAAAAAAAAAAAAAA' }));
  expect(without.iv).toBe('AAAAAAAAAAAAAAAA');
  expect(fold({ ciphertext: without.ciphertext, iv: bundle.iv })).toBe(bundle.ciphertext);
});

test('parts that are none are refused', async () => {
  const { ciphertext } = await serviceWithKey().client.encrypt('a');
  expect(() => fold({ ciphertext: 'AAAA' })).toThrow(FormatError);
  expect(() => unfold('AAAA')).toThrow(FormatError);
  const wrong = [
    { iv: 'AAAA' },
    { wrapped_key: 'no base64' },
    { key_version: -1 },
    { wrapped_key: 'A'.repeat(1_368) },
  ];
  for (const part of wrong) expect(() => fold({ ciphertext, ...part })).toThrow(InputError);
});

test('a value is encrypted when it is a whole envelope, as text or as bytes', async () => {
  const { client } = serviceWithKey();
  const { ciphertext } = await client.encrypt('a');
  expect(isEncrypted(ciphertext)).toBe(true);
  expect(isEncrypted(await client.encryptBytes('a'))).toBe(true);
  const others = [null, undefined, '', 'eaas@example.com', ciphertext.slice(0, 96), Uint8Array.of(1, 2, 3)];
  expect(others.map(isEncrypted)).toEqual(others.map(() => false));
});
