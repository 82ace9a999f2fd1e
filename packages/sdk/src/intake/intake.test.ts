import { DecryptionError, fromUtf8, InputError, open, parseEnvelope } from '@eaas/protocol';
import { fromBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { openStream } from '@eaas/protocol/stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { intakeKey } from '@eaas/test-kit/intake-key';
import { bytesOf, outcomesOf, valuesOf } from '../../test/observed-client.ts';
import type { Bundle } from '../data-keys/ciphertext.ts';
import { ciphertextSize, encryptBlob } from '../stream/stream.ts';
import { createIntake } from './intake.ts';

const { keyId, keyVersion, publicKey, unwrap } = intakeKey();
const intake = createIntake({ publicKey });
const context = { form: 'contact', submission: '17' };

const decrypt = async ({ ciphertext }: Pick<Bundle, 'ciphertext'>, options: object = { context }) =>
  fromUtf8(await open(fromBase64(ciphertext), unwrap(), { keyId, ...options }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('`intake.encrypt` with the form `bundle` returns the key id too, and the bundle can be decrypted with the same context', async () => {
  const bundle = await intake.encrypt('ada@example.com', { as: 'bundle', context });
  expect(bundle).toEqual({
    ciphertext: expect.stringMatching(/^eaasAQ/),
    wrapped_key: expect.any(String),
    iv: expect.any(String),
    key_id: keyId,
    key_version: keyVersion,
  });
  expect([intake.keyId, intake.keyVersion]).toEqual([keyId, keyVersion]);
  const envelope = parseEnvelope(fromBase64(bundle.ciphertext));
  expect(toBase64(envelope.wrappedKey)).toBe(bundle.wrapped_key);
  expect(envelope.wrappedKey).toHaveLength(1_174);
  expect(await decrypt(bundle)).toBe('ada@example.com');
});

test('bytes are encrypted to an envelope with `as: bytes`', async () => {
  const value = Uint8Array.of(1, 2, 3);
  const encrypting = intake.encrypt(value, { as: 'bytes', context });
  value.fill(0);
  const envelope = await encrypting;
  expect(envelope).toHaveLength(1_260 + 3);
  expect(await open(envelope, unwrap(), { keyId, context })).toEqual(Uint8Array.of(1, 2, 3));
});

test('the values in a call of `encryptMany` share one wrapped key, and an invalid value does not affect the others', async () => {
  const own = { form: 'contact', submission: '18' };
  const results = await intake.encryptMany(
    ['Ada', new TextEncoder().encode('Grace'), { value: 'Joan', context: own }, '\ud800'],
    { context, as: 'bundle' },
  );
  const bundles = valuesOf(results.slice(0, 3));
  expect(new Set(bundles.map(({ wrapped_key }) => wrapped_key)).size).toBe(1);
  expect(new Set(bundles.map(({ iv }) => iv)).size).toBe(3);
  const opened = bundles.map((bundle, nth) => decrypt(bundle, { context: nth === 2 ? own : context }));
  expect(await Promise.all(opened)).toEqual(['Ada', 'Grace', 'Joan']);
  expect(outcomesOf(results.slice(3))).toEqual(['input']);
});

test('a data key with a wrap context can be unwrapped only with the same wrap context', async () => {
  const ciphertext = await intake.encrypt('x', { wrapContext: { form: 'contact' } });
  const envelope = fromBase64(ciphertext);
  await expect(open(envelope, unwrap(), { keyId })).rejects.toBeInstanceOf(DecryptionError);
  expect(await open(envelope, unwrap({ form: 'contact' }), { keyId })).toEqual(Uint8Array.of(120));
});

describe('streams', () => {
  const content = Buffer.from(Uint8Array.from({ length: 150_000 }, (_, at) => at * 7));

  test('encryptBlob returns the size of the ciphertext', async () => {
    const { stream, size } = await encryptBlob(intake, new Blob([content]), { wrapContext: context });
    const sealed = await bytesOf(stream);
    expect([sealed.length, ciphertextSize(content.length, 1_174)]).toEqual([size, size]);
    const opening = openStream(unwrap(context), { keyId });
    const opened = await bytesOf(new Blob([sealed as BlobPart]).stream().pipeThrough(opening));
    expect(content.equals(opened)).toBe(true);
  });

  test('encryptBlob throws InputError if `keyId` differs from the key id in the public key', async () => {
    const other = '00000000-0000-4000-8000-000000000009';
    await expect(encryptBlob(intake, new Blob([content]), { keyId: other })).rejects.toThrow(/omit/);
  });
});

describe('invalid arguments', () => {
  test('an invalid public key throws InputError', () => {
    expect(() => createIntake({ publicKey: publicKey.slice(0, -1) })).toThrow(InputError);
  });

  test('invalid values, contexts and DEKs throw InputError', async () => {
    const call = (method: 'encrypt' | 'wrap', ...given: unknown[]): Promise<unknown> =>
      Reflect.apply(intake[method], intake, given) as Promise<unknown>;
    const aborted = AbortSignal.abort();
    await expect(call('encrypt', 7)).rejects.toBeInstanceOf(InputError);
    await expect(call('encrypt', 'x', { context: { n: 1 } })).rejects.toBeInstanceOf(InputError);
    await expect(call('encrypt', 'x', { wrapContext: { n: 1 } })).rejects.toBeInstanceOf(InputError);
    await expect(call('encrypt', 'x', { as: 'hex' })).rejects.toBeInstanceOf(InputError);
    await expect(call('wrap', new Uint8Array(31))).rejects.toThrow(/32 bytes/);
    await expect(call('wrap', new Uint8Array(32), { signal: aborted })).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  test('createIntake throws on a platform without WebCrypto', () => {
    vi.stubGlobal('crypto', { getRandomValues: () => undefined });
    expect(() => createIntake({ publicKey })).toThrow(/`crypto.subtle`: serve/);
  });
});

test('the bytes of data keys and other secrets are overwritten after a call', async () => {
  const random: Uint8Array[] = [];
  const generate = crypto.getRandomValues.bind(crypto);
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    if (bytes instanceof Uint8Array && (bytes.length === 32 || bytes.length === 64)) random.push(bytes);
    return generate(bytes);
  });
  const keyBytes = new Set<Uint8Array>();
  const { subtle } = crypto;
  const importKey = subtle.importKey.bind(subtle);
  vi.spyOn(subtle, 'importKey').mockImplementation((...given: unknown[]) => {
    const [format, bytes, algorithm, isExtractable] = given;
    expect(isExtractable).toBe(false);
    const isPublic = format === 'raw' && algorithm === 'X25519';
    if (bytes instanceof Uint8Array && !isPublic) keyBytes.add(bytes);
    return Reflect.apply(importKey, subtle, given) as Promise<CryptoKey>;
  });
  await intake.encrypt('x', { context });
  await intake.encryptMany(['x', 'y']);
  await intake.encrypt(new Uint8Array(7), { as: 'bytes' });
  await expect(intake.encrypt('x', { wrapContext: { '': '' } })).rejects.toThrow(InputError);
  expect(random.map(({ length }) => length)).toEqual([32, 64, 32, 64, 32, 64, 32, 64]);
  expect(keyBytes.size).toBeGreaterThan(9);
  for (const bytes of [...random, ...keyBytes]) expect(bytes).toEqual(new Uint8Array(bytes.length));
});
