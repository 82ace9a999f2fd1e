import { type Engine, nobleEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import { wycheproof } from '@eaas/test-kit/wycheproof';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test, vi } from 'vitest';
import { bytesOf, observedClient } from '../../test/observed-client.ts';
import { type EaasClientOptions, InputError } from '../index.ts';
import { inside } from '../client/inside.ts';
import { createIndexKey, defineFields, field } from '../fields/fields.ts';
import { decryptStream, encryptStream } from '../stream/stream.ts';
import { hkdf, macUnder as onNode } from './engines.node.ts';
import { hkdf as webHkdf, platformEngines } from './engines.ts';
import { macUnder } from './mac.ts';
import { allNoble, loadNoble } from './noble-engines.ts';

afterEach(() => vi.unstubAllGlobals());

function withoutWebCrypto(): void {
  const platform = crypto;
  vi.stubGlobal('crypto', {
    getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => platform.getRandomValues(bytes),
    randomUUID: () => platform.randomUUID(),
  });
}

async function pair(engines: EaasClientOptions['engines']) {
  const { client, make, events } = await observedClient({ engines });
  return { client, events, other: make({ engines: undefined, onEvent: undefined }) };
}

const noble = await loadNoble();

test.each([
  ['Node', hkdf, onNode],
  ['WebCrypto', webHkdf, macUnder],
  ['noble', noble.hkdf, noble.hmacUnder],
])(
  'HKDF without a salt, and HMAC, in %s return what Project Wycheproof expects',
  async (_, derive, under) => {
    const withoutSalt = wycheproof('hkdf_sha256_test').cases.filter(({ salt }) => salt.length === 0);
    expect(withoutSalt).toHaveLength(10);
    for (const { tcId, ikm, info, size, okm } of withoutSalt) {
      expect([tcId, Buffer.from(await derive(ikm, info)).subarray(0, size)]).toEqual([tcId, okm]);
    }
    for (const { tcId, key, msg, tag, result } of wycheproof('hmac_sha256_test').cases) {
      const made = Buffer.from(await (await under(key))(msg)).subarray(0, tag.length);
      expect([tcId, made.equals(tag)]).toEqual([tcId, result === 'valid']);
    }
  },
);

test('the key of an HMAC can be wiped after the call', async () => {
  const key = new Uint8Array(32).fill(7);
  const mac = await onNode(key);
  key.fill(0);
  expect(mac(key)).toEqual((await onNode(new Uint8Array(32).fill(7)))(key));
});

test('synchronous calls work after `prime` where the platform has no synchronous cipher', async () => {
  const { client, other, events } = await pair(platformEngines());
  expect(client[inside].engines.sync).toBeUndefined();
  expect(() => client.encryptSync('x')).toThrow(expect.objectContaining({ code: 'not_primed' }));
  await client.prime();
  const ciphertext = client.encryptSync('x');
  expect(await other.decrypt(ciphertext, { as: 'text' })).toBe('x');
  const theirs = await other.encrypt('y');
  expect(() => client.decryptSync(theirs)).toThrow(expect.objectContaining({ code: 'not_primed' }));
  await client.prime({ ciphertexts: [theirs] });
  expect(client.decryptSync(theirs, { as: 'text' })).toBe('y');
  expect(events.map(({ type }) => type)).not.toContain('engine.fallback');
});

test('a platform without WebCrypto falls back to noble and emits one event', async () => {
  withoutWebCrypto();
  const { client, other, events } = await pair(platformEngines());
  expect(client[inside].engines).toEqual(allNoble);
  const ciphertext = await client.encrypt('x', { context: { row: '1' } });
  expect(await other.decrypt(ciphertext, { as: 'text', context: { row: '1' } })).toBe('x');
  await expect(client.decrypt(ciphertext)).rejects.toMatchObject({ code: 'decryption' });
  await client.prime({ encrypt: true, ciphertexts: [ciphertext] });
  expect(client.decryptSync(ciphertext, { as: 'text', context: { row: '1' } })).toBe('x');
  expect(await other.decrypt(client.encryptSync('y'), { as: 'text' })).toBe('y');
  const plaintext = new Uint8Array(100_000).fill(7);
  const sealed = new Blob([plaintext]).stream().pipeThrough(encryptStream(client));
  const opened = await bytesOf(sealed.pipeThrough(decryptStream(other)));
  expect(Buffer.from(opened).equals(plaintext)).toBe(true);
  expect(await client.hash('x')).toHaveLength(64);
  const fields = defineFields({ users: { email: field.text().searchable() } });
  const index = await createIndexKey(client);
  const [ours, theirs] = await Promise.all(
    [client, other].map(async (one) => fields.for(one, { index }).where('users', { email: 'Ada' })),
  );
  vi.unstubAllGlobals();
  const reference = await fields.for(other, { index }).where('users', { email: 'Ada' });
  expect([ours, theirs]).toEqual([reference, reference]);
  const fallback = { type: 'engine.fallback', code: 'no_webcrypto', engine: 'noble' };
  expect(events.filter(({ type }) => type === 'engine.fallback')).toEqual([fallback]);
});

