import { inspect } from 'node:util';
import { parseEnvelope } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/internal-base64';
import { formatApiKey } from '@eaas/protocol/wire';
import { expect, test, vi } from 'vitest';
import { observedClient, spiedClient, valuesOf } from '../../test/observed-client.ts';
import {
  type Bundle,
  DecryptionError,
  EaasClient,
  type EncryptOptions,
  FormatError,
  InputError,
} from '../index.ts';

const context = { row: '1' };

test('a client encrypts and decrypts a value without sending the value to the service', async () => {
  const { client, sent, keyId } = await spiedClient();
  const ciphertext = await client.encrypt('a secret', { context });
  expect(ciphertext).toMatch(/^eaasA/);
  expect(await client.decrypt(ciphertext, { as: 'text', keyId, context })).toBe('a secret');
  expect(await client.decrypt(ciphertext, { as: 'text', anyKey: true, context })).toBe('a secret');
  expect(sent.map(({ path }) => path)).toEqual(['wrap', 'unwrap']);
  expect(JSON.stringify(sent)).not.toContain('a secret');
});

test('bytes that are no text are authentic, and the error for `as: text` says what to leave out', async () => {
  const { client } = await spiedClient();
  const ciphertext = await client.encrypt(new Uint8Array([0xff, 0xfe]), { context });
  const isNoText = {
    code: 'format',
    message: "the value is no text in UTF-8: leave out `as: 'text'` to get its bytes",
  };
  await expect(client.decrypt(ciphertext, { as: 'text', context })).rejects.toMatchObject(isNoText);
  expect(await client.decryptMany([{ ciphertext, context }], { as: 'text' })).toMatchObject([
    { ok: false, error: isNoText },
  ]);
  expect(() => client.decryptSync(ciphertext, { as: 'text', context })).toThrow(isNoText.message);
  expect(await client.decrypt(ciphertext, { context })).toEqual(new Uint8Array([0xff, 0xfe]));
});

test('errors of a client that is closed, or whose service is away, say what to do', async () => {
  const { client } = await spiedClient();
  await client.close();
  await expect(client.encrypt('x')).rejects.toThrow(
    /was closed: close it only when nothing uses it any more/,
  );
});

test('each call that encrypts returns a text, and bytes or a bundle on demand, which all decrypt', async () => {
  const { client, keyId } = await observedClient();
  await client.prime();
  const sealed = async (more: Pick<EncryptOptions, 'as'>) => [
    await client.encrypt('x', more),
    ...valuesOf(await client.encryptMany(['x', new Uint8Array([120])], more)),
    client.encryptSync('x', more),
  ];
  const bundles = await sealed({ as: 'bundle' });
  const all = [
    ...(await sealed({})),
    ...(await sealed({ as: 'text' })),
    ...(await sealed({ as: 'bytes' })),
    ...bundles,
  ];
  const kinds = all.map((one) => (one instanceof Uint8Array ? 'bytes' : typeof one));
  expect(kinds.join()).toBe('string,'.repeat(8) + 'bytes,'.repeat(4) + 'object,object,object,object');
  for (const one of all) expect(await client.decrypt(one, { as: 'text' })).toBe('x');
  for (const one of bundles as Bundle[]) {
    const { iv, wrappedKey, ...head } = parseEnvelope(fromBase64(one.ciphertext));
    expect([one.iv, one.wrapped_key].map((text) => fromBase64(text))).toEqual([iv, wrappedKey]);
    expect([one.key_id, one.key_version]).toEqual([keyId, head.keyVersion]);
  }
});

test('logs show the class, the key id and the address of a client, and nothing of the inside', async () => {
  const keyId = crypto.randomUUID();
  const client = new EaasClient({
    baseUrl: 'https://eaas.example',
    apiKey: formatApiKey(new Uint8Array(32)),
    keyId,
  });
  const shown = { client: 'EaasClient', keyId, baseUrl: 'https://eaas.example' };
  expect([JSON.parse(JSON.stringify(client)), inspect(client)]).toEqual([shown, inspect(shown)]);
  expect(inspect({ deep: [client.as('7')] }, { depth: Infinity, showHidden: true })).not.toMatch(
    /eaas_sk_|parts/,
  );
});

test('decryption throws the same error for a wrong context and an altered data key', async () => {
  const { client } = await observedClient();
  const ciphertext = await client.encrypt('a secret', { as: 'bytes', context });
  const refused = { name: 'DecryptionError', message: new DecryptionError().message };
  await expect(client.decrypt(ciphertext, { context: { row: '2' } })).rejects.toMatchObject(refused);
  await expect(client.decrypt(ciphertext.fill(7, 40, 50), { context })).rejects.toMatchObject(refused);
});

