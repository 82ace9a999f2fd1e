import { anything, kindOf, numberFrom, requireOptions } from '@eaas/protocol/internal-options';
import { describe, expect, test } from 'vitest';
import { intakeKey } from '@eaas/test-kit/intake-key';
import { observedClient } from '../../test/observed-client.ts';
import * as browser from '../browser/browser.ts';
import { createIndexKey } from '../fields/fields.ts';
import * as sdk from '../index.ts';
import { createIntake } from '../intake/intake.ts';
import { EaasError, InputError } from '../index.ts';
import {
  decryptBlob,
  decryptStream,
  encryptBlob,
  encryptStream,
  openFile,
  urlSource,
} from '../stream/stream.ts';

const known = { context: anything, keyId: anything, maxAge: numberFrom(1) };

test.each([
  ['contxt', '`encrypt` has no option `contxt`: did you mean `context`?'],
  ['KEYID', '`encrypt` has no option `KEYID`: did you mean `keyId`?'],
  ['key_id', '`encrypt` has no option `key_id`: did you mean `keyId`?'],
  ['colour', '`encrypt` has no option `colour`: it takes `context`, `keyId`, `maxAge`'],
  ['constructor', '`encrypt` has no option `constructor`: it takes `context`, `keyId`, `maxAge`'],
])('a call refuses an unknown option, and its error names the most similar option: %s', (name, message) => {
  const given = { [name]: undefined } as object;
  expect(() => requireOptions<object>(known, given, 'encrypt')).toThrow(new InputError(message));
});

test('inherited members of an options object do not count as options', () => {
  for (const given of [{ context: {}, keyId: 'x' }, Object.create({ inherited: 1 }) as object])
    expect(() => requireOptions<object>(known, given, 'encrypt')).not.toThrow();
});

test.each([
  [null, 'null'],
  ['text', 'a string'],
  [7, 'a number'],
  [Promise.resolve({ context: { row: '1' } }), 'a Promise'],
])('a call refuses options that are not an object: %j', (given, kind) => {
  expect(() => requireOptions<object>(known, given as never, 'encrypt')).toThrow(
    new InputError(`\`encrypt\` takes an object of options (got ${kind})`),
  );
});

test.each([
  [undefined, 'undefined'],
  [[], 'an Array'],
  [new Map(), 'a Map'],
  [new Uint8Array(3), 'a Uint8Array of 3 bytes'],
  [{}, 'an Object'],
  [new URL('https://eaas.example'), 'a URL'],
])('`kindOf` names the kind of a value: %s', (value, kind) => {
  expect(kindOf(value)).toBe(kind);
});

const misspelt = { contxt: { row: '1' } } as object;
const { client, make, keyId } = observedClient();
const { ciphertext } = await client.encrypt('x');
const wrapped = await client.wrap(new Uint8Array(32));
const first = async (results: Promise<readonly { ok: boolean }[]>): Promise<void> => {
  const [result] = await results;
  if (result && 'error' in result) throw result.error;
};

const intake = createIntake({ publicKey: intakeKey().publicKey });

test.each<[string, (options?: object) => Promise<unknown>, readonly object[]]>([
  ['encryptMany', (options) => client.encryptMany([], options), [{ as: 'text' }, { keyId: 'x' }]],
  ['decryptMany', (options) => client.decryptMany([], options), [{ as: 'bundle' }, { keyId: 'x' }]],
  ['rewrapMany', (options) => client.rewrapMany([], options), []],
  ['encryptMany of an intake', (options) => intake.encryptMany([], options), [{ as: 'text' }]],
])('wrong options of a call with many items are refused, even without items: %s', async (_, call, more) => {
  const wrong = [misspelt, null as never, { wrapContext: { a: 1 } }, ...more];
  for (const options of wrong) await expect(call(options)).rejects.toBeInstanceOf(InputError);
  expect(await call()).toEqual([]);
});

