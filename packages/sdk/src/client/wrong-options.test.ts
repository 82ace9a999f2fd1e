// What the errors of wrong options and arguments say: the option, what was expected, and what came.
import { anything, kindOf, numberFrom, requireOptions } from '@eaas/protocol/internal-options';
import { expect, test } from 'vitest';
import { intakeKey } from '@eaas/test-kit/intake-key';
import { observedClient } from '../../test/observed-client.ts';
import * as browser from '../browser/browser.ts';
import * as sdk from '../index.ts';
import { createIntake } from '../intake/intake.ts';
import { EaasError, InputError } from '../index.ts';
import { decryptStream, encryptStream } from '../stream/stream.ts';

const known = { context: anything, keyId: anything, maxAge: numberFrom(1) };
const all = 'it takes `context`, `keyId`, `maxAge`';

test.each<[unknown, string]>([
  [{ contxt: 1 }, '`encrypt` has no option `contxt`: did you mean `context`?'],
  [{ KEYID: 1 }, '`encrypt` has no option `KEYID`: did you mean `keyId`?'],
  [{ key_id: undefined }, '`encrypt` has no option `key_id`: did you mean `keyId`?'],
  [{ colour: 1 }, `\`encrypt\` has no option \`colour\`: ${all}`],
  [{ constructor: 1 }, `\`encrypt\` has no option \`constructor\`: ${all}`],
  [null, '`encrypt` takes an object of options (got null)'],
  ['text', '`encrypt` takes an object of options (got a string)'],
  [Promise.resolve({ context: {} }), '`encrypt` takes an object of options (got a Promise)'],
])('a call refuses the options %j, and says what it takes', (given, message) => {
  expect(() => requireOptions<object>(known, given as object, 'encrypt')).toThrow(new InputError(message));
});

test('inherited members of an options object do not count as options', () => {
  const inherited = Object.create({ inherited: 1 }) as object;
  expect(() => requireOptions<object>(known, inherited, 'encrypt')).not.toThrow();
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

test.each<[string, (wrong: never) => unknown, unknown, string]>([
  ['data key (DEK)', (dek) => client.wrap(dek), 'a'.repeat(32), 'Uint8Array of 32 bytes (got a string)'],
  ['data key (DEK)', (dek) => client.wrap(dek), new Uint8Array(16), '(got a Uint8Array of 16 bytes)'],
  ['`unwrap`', (dek) => client.unwrap(dek), new Uint8Array(32), 'must be the return value of `wrap`'],
  ['`key_id`', (key_id) => client.keys.destroy({ key_id }), undefined, 'a UUID (got undefined)'],
  ['a UUID', (id) => client.publicKey(id), 'patients', '(got text of 8 characters)'],
  ['a UUID', (id) => client.decrypt(ciphertext, { keyId: [keyId, id] }), 'patients', 'text of 8 characters'],
  ['a string', (value) => client.hash(value), 7, '(got a number)'],
  ['a string or a Uint8Array', (value) => client.encrypt(value), 7, '(got a number)'],
  ['`ciphertext`', (value) => client.decrypt(value), 7, '(got a number)'],
  ['`total`', (total) => make({ timeouts: { total } }), -1, 'a number from 1 to Infinity (got -1)'],
  ['`attempt`', (attempt) => make({ timeouts: { attempt } }), '5', 'Infinity (got a string)'],
  ['`retries`', (retries) => make({ retries }), 'x', 'an integer from 0 to Infinity (got a string)'],
  ['`retries`', (retries) => make({ retries }), 0.5, 'an integer from 0 to Infinity (got 0.5)'],
  ['`fetch`', (fetch) => make({ fetch }), 5, 'a function (got a number)'],
  ['`onEvent`', (onEvent) => make({ onEvent }), 'x', 'a function (got a string)'],
  ['`logger`', (logger) => make({ logger }), {}, 'a logger such as `console` (got an Object)'],
  ['`insecureHttp`', (insecureHttp) => make({ insecureHttp }), 'no', 'a boolean (got a string)'],
  ['`values`', (values) => make({ engines: { values } }), {}, 'an engine (got an Object)'],
  ['`signal`', (signal) => client.encrypt('x', { signal }), {}, 'an AbortSignal (got an Object)'],
  ['`signal`', (signal) => client.keys.page({}, { signal }), 7, 'an AbortSignal (got a number)'],
  ['`scope`', (scope) => client.encrypt('x', { scope }), 5, 'a string (got a number)'],
  ['`fresh`', (fresh) => client.encrypt('x', { fresh }), 'yes', 'a boolean (got a string)'],
  ['`anyKey`', (anyKey) => client.decrypt(ciphertext, { anyKey }), 1, 'a boolean (got a number)'],
  ['`context`', (context) => client.encrypt('x', { context }), 'row', 'an object (got a string)'],
  ['`context`', (context) => client.encrypt('x', { context }), null, 'an object (got null)'],
  ['`context`', (context) => first(client.encryptMany([{ value: 'x', context }])), null, '(got null)'],
  ['`context`', (context) => encryptStream(client, { context }), null, 'an object (got null)'],
  ['`wrapContext`', (wrapContext) => client.decrypt(ciphertext, { wrapContext }), null, '(got null)'],
  ['`pageSize`', (pageSize) => client.keys.list({}, { pageSize }).next(), 0, 'at least 1 (got 0)'],
  ['`pageSize`', (pageSize) => client.audit.list({}, { pageSize }).next(), 1.5, 'at least 1 (got 1.5)'],
  ['`order`', (order) => client.audit.list({}, { order }).next(), 'up', "'oldest' (got a string)"],
  ['`from`', (from) => client.audit.list({}, { from }).next(), 0, 'at least 1 (got 0)'],
  ['`month`', (month) => client.usage({ month }), 7, 'a string (got a number)'],
  ['`total`', (total) => encryptStream(client, { total }), '7', 'a number (got a string)'],
  ['`onProgress`', (onProgress) => decryptStream(client, { onProgress }), {}, 'a function (got an Object)'],
])('what is wrong with %s is said', async (what, call, wrong, message) => {
  const result = (async () => call(wrong as never))();
  await expect(result).rejects.toBeInstanceOf(InputError);
  await expect(result).rejects.toThrow(message);
  await expect(result).rejects.toThrow(what);
});

test('a call with a wrong argument returns a promise that rejects', async () => {
  const wrong = 7 as never;
  const { audit, keys } = client;
  const ofValues = [client.encrypt(wrong), client.decrypt(wrong), client.hash(wrong), client.wrap(wrong)];
  const ofKeys = [client.unwrap(wrong), client.publicKey(wrong), keys.destroy(wrong)];
  for (const result of [...ofValues, ...ofKeys, audit.list(wrong).next()])
    await expect(result).rejects.toBeInstanceOf(InputError);
});

test.each([`eaas_sk_${keyId}`, 'Ada', ''])('an error about an id does not show it: %j', async (given) => {
  const got = `(got text of ${given.length} characters)`;
  await expect(client.hash('x', { keyId: given })).rejects.toThrow(`a UUID ${got}`);
  for (const [name, get] of [
    ['api_key_id', client.apiKeys.get({ api_key_id: given })],
    ['issuer_id', client.issuers.revoke({ issuer_id: given })],
  ] as const) {
    const expected = `\`${name}\` must be a UUID, the \`${name}\` that \`create\` returned (got a string)`;
    await expect(get).rejects.toThrow(new InputError(expected));
  }
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
