import { afterEach, describe, expect, test, vi } from 'vitest';
import { observedClient, outcomesOf, watchedEngine } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';

const minute = 60_000;

afterEach(() => void vi.useRealTimers());

describe('synchronous calls', () => {
  test('synchronous calls use primed data keys, send no request, and throw `not_primed` before and after', async () => {
    vi.useFakeTimers();
    const { service, client } = await observedClient();
    const context = { row: '1' };
    const ciphertext = await client.encrypt('x', { context });
    expect(() => client.decryptSync(ciphertext, { context })).toThrow(/client\.prime/);
    await client.prime({ ciphertexts: [ciphertext] });
    await client.prime();
    const before = service.requests.length;
    expect(client.decryptSync(ciphertext, { as: 'text', context })).toBe('x');
    const own = client.encryptSync('y', { context });
    expect(() => client.encryptSync('y', { fresh: true })).toThrow('a fresh data key: use `encrypt`');
    vi.setSystemTime(Date.now() + 6 * minute);
    for (const call of [() => client.encryptSync('y'), () => client.decryptSync(ciphertext, { context })]) {
      expect(call).toThrow(expect.objectContaining({ code: 'not_primed' }));
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(service.requests).toHaveLength(before);
    expect(await client.decrypt(own, { as: 'text', context })).toBe('y');
  });

  test('`prime` throws if the cache keeps no data key', async () => {
    const { client, make } = await observedClient();
    const ciphertext = await client.encrypt('x');
    await expect(make({ cache: { encrypt: false } }).prime()).rejects.toBeInstanceOf(InputError);
    const keepsNone = make({ cache: { decrypt: false } });
    await expect(keepsNone.prime({ ciphertexts: [ciphertext] })).rejects.toBeInstanceOf(InputError);
  });
});

test('`close` overwrites the data keys and refuses later calls', async () => {
  const watched = watchedEngine();
  const { service, client } = await observedClient({ engines: watched.engines });
  const ciphertext = await client.encrypt('x');
  // A handler that serves one user closes nothing.
  for (const user of [client.as('nurse'), client.as('nurse').as('doctor')]) await user[Symbol.asyncDispose]();
  await client.decrypt(ciphertext);
  await client[Symbol.asyncDispose]();
  expect(watched.keys).toHaveLength(2);
  expect([watched.live(), watched.left()]).toEqual([[], []]);
  const before = service.requests.length;
  const calls = [client.encrypt('x'), client.decrypt(ciphertext), client.hash('x'), client.keys.page()];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ reason: { code: 'closed' } });
  }
  for (const call of [() => client.encryptSync('x'), () => client.decryptSync(ciphertext)]) {
    expect(call).toThrow(expect.objectContaining({ code: 'closed' }));
  }
  expect(service.requests).toHaveLength(before);
});

test.each([{}, { fresh: true }])(
  'overwriting a value or its context after the call of `encrypt` does not change the ciphertext: %j',
  async (options) => {
    const { client } = await observedClient();
    const buffer = Buffer.from('first');
    const context = { row: '1' };
    const encrypting = [client.encrypt(buffer, { context, ...options })];
    buffer.write('other');
    context.row = '2';
    encrypting.push(client.encrypt(buffer, { context, ...options }));
    buffer.fill(0);
    context.row = '3';
    const [first, second] = await Promise.all(encrypting);
    expect(await client.decrypt(first ?? '', { as: 'text', context: { row: '1' } })).toBe('first');
    expect(await client.decrypt(second ?? '', { as: 'text', context: { row: '2' } })).toBe('other');
  },
);

test('overwriting a ciphertext after the call of `decrypt` does not change the result', async () => {
  const { client, make } = await observedClient();
  const context = { row: '1' };
  const written = [
    await client.encrypt('first', { as: 'bytes', context }),
    await client.encrypt('other', { as: 'bytes', context: { row: '2' } }),
  ];
  const reader = make();
  const buffer = Buffer.alloc(written[0]?.length ?? 0);
  const reading = written.map((ciphertext, at) => {
    buffer.set(ciphertext);
    context.row = `${at + 1}`;
    return reader.decrypt(buffer, { as: 'text', context });
  });
  buffer.fill(0);
  context.row = '3';
  expect(await Promise.all(reading)).toEqual(['first', 'other']);
});

test('a renewed data key has the wrap context of `prime`, even if the caller changes the object', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { client, make, events } = await observedClient();
  const wrapContext = { user: '1' };
  await client.prime({ keep: true, wrapContext });
  wrapContext.user = '2';
  await vi.advanceTimersByTimeAsync(4.5 * 60_000);
  vi.useRealTimers();
  await expect.poll(() => events.filter(({ type }) => type === 'data_key.minted')).toHaveLength(2);
  const bundle = client.encryptSync('x', { wrapContext: { user: '1' } });
  expect(await make().decrypt(bundle, { as: 'text', wrapContext: { user: '1' } })).toBe('x');
});

test.each([new Map([['user', '1']]), { user: undefined }])(
  'an invalid context or wrap context is refused before a request: %j',
  async (given) => {
    const { client, make } = await observedClient();
    const ciphertext = await client.encrypt('x');
    const wrapped = await client.wrap(new Uint8Array(32));
    const send = vi.fn<typeof fetch>();
    const caller = make({ fetch: send });
    const context = given as never;
    const wrapContext = context;
    const one = [
      ...[{ context }, { wrapContext }].flatMap((options) => [
        caller.encrypt('x', options),
        caller.decrypt(ciphertext, options),
        caller.encryptMany(['x'], options),
        caller.decryptMany([ciphertext], options),
      ]),
      caller.wrap(new Uint8Array(32), { wrapContext }),
      caller.unwrap(wrapped, { wrapContext }),
      caller.prime({ wrapContext }),
    ];
    for (const result of await Promise.allSettled<unknown>(one)) {
      expect(result).toMatchObject({ reason: { code: 'input' } });
    }
    expect(outcomesOf(await caller.encryptMany([{ value: 'x', context }]))).toEqual(['input']);
    expect(outcomesOf(await caller.decryptMany([{ ciphertext, context }]))).toEqual(['input']);
    expect(send).not.toHaveBeenCalled();
  },
);

test('the other items of a call for many values succeed if one item is invalid', async () => {
  const { client } = await observedClient();
  const nothing = [null, undefined, 7, {}, { value: null }] as unknown as string[];
  const refused = nothing.map(() => 'input');
  const sealed = outcomesOf(await client.encryptMany([...nothing, 'x'], { as: 'bytes' }));
  expect(sealed).toEqual([...refused, expect.any(Uint8Array)]);
  const opened = await client.decryptMany([...nothing, sealed.at(-1) ?? ''], { as: 'text' });
  expect(outcomesOf(opened)).toEqual([...refused, 'x']);
});

test('a failed `prime` rejects once, without an unhandled rejection', async () => {
  const broken = vi.fn();
  process.on('unhandledRejection', broken);
  const { client } = await observedClient({ keyId: undefined });
  await expect(client.prime({ ciphertexts: ['none'], encrypt: true })).rejects.toBeInstanceOf(InputError);
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', broken);
  expect(broken).not.toHaveBeenCalled();
});
