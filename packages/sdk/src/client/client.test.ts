import { inspect } from 'node:util';
import { toBase64 } from '@eaas/protocol/base64';
import { formatApiKey, problem, type ProblemCode } from '@eaas/protocol/wire';
import { expect, test, vi } from 'vitest';
import { retryAtOnce } from '@eaas/test-kit/retry-at-once';
import { DecryptionError, EaasClient, EaasError, FormatError, InputError } from '../index.ts';

const keyId = '00000000-0000-4000-8000-000000000002';
retryAtOnce();
const apiKey = formatApiKey(new Uint8Array(32));

function service(answer?: (path: string) => Response | undefined) {
  const deks = new Map<string, string>();
  const requests: Request[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    requests.push(request.clone());
    const path = new URL(request.url).pathname;
    const other = answer?.(path);
    if (other) return other;
    const body = (await request.json()) as Record<string, string>;
    if (path.endsWith('/wrap')) {
      const wrapped_key = toBase64(crypto.getRandomValues(new Uint8Array(78)));
      deks.set(wrapped_key, body['dek'] ?? '');
      return Response.json({ wrapped_key, key_id: keyId, key_version: 3 });
    }
    if (path.endsWith('/unwrap')) {
      const dek = deks.get(body['wrapped_key'] ?? '');
      if (dek) return Response.json({ dek, key_id: keyId, key_version: 3 });
      return refusal('wrapped_key_unauthentic');
    }
    return Response.json({ hash: 'ab'.repeat(32), key_id: keyId });
  };
  return { requests, deks, client: new EaasClient({ baseUrl: 'https://eaas.example', apiKey, fetch }) };
}

function refusal(code: ProblemCode): Response {
  const body = problem(code, 'What to do next.');
  return Response.json(body, { status: body.status, headers: { 'x-request-id': 'request-1' } });
}