describe('misspelt options', () => {
  test.each<[string, (options: object) => unknown]>([
    ['encrypt', (options) => client.encrypt('x', options)],
    ['encrypt, as bytes', (options) => client.encrypt('x', { ...options, as: 'bytes' })],
    ['encryptSync', (options) => client.encryptSync('x', options)],
    ['encryptMany', (options) => client.encryptMany(['x'], options)],
    ['an item of encryptMany', (item) => first(client.encryptMany([{ value: 'x', ...item }]))],
    ['decrypt', (options) => client.decrypt(ciphertext, options)],
    ['decrypt, as text', (options) => client.decrypt(ciphertext, { ...options, as: 'text' })],
    ['decryptSync', (options) => client.decryptSync(ciphertext, options)],
    ['decryptMany', (options) => client.decryptMany([ciphertext], options)],
    ['an item of decryptMany', (item) => first(client.decryptMany([{ ciphertext, ...item }]))],
    ['prime', (options) => client.prime(options)],
    ['hash', (options) => client.hash('x', options)],
    ['wrap', (options) => client.wrap(new Uint8Array(32), options)],
    ['unwrap', (options) => client.unwrap(wrapped, options)],
    ['rewrap', (options) => client.rewrap(ciphertext, options)],
    ['rewrapMany', (options) => client.rewrapMany([ciphertext], options)],
    ['keys.page', (options) => client.keys.page({}, options)],
    ['keys.list', (options) => client.keys.list({}, options).next()],
    ['apiKeys.list', (options) => client.apiKeys.list({}, options).next()],
    ['usage', (options) => client.usage({}, options)],
    ['audit.list', (options) => client.audit.list({}, options).next()],
    ['the filter of audit.list', (filter) => client.audit.list(filter).next()],
    ['audit.verify', (options) => client.audit.verify({}, options)],
    ['encryptStream', (options) => encryptStream(client, options)],
    ['decryptStream', (options) => decryptStream(client, options)],
    ['encryptBlob', (options) => encryptBlob(client, new Blob(), options)],
    ['decryptBlob', (options) => decryptBlob(client, new Blob(), options)],
    ['openFile', (options) => openFile(client, { size: 0, read: () => new Uint8Array(0) }, options)],
    ['urlSource', (options) => urlSource('https://eaas.test', options)],
    ['a client', (options) => make(options)],
    ["a browser's client", (options) => browser.createBrowserClient(options)],
    ['cache', (cache) => make({ cache })],
    ['cache.encrypt', (encrypt) => make({ cache: { encrypt } })],
    ['cache.decrypt', (decrypt) => make({ cache: { decrypt } })],
    ['engines', (engines) => make({ engines })],
    ['timeouts', (timeouts) => make({ timeouts })],
  ])('a misspelt option is refused by %s', async (_, call) => {
    await expect((async () => call(misspelt))()).rejects.toThrow(/has no option `contxt`/);
  });
});

test.each<[string, () => unknown, RegExp]>([
  [
    'null options',
    () => client.encrypt('x', null as never),
    /`encrypt` takes an object of options \(got null\)/,
  ],
  ['a DEK of text', () => client.wrap('a'.repeat(32) as never), /Uint8Array of 32 bytes \(got a string\)/],
  ['a short DEK', () => client.wrap(new Uint8Array(16)), /\(got a Uint8Array of 16 bytes\)/],
  ['a DEK to unwrap', () => client.unwrap(new Uint8Array(32) as never), /must be the return value of `wrap`/],
  ['a number to hash', () => client.hash(7 as never), /must be a string \(got a number\)/],
  ['a number to encrypt', () => client.encrypt(7 as never), /a string or a Uint8Array \(got a number\)/],
  ['a number to decrypt', () => client.decrypt(7 as never), /`ciphertext` \(got a number\)/],
  [
    'the name of a key',
    () => client.encrypt('x', { keyId: 'patients' }),
    /a UUID \(got text of 8 characters\)/,
  ],
  [
    'a token as a key',
    () => client.hash('x', { keyId: `eaas_sk_${keyId}` }),
    /a UUID \(got text of 44 characters\)/,
  ],
  [
    'inherited context',
    () => client.encrypt('x', { context: Object.create({ a: 'b' }) as never }),
    /inherited/,
  ],
])('an argument error says what was expected: %s', async (_, call, message) => {
  const result = call();
  expect(result).toBeInstanceOf(Promise);
  await expect(result).rejects.toThrow(message);
  await expect(result).rejects.toBeInstanceOf(InputError);
});