test('a page that is not secure gets noble only if it asks for it', async () => {
  withoutWebCrypto();
  vi.stubGlobal('isSecureContext', false);
  const { client, make, events } = await observedClient({ engines: 'noble' });
  expect(client[inside].engines).toMatchObject({ values: { name: 'node' } });
  expect(events.map(({ type }) => type)).not.toContain('engine.fallback');
  const { values, streams } = allNoble;
  for (const engines of [undefined, {}, { values }, { streams }]) {
    expect(() => make({ engines })).toThrow(
      /can replace the script of this page: load it over https:, or pass `engines: 'noble'`$/,
    );
  }
  const ciphertext = await make({ engines: { values, streams } }).encrypt('x');
  expect(await client.decrypt(ciphertext, { as: 'text' })).toBe('x');
  // React Native has no `isSecureContext`.
  vi.stubGlobal('isSecureContext', undefined);
  expect(() => make({ engines: undefined })).not.toThrow();
});

test('bytes of another JavaScript realm, such as in Jest, are encrypted and decrypted', async () => {
  const foreign = (bytes: Uint8Array): Uint8Array =>
    runInNewContext('new Uint8Array(bytes)', { bytes: [...bytes] }) as Uint8Array;
  expect(foreign(new Uint8Array(3))).not.toBeInstanceOf(Uint8Array);
  const value = new Uint8Array([1, 2, 3]);
  for (const engines of [allNoble, undefined, platformEngines()] as const) {
    const { client, other } = await pair(engines);
    const envelope = await client.encrypt(foreign(value), { as: 'bytes' });
    expect(await other.decrypt(envelope)).toEqual(value);
    expect(await client.decrypt(foreign(envelope))).toEqual(value);
    const { wrappedKey, ...wrapped } = await client.wrap(foreign(new Uint8Array(32)));
    expect(await client.unwrap({ ...wrapped, wrappedKey: foreign(wrappedKey) })).toEqual(new Uint8Array(32));
  }
});

test('an engine that the app passes for one kind of call does not change the engines of other calls', async () => {
  const { client } = await pair({ sync: nobleEngine });
  expect(client[inside].engines).toMatchObject({
    sync: nobleEngine,
    values: { name: 'node' },
    streams: { name: 'node' },
  });
  await client.prime();
  expect(await client.decrypt(client.encryptSync('x'), { as: 'text' })).toBe('x');
});

test.each([undefined, { subtle: crypto.subtle }])(
  'the constructor throws if the platform has no `crypto.getRandomValues` (`crypto` is %j)',
  async (platform) => {
    const { make } = await observedClient();
    vi.stubGlobal('crypto', platform);
    for (const engines of [undefined, 'noble'] as const) {
      expect(() => make({ engines })).toThrow(InputError);
      expect(() => make({ engines })).toThrow(/`crypto.getRandomValues`: import a polyfill/);
    }
  },
);

test('the engine copies a key before it loads noble, and `wipe` overwrites the copy', async () => {
  const { values } = allNoble;
  const given = new Uint8Array(32).fill(7);
  const importing = values.importKey(given);
  given.fill(0);
  const key = (await importing) as { bytes: Uint8Array };
  expect(key.bytes).toEqual(new Uint8Array(32).fill(7));
  values.wipe(key);
  expect(key.bytes).toEqual(new Uint8Array(32));
});

test('if noble cannot be loaded, the call throws a LoadError that can be retried', async () => {
  vi.doMock('@eaas/protocol/internal-noble', () => {
    throw new TypeError('Failed to fetch dynamically imported module');
  });
  const { client } = await pair(allNoble);
  await expect(client.encrypt('x')).rejects.toMatchObject({
    name: 'LoadError',
    code: 'not_loaded',
    retryable: true,
  });
  vi.doUnmock('@eaas/protocol/internal-noble');
  await client.encrypt('x');
});

test('an engine can return promises that are not instances of `Promise`, such as promises of zone.js', async () => {
  const foreign = runInNewContext('(promise) => new Promise((...ends) => promise.then(...ends))') as <T>(
    promise: T,
  ) => T;
  const values: Engine<'async', CryptoKey> = {
    ...webCryptoEngine,
    importKey: (...given) => foreign(webCryptoEngine.importKey(...given)),
    encrypt: (...given) => foreign(webCryptoEngine.encrypt(...given)),
    decrypt: (...given) => foreign(webCryptoEngine.decrypt(...given)),
  };
  const engines = { values, streams: values };
  const { client, make } = await observedClient({ engines });
  const ciphertext = await client.encrypt('a secret');
  expect(await make({ engines }).decrypt(ciphertext, { as: 'text' })).toBe('a secret');
  const stream = new Blob(['a secret']).stream().pipeThrough(encryptStream(client));
  expect(await new Response(stream.pipeThrough(decryptStream(client))).text()).toBe('a secret');
});