test('a client encrypts and decrypts a value without sending the value to the service', async () => {
  const { client, requests } = service();
  const bundle = await client.encrypt('a secret', { keyId, context: { row: '1' } });
  expect(bundle).toMatchObject({ key_id: keyId, key_version: 3 });
  expect(bundle.ciphertext).toMatch(/^eaas/);
  expect(await client.decrypt(bundle, { as: 'text', keyId, context: { row: '1' } })).toBe('a secret');
  expect(await client.decrypt(bundle.ciphertext, { as: 'text', anyKey: true, context: { row: '1' } })).toBe(
    'a secret',
  );
  const sent = await Promise.all(requests.map((request) => request.text()));
  expect(sent.join()).not.toContain('a secret');
  expect(requests[0]?.url).toBe(`https://eaas.example/v1/keys/${keyId}/wrap`);
  expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${apiKey}`);
});

test('decryption returns the bytes that were encrypted, even if they are a view of a larger buffer', async () => {
  const { client } = service();
  const view = Uint8Array.of(9, 9, 0, 255, 128, 9).subarray(2, 5);
  const { ciphertext } = await client.encrypt(view, { keyId });
  expect(await client.decrypt(ciphertext, { keyId })).toEqual(Uint8Array.of(0, 255, 128));
});

test('decryption throws the same error for a wrong context and an unknown data key', async () => {
  const { client, deks } = service();
  const { ciphertext } = await client.encrypt('a secret', { keyId, context: { row: '1' } });
  const refused = { name: 'DecryptionError', message: new DecryptionError().message };
  await expect(client.decrypt(ciphertext, { keyId, context: { row: '2' } })).rejects.toMatchObject(refused);
  deks.clear();
  const decrypting = client.as('whose data key is not in memory').decrypt(ciphertext, {
    keyId,
    context: { row: '1' },
  });
  await expect(decrypting).rejects.toMatchObject(refused);
});

test('for a ciphertext under another key, decryption names both keys, and sends no request', async () => {
  const { client, requests } = service();
  const { ciphertext } = await client.encrypt('a secret', { keyId });
  const sent = requests.length;
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
  expect(requests).toHaveLength(sent);
});

test.each(['plain text', 'aGVsbG8=', ''])(
  'decrypting %j, which is not a ciphertext, throws FormatError',
  async (text) => {
    await expect(service().client.decrypt(text, { keyId })).rejects.toBeInstanceOf(FormatError);
  },
);

test.each([
  ['a newline at its end', (text: string) => `${text}\n`, 'it ends in a newline or a space'],
  ['its end cut off', (text: string) => text.slice(0, -1), 'it was truncated or altered'],
])('a ciphertext with %s is refused with the reason', async (_, change, reason) => {
  const { client } = service();
  const { ciphertext } = await client.encrypt('x', { keyId });
  const reading = client.decrypt(change(ciphertext), { keyId });
  await expect(reading).rejects.toThrow(`a ciphertext must be canonical base64: ${reason}`);
  await expect(reading).rejects.toBeInstanceOf(FormatError);
});

test('a value that is too long for a bundle is refused before anything is copied', async () => {
  const { client, requests } = service();
  const bytes = Object.defineProperty(new Uint8Array(1), 'length', { value: 400_000_001 });
  for (const value of [bytes, 'x'.repeat(400_000_001)]) {
    const failure = client.encrypt(value, { keyId });
    await expect(failure).rejects.toBeInstanceOf(InputError);
    await expect(failure).rejects.toThrow(/at most 400 MB, .* pass `as: 'bytes'`, or .* `encryptStream`/);
  }
  const [result] = await client.encryptMany([bytes], { keyId });
  expect(result).toMatchObject({ ok: false, error: { code: 'input' } });
  expect(requests).toEqual([]);
});

test('a platform without `isWellFormed` is told the version that it needs', async () => {
  const texts: object = String.prototype;
  const usual = Object.getOwnPropertyDescriptor(texts, 'isWellFormed') ?? {};
  const { client } = service();
  try {
    Object.defineProperty(texts, 'isWellFormed', { value: undefined });
    const needed = new InputError('this platform is too old: Eaas needs Node 20.19 or later');
    await expect(client.encrypt('x', { keyId })).rejects.toThrow(needed);
    expect(() => service()).toThrow(needed);
  } finally {
    Object.defineProperty(texts, 'isWellFormed', usual);
  }
});

test.each([
  ['cut', (key: string) => key.slice(0, -3)],
  ['mistyped', (key: string) => `${key.slice(0, -20)}A${key.slice(-19)}`],
])('an API key that was %s is refused before any request', async (_, change) => {
  const wrong = change(formatApiKey(new Uint8Array(32).fill(7)));
  const baseUrl = 'https://eaas.example';
  const fetch = vi.fn();
  const message = /^`apiKey` must be an API key .* \(got one that was cut or mistyped\): copy it again$/;
  expect(() => new EaasClient({ baseUrl, apiKey: wrong, fetch })).toThrow(message);
  const client = new EaasClient({ baseUrl, apiKey: () => wrong, fetch });
  await expect(client.hash('x', { keyId })).rejects.toThrow(message);
  expect(fetch).not.toHaveBeenCalled();
});

test('a ServiceError has the code, advice and request id of the response', async () => {
  const { client } = service(() => refusal('key_state'));
  const error: unknown = await client.encrypt('a secret', { keyId }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EaasError);
  expect(error).toMatchObject({
    code: 'key_state',
    status: 409,
    retryable: false,
    requestId: 'request-1',
    message: 'What to do next.',
  });
});

test('no error shows the API key, the plaintext or a data key', async () => {
  const unreachable = new EaasClient({
    baseUrl: 'https://eaas.example',
    apiKey,
    fetch: () => Promise.reject(new TypeError(`connect failed for ${apiKey}`)),
  });
  const nonsense = service(() => new Response('<html>', { status: 502 }));
  const thrown = await Promise.all(
    [unreachable, nonsense.client, service(() => refusal('audit_unwritten')).client].map((client) =>
      client.encrypt('a secret', { keyId }).catch((error: unknown) => error),
    ),
  );
  const sent = (await Promise.all(nonsense.requests.map((request) => request.json()))) as { dek: string }[];
  for (const error of thrown) {
    expect(error).toBeInstanceOf(EaasError);
    const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
    for (const secret of [apiKey, 'a secret', ...sent.map(({ dek }) => dek)])
      expect(shown).not.toContain(secret);
  }
});