const other = 'patients';
const uuidRefused =
  '`keyId` must be a UUID (got text of 8 characters): pass the `key_id` that `keys.create` returned';

describe('a key id that is not a UUID', () => {
  test.each<[string, () => unknown]>([
    ['a client', () => make({ keyId: other })],
    [
      "a browser's client",
      () => browser.createBrowserClient({ keyId: other, proxyUrl: 'https://app.test/api' }),
    ],
    ['encrypt', () => client.encrypt('x', { keyId: other })],
    ['encryptSync', () => client.encryptSync('x', { keyId: other })],
    ['encryptMany', () => client.encryptMany(['x'], { keyId: other })],
    ['decrypt', () => client.decrypt(ciphertext, { keyId: other })],
    ['decrypt, in a list', () => client.decrypt(ciphertext, { keyId: [keyId, other] })],
    ['decryptSync', () => client.decryptSync(ciphertext, { keyId: other })],
    ['decryptMany', () => client.decryptMany([ciphertext], { keyId: other })],
    ['prime', () => client.prime({ keyId: other })],
    ['hash', () => client.hash('x', { keyId: other })],
    ['wrap', () => client.wrap(new Uint8Array(32), { keyId: other })],
    ['publicKey', () => client.publicKey(other)],
    ['createIndexKey', () => createIndexKey(client, { keyId: other })],
    ['encryptStream', () => encryptStream(client, { keyId: other })],
    ['decryptStream', () => decryptStream(client, { keyId: other })],
    ['openFile', () => openFile(client, { size: 0, read: () => new Uint8Array(0) }, { keyId: other })],
    ['decryptBlob', () => decryptBlob(client, new Blob(), { keyId: other })],
  ])('is refused by %s', async (_, call) => {
    await expect((async () => call())()).rejects.toThrow(new InputError(uuidRefused));
  });

  test.each<[string, () => unknown, string]>([
    ['keys.get', () => client.keys.get({ key_id: other }), '`key_id`'],
    ['keys.rotate', () => client.keys.rotate({ key_id: other }), '`key_id`'],
    ['keys.destroy', () => client.keys.destroy({} as never), '`key_id`'],
    ['audit.page', () => client.audit.page({ key_id: other }), '`key_id`'],
    ['audit.list', () => client.audit.list({ key_id: other }).next(), '`key_id`'],
    ['unwrap', () => client.unwrap({ ...wrapped, keyId: other }), '`keyId`'],
  ])('is refused by %s', async (_, call, name) => {
    const result = (async () => call())();
    await expect(result).rejects.toThrow(`${name} must be a UUID (got `);
    await expect(result).rejects.toBeInstanceOf(InputError);
  });

  test.each([`eaas_sk_${keyId}`, 'k'.repeat(41), 'a+b/c=', 'Ada', '', 7])(
    'is not shown in the error: %j',
    async (given) => {
      const isNumber = typeof given === 'number';
      const got = isNumber ? 'a number' : `text of ${given.length} characters`;
      await expect(client.hash('x', { keyId: given as string })).rejects.toThrow(`a UUID (got ${got})`);
      const kind = isNumber ? 'a number' : 'a string';
      const id = given as string;
      for (const [name, get] of [
        ['api_key_id', client.apiKeys.get({ api_key_id: id })],
        ['issuer_id', client.issuers.revoke({ issuer_id: id })],
      ] as const) {
        const expected = `\`${name}\` must be a UUID, the \`${name}\` that \`create\` returned (got ${kind})`;
        await expect(get).rejects.toThrow(new InputError(expected));
      }
    },
  );
});