test('for a ciphertext under another key, decryption names both keys, and sends no request', async () => {
  const { client, service, keyId } = await observedClient();
  const ciphertext = await client.encrypt('a secret');
  const sent = service.requests.length;
  const other = '0000000b-0000-4000-8000-000000000003';
  const accepting = (accepted: string) =>
    `decryption failed: the value is under the key ${keyId.slice(0, 8)}, and only ${accepted} is accepted ` +
    `(is it from another environment?)`;
  const refused = {
    name: 'DecryptionError',
    code: 'decryption',
    message: accepting('0000000b'),
    keyId,
    acceptedKeyIds: [other],
  };
  await expect(client.decrypt(ciphertext, { keyId: other })).rejects.toMatchObject(refused);
  await expect(client.prime({ ciphertexts: [ciphertext], keyId: other })).rejects.toMatchObject(refused);
  expect(() => client.decryptSync(ciphertext, { keyId: other })).toThrow(refused.message);
  const [settled] = await client.decryptMany([ciphertext], { keyId: [other, other] });
  expect(settled).toMatchObject({ ok: false, error: { message: accepting('0000000b or 0000000b') } });
  expect(service.requests).toHaveLength(sent);
});

test.each([
  ['plain text', () => 'plain text', 'it does not begin with `eaas`'],
  ['its bytes', (text: string) => Buffer.from(text), 'these bytes are text: pass the ciphertext as text'],
  ['an empty text', () => '', 'the ciphertext was cut short'],
  ['a ciphertext with a newline', (text: string) => `${text}\n`, 'it ends in a newline or a space'],
  ['a ciphertext that was cut off', (text: string) => text.slice(0, -1), 'it was truncated or altered'],
])('decrypting %s throws FormatError with the reason', async (_, change, reason) => {
  const { client } = await observedClient();
  const ciphertext = await client.encrypt('x');
  const reading = client.decrypt(change(ciphertext));
  await expect(reading).rejects.toBeInstanceOf(FormatError);
  await expect(reading).rejects.toThrow(reason);
});

test('a value that is too long for a text is refused before anything is copied', async () => {
  const { client, service } = await observedClient();
  const bytes = Object.defineProperty(new Uint8Array(1), 'length', { value: 400_000_001 });
  for (const value of [bytes, 'x'.repeat(400_000_001)]) {
    const failure = client.encrypt(value);
    await expect(failure).rejects.toBeInstanceOf(InputError);
    await expect(failure).rejects.toThrow(
      /over 400 MB has no ciphertext as a text: pass `as: 'bytes'`, or use `encryptStream`/,
    );
  }
  const [result] = await client.encryptMany([bytes]);
  expect(result).toMatchObject({ ok: false, error: { code: 'input' } });
  expect(service.requests).toEqual([]);
});

test('a platform without `isWellFormed` is told the version that it needs', async () => {
  const { client, make } = await observedClient();
  const missing = vi.spyOn(String.prototype as { isWellFormed: unknown }, 'isWellFormed', 'get');
  missing.mockReturnValue(undefined);
  const needed = new InputError('this platform is too old: Eaas needs Node 20.19 or later');
  await expect(client.encrypt('x')).rejects.toThrow(needed);
  expect(() => make()).toThrow(needed);
  missing.mockRestore();
});

const apiKey = formatApiKey(new Uint8Array(32).fill(7));
const altered = '(got one that was cut or mistyped): copy it again';

test.each([
  [undefined, '(got undefined): is EAAS_API_KEY set? Without a server, pass `service`'],
  ['', '(got an empty string): is EAAS_API_KEY set? Without a server, pass `service`'],
  ['foo', '(got another string)'],
  ['eaas_sk_1\neaas_sk_2', '(got another string)'],
  [apiKey.slice(0, -3), altered],
  [`${apiKey.slice(0, -20)}A${apiKey.slice(-19)}`, altered],
])('the wrong API key %j is refused before any request, and not shown', async (wrong, message) => {
  const fetch = vi.fn();
  const given = wrong as string;
  const expected =
    '`apiKey` must be an API key (eaas_sk_ and 49 characters) or a function that returns an API key ' +
    message;
  for (const call of [
    async () => new EaasClient({ baseUrl: 'https://eaas.example', apiKey: given, fetch }),
    async () => new EaasClient({ baseUrl: 'https://eaas.example', apiKey: () => given, fetch }).keys.page(),
  ]) {
    expect(await call().catch((error: unknown) => error)).toEqual(new InputError(expected));
  }
  expect(fetch).not.toHaveBeenCalled();
});
