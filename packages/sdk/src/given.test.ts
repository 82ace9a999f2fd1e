import { expect, test, vi } from 'vitest';
import { EaasClient, type EaasClientOptions, InputError } from './index.ts';
import { createTestService } from './testing/testing.ts';

function setUp(options: Partial<EaasClientOptions> = {}) {
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  const make = (): EaasClient => new EaasClient({ ...service, keyId, ...options });
  return { service, keyId, make, client: make() };
}

test.each([{}, { fresh: true }])(
  'a value is the one that was given, whatever is written over it: %j',
  async (options) => {
    const { client } = setUp();
    const buffer = Buffer.from('first');
    const context = { row: '1' };
    const encrypting = [client.encrypt(buffer, { context, ...options })];
    buffer.write('other');
    context.row = '2';
    encrypting.push(client.encrypt(buffer, { context, ...options }));
    buffer.fill(0);
    context.row = '3';
    const [first, second] = await Promise.all(encrypting);
    expect(await client.decryptText(first ?? '', { context: { row: '1' } })).toBe('first');
    expect(await client.decryptText(second ?? '', { context: { row: '2' } })).toBe('other');
  },
);

test('a ciphertext is the one that was given, whatever is written over it', async () => {
  const { client, make } = setUp();
  const context = { row: '1' };
  const written = [
    await client.encryptBytes('first', { context }),
    await client.encryptBytes('other', { context: { row: '2' } }),
  ];
  const reader = make();
  const buffer = Buffer.alloc(written[0]?.length ?? 0);
  const reading = written.map((ciphertext, at) => {
    buffer.set(ciphertext);
    context.row = `${at + 1}`;
    return reader.decryptText(buffer, { context });
  });
  buffer.fill(0);
  context.row = '3';
  expect(await Promise.all(reading)).toEqual(['first', 'other']);
});

test('a data key is bound to the context that was given, whatever becomes of the object', async () => {
  const { client, make } = setUp();
  const wrapContext = { user: '1' };
  const encrypting = client.encrypt('x', { wrapContext });
  wrapContext.user = '2';
  const other = client.encrypt('y', { wrapContext });
  wrapContext.user = '3';
  const bundles = await Promise.all([encrypting, other]);
  const reading = bundles.map((bundle, at) =>
    make().decryptText(bundle, { wrapContext: { user: `${at + 1}` } }),
  );
  expect(await Promise.all(reading)).toEqual(['x', 'y']);
});

test('a data key that is renewed is bound to what the first was bound to', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { client, make, service } = setUp();
  const wrapContext = { user: '1' };
  await client.prime({ keep: true, wrapContext });
  wrapContext.user = '2';
  await vi.advanceTimersByTimeAsync(4.5 * 60_000);
  vi.useRealTimers();
  await vi.waitFor(() => expect(service.requests).toHaveLength(2));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const bundle = client.encryptSync('x', { wrapContext: { user: '1' } });
  expect(await make().decryptText(bundle, { wrapContext: { user: '1' } })).toBe('x');
});

test.each([{ user: undefined }, new Map([['user', '1']]), ['user'], { user: 1 }])(
  'a data key is bound to what is asked for, or not made: %j',
  async (wrapContext) => {
    const { client, service } = setUp();
    const options = { wrapContext: wrapContext as never };
    const wrapped = { ...(await client.wrap(new Uint8Array(32))) };
    const before = service.requests.length;
    const calls = [
      client.encrypt('x', options),
      client.encrypt('x', { ...options, fresh: true }),
      client.wrap(new Uint8Array(32), options),
      client.unwrap(wrapped, options),
      client.prime(options),
    ];
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({ reason: { code: 'input' } });
    }
    expect(service.requests).toHaveLength(before);
  },
);

test('an item that is none fails alone', async () => {
  const { client } = setUp();
  const nothing = [null, undefined, 7, {}, { value: null }] as unknown as string[];
  const sealed = await client.encryptMany([...nothing, 'x']);
  expect(sealed.map((result) => result.ok || result.error.code)).toEqual([
    ...nothing.map(() => 'input'),
    true,
  ]);
  const last = sealed.at(-1);
  const opened = await client.decryptMany([...nothing, last?.ok ? last.value : '']);
  expect(opened.map((result) => result.ok || result.error.code)).toEqual([
    ...nothing.map(() => 'input'),
    true,
  ]);
});

test('a data key that is handed out shares no memory', async () => {
  const { client } = setUp();
  const wrapped = await client.wrap(new Uint8Array(32).fill(7));
  const dek = await client.unwrap(wrapped);
  expect(dek).toEqual(new Uint8Array(32).fill(7));
  for (const { buffer, length } of [dek, wrapped.wrappedKey]) expect(buffer.byteLength).toBe(length);
});

test('a message that asks for a data key of its own is not encrypted without one', async () => {
  const { client } = setUp();
  await client.prime();
  expect(() => client.encryptSync('x', { fresh: true })).toThrow(
    expect.objectContaining({ code: 'not_primed' }),
  );
});

test('priming without a key, and with what is no ciphertext, breaks one promise and no other', async () => {
  const broken = vi.fn();
  process.on('unhandledRejection', broken);
  const client = new EaasClient(createTestService());
  await expect(client.prime({ ciphertexts: ['none'], encrypt: true })).rejects.toBeInstanceOf(InputError);
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', broken);
  expect(broken).not.toHaveBeenCalled();
});

test.each<[string, Partial<EaasClientOptions>]>([
  [
    'throws',
    {
      onEvent: () => {
        throw new Error('no');
      },
    },
  ],
  [
    'breaks its promise',
    {
      onEvent: () => Promise.reject(new Error('no')) as never,
    },
  ],
  [
    'is a logger that throws',
    {
      logger: {
        debug: () => {
          throw new Error('no');
        },
        warn: () => undefined,
      },
    },
  ],
])('an observer that %s fails nothing, and hides nothing from another', async (_, options) => {
  const broken = vi.fn();
  process.on('unhandledRejection', broken);
  const seen = vi.fn();
  const { client } = setUp({ onEvent: seen, logger: { debug: seen, warn: seen }, ...options });
  await client.encrypt('x');
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', broken);
  expect(broken).not.toHaveBeenCalled();
  expect(seen).toHaveBeenCalled();
});

test.each([
  { encrypt: { milliseconds: 0 } },
  { encrypt: { milliseconds: Number.NaN } },
  { encrypt: { bytes: 0 } },
  { encrypt: { bytes: Number.NaN } },
  { decrypt: { milliseconds: 0 } },
  { decrypt: { entries: -1 } },
])('a limit of nothing is not taken for none: %j', (cache) => {
  expect(() => setUp({ cache })).toThrow(InputError);
});

test.each([
  { key_version: 'x' },
  { key_version: -1 },
  { wrapped_key: '' },
  { wrapped_key: 'A'.repeat(2_000) },
])('a wrapped key that makes no sense is an error of the service: %j', async (nonsense) => {
  const answer = { wrapped_key: 'AAAA', key_version: 1 };
  const { client } = setUp({
    fetch: async (input) => {
      const key_id = (input as Request).url.split('/').at(-2);
      return Response.json({ ...answer, key_id, ...nonsense });
    },
  });
  for (const call of [() => client.encrypt('x'), () => client.wrap(new Uint8Array(32))]) {
    const error: unknown = await call().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_response' });
  }
});