test.each<[string, (wrong: never) => unknown, unknown, string]>([
  ['timeouts.total', (total) => make({ timeouts: { total } }), -1, 'a number from 1 to Infinity (got -1)'],
  ['timeouts.attempt', (attempt) => make({ timeouts: { attempt } }), '5', 'Infinity (got a string)'],
  ['retries', (retries) => make({ retries }), 'x', 'an integer from 0 to Infinity (got a string)'],
  ['retries', (retries) => make({ retries }), 0.5, 'an integer from 0 to Infinity (got 0.5)'],
  ['fetch', (fetch) => make({ fetch }), 5, 'a function (got a number)'],
  ['onEvent', (onEvent) => make({ onEvent }), 'x', 'a function (got a string)'],
  ['logger', (logger) => make({ logger }), {}, 'a logger such as `console` (got an Object)'],
  ['insecureHttp', (insecureHttp) => make({ insecureHttp }), 'no', 'a boolean (got a string)'],
  ['engines.values', (values) => make({ engines: { values } }), {}, 'an engine (got an Object)'],
  [
    'cache.encrypt.maxAge',
    (maxAge) => make({ cache: { encrypt: { maxAge } } }),
    Number.NaN,
    'Infinity (got NaN)',
  ],
  [
    'cache.decrypt.maxAge',
    (maxAge) => make({ cache: { decrypt: { maxAge } } }),
    '1',
    'Infinity (got a string)',
  ],
  ['signal', (signal) => client.encrypt('x', { signal }), {}, 'an AbortSignal (got an Object)'],
  [
    'signal',
    (signal) => client.keys.page({}, { signal }),
    new AbortController(),
    'an AbortSignal (got an AbortController)',
  ],
  ['scope', (scope) => client.encrypt('x', { scope }), 5, 'a string (got a number)'],
  ['fresh', (fresh) => client.encrypt('x', { fresh }), 'yes', 'a boolean (got a string)'],
  ['anyKey', (anyKey) => client.decrypt(ciphertext, { anyKey }), 1, 'a boolean (got a number)'],
  ['context', (context) => client.encrypt('x', { context }), 'row', 'an object (got a string)'],
  ['context', (context) => client.encrypt('x', { context }), null, 'an object (got null)'],
  ['context', (context) => first(client.encryptMany([{ value: 'x', context }])), null, '(got null)'],
  ['context', (context) => encryptStream(client, { context }), null, 'an object (got null)'],
  ['wrapContext', (wrapContext) => client.decrypt(ciphertext, { wrapContext }), null, '(got null)'],
  ['pageSize', (pageSize) => client.keys.list({}, { pageSize }).next(), 0, 'integer of at least 1 (got 0)'],
  ['pageSize', (pageSize) => client.audit.list({}, { pageSize }).next(), 1.5, 'at least 1 (got 1.5)'],
  ['order', (order) => client.audit.list({}, { order }).next(), 'up', "'newest' or 'oldest' (got a string)"],
  ['from', (from) => client.audit.list({}, { from }).next(), 0, 'at least 1 (got 0)'],
  ['month', (month) => client.usage({ month }), 7, 'a string (got a number)'],
  ['total', (total) => encryptStream(client, { total }), '7', 'a number (got a string)'],
  ['onProgress', (onProgress) => decryptStream(client, { onProgress }), {}, 'a function (got an Object)'],
])('an option with a wrong value is refused: %s', async (name, call, wrong, message) => {
  const result = (async () => call(wrong as never))();
  await expect(result).rejects.toBeInstanceOf(InputError);
  await expect(result).rejects.toThrow(message);
  await expect(result).rejects.toThrow(`\`${name.split('.').at(-1)}\``);
});

test('`engines: { values: undefined }` has no effect: the client uses the default engine', async () => {
  const own = make({ engines: { values: undefined, streams: undefined } as object });
  expect(own.engines).toEqual(client.engines);
});

test.each<[string, object]>([
  ['@eaas/sdk', sdk],
  ['@eaas/sdk/browser', browser],
])('%s exports the classes of errors that it contains as values', (_, entry) => {
  const names = ['Service', 'Client', 'Load', 'Format', 'Decryption', 'Input'];
  const missing = names.filter((kind) => {
    const { prototype } = Object(Reflect.get(entry, `${kind}Error`)) as { prototype?: unknown };
    return !(prototype instanceof EaasError);
  });
  expect(missing).toEqual([]);
});
