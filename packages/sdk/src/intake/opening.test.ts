import { DecryptionError, parseEnvelope } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/internal-base64';
import { expect, test } from 'vitest';
import { bytesOf, observedClient } from '../../test/observed-client.ts';
import { decryptStream, encryptStream, openFile, rewrapHead } from '../stream/stream.ts';
import { createIntake } from './intake.ts';

const context = { form: 'contact', submission: '17' };
async function backOffice() {
  const { client, make, service, keyId: ordinaryKeyId } = await observedClient();
  const { key_id: keyId } = await client.keys.create({ name: 'forms', intake: true });
  const newIntake = async () => {
    const { intake_public_key } = await client.publicKey(keyId);
    return createIntake({ publicKey: intake_public_key ?? '' });
  };
  return { client, make, service, keyId, ordinaryKeyId, newIntake, intake: await newIntake() };
}

test('the client decrypts a value that was encrypted with a public key', async () => {
  const { client, keyId, intake, ordinaryKeyId } = await backOffice();
  const bundle = await intake.encrypt('hello', { context, as: 'bundle' });
  expect(await client.decrypt(bundle, { keyId, context, as: 'text' })).toBe('hello');
  const options = { keyId: [ordinaryKeyId, keyId], context };
  expect(await client.decrypt(bundle.ciphertext, options)).toHaveLength(5);
  await expect(client.decrypt(bundle, { context })).rejects.toBeInstanceOf(DecryptionError);
  const other = { ...context, submission: '18' };
  await expect(client.decrypt(bundle, { keyId, context: other })).rejects.toBeInstanceOf(DecryptionError);
  expect(await client.serverMode.decrypt({ ...bundle, context })).toEqual({ plaintext: 'hello' });
});

test('a stream that was encrypted with a public key can be decrypted, read in parts and rewrapped', async () => {
  const { client, keyId, intake } = await backOffice();
  const content = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, at) => at * 7));
  const options = { keyId, context };
  const sealed = await bytesOf(new Blob([content]).stream().pipeThrough(encryptStream(intake, { context })));
  const blob = new Blob([sealed]);
  const opened = await bytesOf(blob.stream().pipeThrough(decryptStream(client, options)));
  expect(content.equals(opened)).toBe(true);
  const file = await openFile(client, blob, options);
  const part = await file.read({ start: 65_000, end: 66_000 });
  expect(content.subarray(65_000, 66_000).equals(part)).toBe(true);
  file.close();
  const { head, replaces, rewrapped } = await rewrapHead(client, sealed.subarray(0, 2_138));
  expect([replaces - head.length, rewrapped]).toEqual([1_096, true]);
  const moved = new Blob([head as BlobPart, blob.slice(replaces)]);
  const reopened = await bytesOf(moved.stream().pipeThrough(decryptStream(client, options)));
  expect(content.equals(reopened)).toBe(true);
});

test('rewrapping a value that was encrypted with a public key makes only the header shorter, by 1,096 bytes', async () => {
  const { client, keyId, intake } = await backOffice();
  const bundle = await intake.encrypt('hello', { context, as: 'bundle' });
  const rewrapped = await client.rewrap(bundle);
  expect(rewrapped).toMatchObject({ rewrapped: true, keyId, keyVersion: 1 });
  const [before, after] = [bundle, rewrapped].map(({ ciphertext }) => parseEnvelope(fromBase64(ciphertext)));
  expect([before?.length, after?.length]).toEqual([1_200, 104]);
  for (const part of ['iv', 'commitment', 'body'] as const) expect(after?.[part]).toEqual(before?.[part]);
  expect(await client.decrypt(rewrapped, { keyId, context, as: 'text' })).toBe('hello');
});

test('`publicKey` returns null for a key that is not for intake', async () => {
  const { client, ordinaryKeyId: keyId } = await backOffice();
  expect(await client.publicKey(keyId)).toEqual({ key_id: keyId, key_version: 1, intake_public_key: null });
});
