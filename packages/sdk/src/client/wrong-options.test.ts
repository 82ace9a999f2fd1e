// What the errors of wrong options and arguments say: the option, what was expected, and what came.
import { anything, numberFrom, requireOptions } from '@eaas/protocol/internal';
import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';
import { encryptStream } from '../stream/stream.ts';
const known = { context: anything, keyId: anything, maxAge: numberFrom(1) };
const all = 'it takes `context`, `keyId`, `maxAge`';

test.each<[unknown, string]>([
  [{ contxt: 1 }, '`encrypt` has no option `contxt`: did you mean `context`?'],
  [{ key_id: undefined }, '`encrypt` has no option `key_id`: did you mean `keyId`?'],
  [{ aad: 1 }, '`encrypt` has no option `aad`: did you mean `context`?'],
  [{ colour: 1 }, `\`encrypt\` has no option \`colour\`: ${all}`],
  [{ constructor: 1 }, `\`encrypt\` has no option \`constructor\`: ${all}`],
  [Promise.resolve({ context: {} }), '`encrypt` takes an object of options (got a Promise)'],
])('a call refuses the options %j, and says what it takes', (given, message) => {
  expect(() => requireOptions<object>(known, given as object, 'encrypt')).toThrow(new InputError(message));
});

const { client, make, keyId } = await observedClient();
const ciphertext = await client.encrypt('x');

test.each<[string, (wrong: never) => unknown, unknown, string]>([
  ['data key (DEK)', (dek) => client.wrap(dek), 'a'.repeat(32), 'Uint8Array of 32 bytes (got a string)'],
  ['data key (DEK)', (dek) => client.wrap(dek), new Uint8Array(16), '(got a Uint8Array of 16 bytes)'],
  ['the id of `destroy`', (id) => client.keys.destroy(id), undefined, 'a UUID from `create` (got undefined)'],
  ['a UUID', (id) => client.decrypt(ciphertext, { keyId: [keyId, id] }), 'patients', 'text of 8 characters'],
  ['a string or a Uint8Array', (value) => client.encrypt(value), 7, '(got a number)'],
  ['`total`', (total) => make({ timeouts: { total } }), -1, 'a number from 1 to Infinity (got -1)'],
  ['`half`', (half) => make({ half }), 'abc', 'what `eaas half new` printed (got a string)'],
  ['`as`', (as) => client.decrypt(ciphertext, { as }), 'hex', "'bytes' or 'text' (got a string)"],
  ['`retries`', (retries) => make({ retries }), 'x', 'an integer from 0 to Infinity (got a string)'],
  ['`fetch`', (fetch) => make({ fetch }), 5, 'a function (got a number)'],
  ['`logger`', (logger) => make({ logger }), {}, 'a logger such as `console` (got an Object)'],
  ['`signal`', (signal) => client.encrypt('x', { signal }), {}, 'an AbortSignal (got an Object)'],
  ['`context`', (context) => client.encrypt('x', { context }), 'row', 'an object (got a string)'],
  ['`context`', (context) => encryptStream(client, { context }), null, 'an object (got null)'],
  ['`wrapContext`', (wrapContext) => client.decrypt(ciphertext, { wrapContext }), null, '(got null)'],
  ['`pageSize`', (pageSize) => client.keys.list({}, { pageSize }).next(), 0, 'at least 1 (got 0)'],
  ['`order`', (order) => client.audit.list({}, { order }).next(), 'up', "'oldest' (got a string)"],
  ['`total`', (total) => encryptStream(client, { total }), '7', 'a number (got a string)'],
])('what is wrong with %s is said', async (what, call, wrong, message) => {
  const result = (async () => call(wrong as never))();
  await expect(result).rejects.toBeInstanceOf(InputError);
  await expect(result).rejects.toThrow(message);
  await expect(result).rejects.toThrow(what);
});

test('a call with a wrong argument does not throw, but returns a promise that rejects', async () => {
  const wrong = 7 as never;
  for (const result of [client.encrypt(wrong), client.keys.destroy(wrong), client.audit.list(wrong).next()]) {
    await expect(result).rejects.toBeInstanceOf(InputError);
  }
});

test.each([`eaas_sk_${keyId}`, 'Ada', ''])('an error about an id does not show it: %j', async (given) => {
  const got = `(got text of ${given.length} characters)`;
  await expect(client.hash('x', { keyId: given })).rejects.toThrow(`a UUID ${got}`);
  for (const get of [client.keys.get, client.apiKeys.get, client.issuers.get]) {
    const kind = given ? 'a string' : 'an empty string';
    const expected = `the id of \`get\` must be a UUID from \`create\` (got ${kind})`;
    await expect(get(given)).rejects.toThrow(new InputError(expected));
  }
});
