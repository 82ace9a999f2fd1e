import { describe, expect, test } from 'vitest';
import { EaasClient, type EaasClientOptions, type EaasError, InputError } from './index.ts';
import { createTestService } from './testing/testing.ts';

function setUp(options: Partial<EaasClientOptions> = {}) {
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  return { service, client: new EaasClient({ ...service, keyId, ...options }) };
}

describe('what was misspelled is refused, not ignored', () => {
  const misspelled = { contex: { row: '1' } } as object;

  test('by every call that encrypts or decrypts', async () => {
    const { client } = setUp();
    const { ciphertext } = await client.encrypt('x');
    const calls = [
      client.encrypt('x', misspelled),
      client.encryptBytes('x', misspelled),
      client.decrypt(ciphertext, misspelled),
      client.decryptText(ciphertext, misspelled),
      client.prime(misspelled),
    ];
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({
        reason: { code: 'input', message: expect.stringContaining('`contex`') },
      });
    }
    await client.prime({ encrypt: true, ciphertexts: [ciphertext] });
    expect(() => client.encryptSync('x', misspelled)).toThrow(InputError);
    expect(() => client.decryptSync(ciphertext, misspelled)).toThrow(InputError);
    const [many] = await client.encryptMany(['x'], misspelled);
    expect(many).toMatchObject({ ok: false, error: { code: 'input' } });
  });
});

describe('the address of the service', () => {
  test.each([
    undefined,
    '',
    '127.0.0.1:8080',
    'localhost:8080',
    '/eaas',
    'ftp://eaas.example',
    'https://a:b@eaas.example',
  ])('is none in %j', (baseUrl) => {
    expect(() => setUp({ baseUrl: baseUrl as string })).toThrow(/`baseUrl` is the address/);
  });

  test.each(['https://eaas.test', 'https://eaas.test/', 'https://eaas.test/v1', 'https://eaas.test/v1/'])(
    'is the same as %s',
    async (baseUrl) => {
      const { client, service } = setUp({ baseUrl });
      await client.hash('x');
      expect(service.requests).toMatchObject([{ route: 'POST /v1/hash', status: 200 }]);
    },
  );
});

test('a service that cannot be reached is told with the reason that the system gives, and nothing else of it', async () => {
  const refused = Object.assign(new Error('connect 10.0.0.1:5432 secret'), { code: 'ECONNREFUSED' });
  const { client } = setUp({
    retries: 0,
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: refused })),
  });
  const error = (await client.hash('x').catch((thrown: unknown) => thrown)) as EaasError;
  expect(error.message).toBe('the service could not be reached (ECONNREFUSED)');
  const silent = setUp({
    retries: 0,
    fetch: () => Promise.reject(new TypeError('x', { cause: { code: 'eaas_sk_1' } })),
  });
  await expect(silent.client.hash('x')).rejects.toThrow(/reached$/);
});

test('where nothing answers at once, priming says what to bring along', async () => {
  const { client } = setUp({ engines: { sync: undefined } });
  await expect(client.prime()).rejects.toThrow(/nobleEngine/);
  expect(() => client.encryptSync('x')).toThrow(expect.objectContaining({ code: 'not_primed' }));
});

test('a closed client says that it is closed, synchronously too', async () => {
  const { client } = setUp();
  const { ciphertext } = await client.encrypt('x');
  await client.close();
  expect(() => client.encryptSync('x')).toThrow(expect.objectContaining({ code: 'closed' }));
  expect(() => client.decryptSync(ciphertext)).toThrow(expect.objectContaining({ code: 'closed' }));
});
