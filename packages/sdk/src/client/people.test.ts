import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  all,
  arrivals,
  observedClient,
  outcomesOf,
  range,
  routesOf,
  spiedClient,
  valuesOf,
  watchedEngine,
} from '../../test/observed-client.ts';
import { EaasClient, InputError } from '../index.ts';
import { inside } from './inside.ts';
import { decryptBlob, encryptBlob, rewrapHead } from '../stream/stream.ts';

const subject = 'patient 42';

afterEach(() => void vi.useRealTimers());

const headOf = (wrapped: string): string => Buffer.from(wrapped, 'base64').subarray(0, 2).toString('hex');

describe('a value with a subject', () => {
  test('opens only with its subject', async () => {
    const { client, make } = await observedClient();
    const bundle = await client.encrypt('x', { subject, as: 'bundle' });
    expect(headOf(bundle.wrapped_key)).toBe('0102');
    // As after a restored backup, which also lost the person.
    for (const reader of [make(), make({ half: new Uint8Array(32).fill(1) })]) {
      await expect(reader.decrypt(bundle, { subject: 'patient 43' })).rejects.toMatchObject({
        code: 'decryption',
        message: expect.stringContaining('The service has no secret for this subject'),
      });
    }
    await client.encrypt('y', { subject: 'patient 43' });
    for (const reader of [client, make()]) {
      await expect(reader.decrypt(bundle, { subject: 'patient 43' })).rejects.toMatchObject({
        code: 'decryption',
        message: expect.stringContaining('or for another person'),
      });
      await expect(reader.decrypt(bundle)).rejects.toThrow(/belongs to a person: pass `subject`/);
      expect(await reader.decrypt(bundle, { subject, as: 'text' })).toBe('x');
      // The data key is now in memory, and still opens nothing for others.
      await expect(reader.decrypt(bundle, { subject: 'patient 43' })).rejects.toMatchObject({
        code: 'decryption',
      });
      await expect(reader.decrypt(bundle)).rejects.toBeInstanceOf(InputError);
    }
  });

  test('a value of nobody refuses a subject before any request', async () => {
    const { client, service } = await observedClient();
    const bundle = await client.encrypt('x');
    const before = service.requests.length;
    await expect(client.decrypt(bundle, { subject })).rejects.toThrow(
      /belongs to nobody: leave out `subject`/,
    );
    const wrapped = await client.wrap(new Uint8Array(32).fill(7));
    await expect(client.unwrap(wrapped, { subject })).rejects.toThrow(/belongs to nobody/);
    await expect(client.rewrap(bundle, { subject })).rejects.toThrow(/belongs to nobody/);
    expect(service.requests).toHaveLength(before + 1);
  });

  test('each call that has a context has a subject', async () => {
    const { client, keyId } = await observedClient();
    await client.prime({ subject });
    const bundle = client.encryptSync('x', { subject });
    expect(() => client.encryptSync('x')).toThrow(expect.objectContaining({ code: 'not_primed' }));
    await client.prime({ ciphertexts: [bundle], subject });
    expect(client.decryptSync(bundle, { subject, as: 'text' })).toBe('x');
    expect(() => client.decryptSync(bundle)).toThrow(/pass `subject`/);
    expect(() => client.decryptSync(bundle, { subject: 'other' })).toThrow(
      expect.objectContaining({ code: 'not_primed' }),
    );
    await client.keys.rotate(keyId);
    await expect(client.rewrap(bundle)).rejects.toThrow(/pass `subject`/);
    const rewrapped = await client.rewrap(bundle, { subject });
    expect(rewrapped).toMatchObject({ keyVersion: 2, rewrapped: true });
    expect(await client.decrypt(rewrapped, { subject, as: 'text' })).toBe('x');
    const dek = new Uint8Array(32).fill(7);
    const wrapped = await client.wrap(dek, { subject });
    expect(await client.unwrap(wrapped, { subject })).toEqual(dek);
    await expect(client.unwrap(wrapped)).rejects.toThrow(/pass `subject`/);
  });

  test('streams have a subject', async () => {
    const { client, keyId } = await observedClient();
    const { stream } = await encryptBlob(client, new Blob(['a film']), { subject });
    const file = new Uint8Array(await new Response(stream).arrayBuffer());
    const open = async (options: object) =>
      new Response((await decryptBlob(client, new Blob([file]), options)).stream).text();
    expect(await open({ subject })).toBe('a film');
    await expect(open({})).rejects.toThrow(/pass `subject`/);
    await expect(open({ subject: 'other' })).rejects.toMatchObject({ code: 'decryption' });
    await client.keys.rotate(keyId);
    const { head } = await rewrapHead(client, file, { subject });
    file.set(head);
    expect(await open({ subject })).toBe('a film');
  });
});

describe('data keys', () => {
  test('no two subjects share one, and a batch fetches all of them', async () => {
    const { client, sent, make } = await spiedClient();
    const items = range(50).map((n) => ({ value: `${n}`, subject: `patient ${n % 25}` }));
    const bundles = valuesOf(await client.encryptMany(items, { as: 'bundle' }));
    expect(new Set(bundles.map(({ wrapped_key }) => wrapped_key)).size).toBe(25);
    const stored = bundles.map(({ ciphertext }, n) => ({ ciphertext, subject: `patient ${n % 25}` }));
    const texts = valuesOf(await make().decryptMany(stored, { as: 'text' }));
    expect(texts).toEqual(range(50).map(String));
    expect(sent.map(({ path }) => path)).toEqual(['wrap', 'unwrap']);
    const [wraps, unwraps] = sent.map(({ body }) => body['items'] as { subject: string }[]);
    for (const batch of [wraps, unwraps]) {
      expect(batch?.map((item) => item.subject)).toEqual(range(25).map((n) => `patient ${n}`));
    }
    await make().encrypt('x', { subject });
    expect(sent.at(-1)?.body).toMatchObject({ subject });
  });
});

describe('the name of a subject', () => {
  test.each([
    ['an empty text', ''],
    ['a control character', 'a\nb'],
    ['258 bytes in 86 characters', '€'.repeat(86)],
    ['null', null],
    ['undefined', undefined],
  ])('refuses %s before any request, and does not show it', async (_, value) => {
    const { client, service } = await observedClient();
    const options = { subject: value as string };
    const bundle = { ciphertext: '', key_id: String(client.keyId), key_version: 1 };
    const calls = [
      () => client.encrypt('x', options),
      () => client.encryptMany(['x'], options),
      () => client.decrypt('eaas', options),
      () => client.wrap(new Uint8Array(32), options),
      () => client.rewrap('eaas', options),
      () => client.prime(options),
      () => client.serverMode.encrypt({ key_id: String(client.keyId), plaintext: 'x', ...options }),
      () => client.serverMode.decrypt({ ...bundle, ...options }),
      // @ts-expect-error nobody is named by leaving `subject` out
      () => client.serverMode.decrypt({ ...bundle, subject: undefined }),
      () => client.subjects.show(options),
      () => client.subjects.erase(options),
      async () => client.encryptSync('x', options),
      async () => client.as(value as string),
    ];
    for (const call of calls) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InputError);
      expect(String(error)).toMatch(/1 to 256 bytes of UTF-8/);
      expect(String(error)).not.toContain(value || 'no value');
    }
    const [item] = await client.encryptMany([{ value: 'x', ...options }]);
    expect(item).toMatchObject({ ok: false, error: { code: 'input' } });
    expect(service.requests).toEqual([]);
  });

  test('is in no URL, event and error', async () => {
    const { make, sent, events } = await spiedClient();
    const [canary, user] = ['canary-subject', 'canary-user'];
    const client = make().as(user);
    const bundle = await client.encrypt('x', { subject: canary });
    await client.subjects.show({ subject: canary });
    const refused = [
      () => make().decrypt(bundle, { subject: `${canary}-other` }),
      () => client.rewrap('eaas', { subject: canary }),
      () => client.subjects.show({ subject: `${canary}-unknown` }),
      () => client.subjects.erase({ subject: canary }).then(() => client.encrypt('x', { subject: canary })),
      () => make().decrypt(bundle, { subject: canary }),
      () => client.wrap(new Uint8Array(3), { subject: canary }),
    ];
    const errors: unknown[] = [];
    for (const call of refused) errors.push(await call().catch((error: unknown) => error));
    expect(errors.every((error) => error instanceof Error)).toBe(true);
    expect(await all(client.audit.report({ subject: canary }))).not.toEqual([]);
    expect(sent.length).toBeGreaterThan(5);
    const shown = inspect([errors, events, sent.map(({ url }) => url)], { depth: 9, showHidden: true });
    expect(shown).toContain('/v1/audit');
    expect(shown).not.toContain('canary');
  });

  test('accepts 256 bytes, and compares exactly', async () => {
    const { client } = await observedClient();
    for (const name of ['a'.repeat(256), '€'.repeat(85), 'é']) {
      const bundle = await client.encrypt('x', { subject: name });
      expect(await client.decrypt(bundle, { subject: name, as: 'text' })).toBe('x');
      await expect(
        client.decrypt(bundle, { subject: name.normalize('NFD').slice(0, 2) }),
      ).rejects.toMatchObject({ code: 'decryption' });
    }
  });

  test('is one person in upper and lower case, if it is a UUID', async () => {
    const { client, make, service } = await observedClient();
    const lower = '5b7c6e3a-1f0d-4c2b-9a8e-0123456789ab';
    const upper = lower.toUpperCase();
    const first = await client.encrypt('x', { subject: upper, as: 'bundle' });
    const second = await client.encrypt('y', { subject: lower, as: 'bundle' });
    expect(second.wrapped_key).toBe(first.wrapped_key);
    await client.prime({ subject: upper, ciphertexts: [first] });
    expect(client.decryptSync(first, { subject: lower, as: 'text' })).toBe('x');
    expect(routesOf(service).filter((route) => /(?:wrap|unwrap)$/.test(route))).toHaveLength(2);
    expect(await client.subjects.show({ subject: upper })).toEqual(
      await client.subjects.show({ subject: lower }),
    );
    await client.subjects.erase({ subject: upper });
    const asked = service.requests.length;
    for (const subject of [lower, upper]) {
      await expect(client.decrypt(first, { subject })).rejects.toMatchObject({ code: 'subject_erased' });
    }
    expect(service.requests).toHaveLength(asked);
    const rows = await all(make().audit.report({ subject: upper }));
    expect(rows.map(({ action }) => action)).toEqual(['subject.erase', 'key.unwrap', 'key.wrap']);
  });
});

describe('users', () => {
  test('a user is sent with each request, once for a batch', async () => {
    const { client, sent, make } = await spiedClient();
    const bundle = await make().encrypt('x');
    sent.length = 0;
    const seven = client.as('7');
    expect(seven).toBeInstanceOf(EaasClient);
    expect([seven.user, client.user, seven.keyId]).toEqual(['7', undefined, client.keyId]);
    await seven.decrypt(bundle);
    await seven.encryptMany(['x', 'y'], { fresh: true });
    await seven.rewrap(bundle);
    await seven.unwrap(await seven.wrap(new Uint8Array(32)));
    await seven.serverMode.encrypt({ key_id: String(client.keyId), plaintext: 'x' });
    expect(sent.map(({ path, body }) => [path, body['user']])).toEqual(
      ['unwrap', 'wrap', 'rewrap', 'wrap', 'unwrap', 'encrypt'].map((path) => [path, '7']),
    );
    expect(sent[1]?.body['items']).not.toContainEqual(expect.objectContaining({ user: '7' }));
  });

  test('each user unwraps for themselves, and all share the data key for encryption', async () => {
    const { client, service } = await observedClient();
    const bundle = await client.as('7').encrypt('x');
    await client.as('8').encrypt('y');
    expect(routesOf(service).filter((route) => route.endsWith('/wrap'))).toHaveLength(1);
    for (const user of ['7', '8', '7', '8']) await client.as(user).decrypt(bundle);
    await client.decrypt(bundle);
    expect(routesOf(service).filter((route) => route.endsWith('/unwrap'))).toHaveLength(3);
    const { logs } = await client.audit.page();
    const users = logs.map(({ metadata }) => metadata['user']);
    expect(new Set(users).size).toBe(3);
  });

  test('concurrent calls of two users are two batches', async () => {
    const { client, sent } = await spiedClient();
    const encrypt = (user: string) => client.as(user).encryptMany(['x', 'y'], { fresh: true });
    await Promise.all([encrypt('7'), encrypt('8'), client.encryptMany(['x', 'y'], { fresh: true })]);
    expect(sent.map(({ body }) => [body['user'], (body['items'] as object[]).length])).toEqual([
      ['7', 2],
      ['8', 2],
      [undefined, 2],
    ]);
  });

  test('users of a client share the bound of its cache', async () => {
    const { client, service } = await observedClient({ cache: { decrypt: { maxEntries: 2 } } });
    const bundle = await client.encrypt('x');
    for (const user of ['1', '2', '1', '3', '1']) await client.as(user).decrypt(bundle);
    expect(routesOf(service).filter((route) => route.endsWith('/unwrap'))).toHaveLength(3);
    await client.as('2').decrypt(bundle);
    expect(routesOf(service).filter((route) => route.endsWith('/unwrap'))).toHaveLength(4);
  });

  test('`requireUser` refuses calls without a user, also from memory', async () => {
    const { make } = await observedClient();
    const client = make({ requireUser: true });
    const seven = client.as('7');
    expect([client, seven, make()].map((one) => one[inside].needsUser)).toEqual([true, false, false]);
    const bundle = await seven.encrypt('x', { as: 'bundle' });
    await seven.decrypt(bundle);
    const calls = [
      () => client.encrypt('x'),
      () => client.encryptMany(['x']),
      () => client.decrypt(bundle),
      () => client.decryptMany([bundle.ciphertext]),
      () => client.wrap(new Uint8Array(32)),
      () => client.unwrap({ keyId: bundle.key_id, keyVersion: 1, wrappedKey: new Uint8Array(78) }),
      () => client.rewrap(bundle),
      () => client.prime(),
      () => client.serverMode.decrypt({ ...bundle }),
      async () => client.encryptSync('x'),
      async () => client.decryptSync(bundle),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(/call `as\(userId\)` of the client/);
    expect(await seven.decrypt(bundle, { as: 'text' })).toBe('x');
    await client.hash('x');
  });

  test('closing one of them closes all', async () => {
    const { client } = await observedClient();
    await client.as('7').close();
    await expect(client.encrypt('x')).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('`subjects`', () => {
  test('shows a subject by its name and its id, and erases it once', async () => {
    const { client } = await observedClient();
    await client.encrypt('x', { subject });
    const shown = await client.subjects.show({ subject });
    expect(shown).toMatchObject({ subject_id: expect.stringMatching(/^[0-9a-f]{64}$/), erased_at: null });
    expect(await client.subjects.show({ subjectId: shown.subject_id })).toEqual(shown);
    const erased = await client.subjects.erase({ subject });
    expect(await client.subjects.erase({ subjectId: shown.subject_id })).toEqual(erased);
  });

  test('is remembered as erased: no call about the person is a request again', async () => {
    const { client, make, service } = await observedClient();
    const bundle = await client.encrypt('x', { subject, as: 'bundle' });
    const wrapped = await client.wrap(new Uint8Array(32), { subject });
    const input = { key_id: String(client.keyId), subject };
    const send = (from: EaasClient) => from.serverMode.encrypt({ ...input, plaintext: 'x' });
    await client.subjects.erase({ subject });
    // The first refusal is enough, of a wrap as of an unwrap, and of what the service encrypts.
    const [wrapping, unwrapping, sending] = [make(), make(), make()];
    await wrapping.encrypt('x', { subject }).catch(() => undefined);
    await unwrapping
      .as('7')
      .decrypt(bundle, { subject })
      .catch(() => undefined);
    await send(sending).catch(() => undefined);
    for (const reader of [client, wrapping, unwrapping, sending]) {
      const asked = service.requests.length;
      const calls = [
        () => reader.encrypt('x', { subject, fresh: true }),
        () => reader.rewrap(bundle, { subject }),
        () => reader.unwrap(wrapped, { subject }),
        () => reader.as('8').decrypt(bundle, { subject }),
        () => send(reader),
        () => reader.serverMode.decrypt({ ...bundle, subject }),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({
          code: 'subject_erased',
          status: 409,
          retryable: false,
          message: expect.stringContaining('A person who returns needs a new subject'),
        });
      }
      const many = await reader.decryptMany([bundle.ciphertext, bundle.ciphertext], { subject });
      expect(outcomesOf(many)).toEqual(['subject_erased', 'subject_erased']);
      expect(service.requests).toHaveLength(asked);
    }
    await client.encrypt('x', { subject: 'somebody else' });
  });

  test.each<[string, (reader: EaasClient, ciphertext: string) => Promise<unknown>]>([
    ['a refused unwrap', (reader, ciphertext) => reader.decrypt(ciphertext, { subject })],
    ['a refused wrap', (reader) => reader.encrypt('x', { subject, fresh: true })],
    ['a refused rewrap', (reader, ciphertext) => reader.rewrap(ciphertext, { subject })],
  ])('that %s tells of ends the data keys of the person that are in memory', async (_, learn) => {
    const watched = watchedEngine();
    const { client, make, service } = await observedClient({ engines: watched.engines });
    const bundle = await client.encrypt('x', { subject, as: 'bundle' });
    const other = await client.encrypt('x', { subject, fresh: true });
    const reader = make();
    const seven = reader.as('7');
    await reader.prime({ subject });
    for (const user of [reader, seven]) await user.prime({ ciphertexts: [bundle], subject });
    await client.subjects.erase({ subject });
    reader.encryptSync('y', { subject });
    expect(seven.decryptSync(bundle, { subject, as: 'text' })).toBe('x');
    await expect(learn(reader, other)).rejects.toMatchObject({ code: 'subject_erased' });
    const asked = service.requests.length;
    const calls = [
      () => reader.encrypt('x', { subject }),
      () => reader.decrypt(bundle, { subject }),
      () => seven.decrypt(bundle, { subject }),
      async () => reader.encryptSync('x', { subject }),
      async () => seven.decryptSync(bundle, { subject }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'subject_erased' });
    expect(service.requests).toHaveLength(asked);
    expect(watched.live()).toEqual([]);
  });

  test.each([
    ['the erasure of the person by name', (client: EaasClient) => client.subjects.erase({ subject }), 0],
    ['the erasure by id', (client: EaasClient, subjectId: string) => client.subjects.erase({ subjectId }), 1],
  ])('%s ends a data key that is on its way: no later call gets it', async (_, erase, asks) => {
    const { client, make, service } = await observedClient();
    const bundle = await client.encrypt('x', { subject, as: 'bundle' });
    const { subject_id } = await client.subjects.show({ subject });
    let arrive = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const held: typeof fetch = async (...request) => {
      const response = await service.fetch(...request);
      if (service.requests.at(-1)?.route?.endsWith('/unwrap')) await gate;
      return response;
    };
    const reader = make({ fetch: held });
    const early = reader.decrypt(bundle, { subject, as: 'text' });
    while (!routesOf(service).some((route) => route.endsWith('/unwrap'))) await arrivals(1);
    await erase(reader, subject_id);
    const asked = service.requests.length;
    const late = reader.decrypt(bundle, { subject }).catch((error: unknown) => error);
    await arrivals();
    expect(service.requests).toHaveLength(asked + asks);
    arrive();
    expect(await early).toBe('x');
    for (const call of [late, reader.decrypt(bundle, { subject }).catch((error: unknown) => error)]) {
      expect(await call).toMatchObject({ code: 'subject_erased' });
    }
  });

  test('an unknown subject is `not_found`, and with `create` it is erased beforehand', async () => {
    const { client } = await observedClient();
    await expect(client.subjects.erase({ subject })).rejects.toMatchObject({ code: 'not_found' });
    await expect(client.subjects.show({ subject })).rejects.toMatchObject({ code: 'not_found' });
    await client.subjects.erase({ subject }, { create: true });
    await expect(client.encrypt('x', { subject })).rejects.toMatchObject({ code: 'subject_erased' });
  });

  test('two names of one person are refused', async () => {
    const { client } = await observedClient();
    const both = { subject: 'a', subjectId: 'b'.repeat(64) } as never;
    for (const method of ['show', 'erase'] as const) {
      await expect(client.subjects[method](both)).rejects.toThrow(/either `subject` or `subject_id`/);
    }
  });

  test.each([
    ['its name', (id: string) => ({ subject: id ? subject : '' }), []],
    ['its id', (id: string) => ({ subjectId: id }), [{ status: 409 }]],
  ])(
    'an erasure by %s overwrites the data keys of the person, and keeps the others',
    async (_, nameOf, asks) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const watched = watchedEngine();
      const { client, service } = await observedClient({ engines: watched.engines });
      const seven = client.as('7');
      const bundle = await client.encrypt('x', { subject, as: 'bundle' });
      const { subject_id } = await client.subjects.show({ subject });
      await client.decrypt(bundle, { subject });
      await seven.decrypt(bundle, { subject });
      const nobody = await client.encrypt('x');
      await client.decrypt(nobody);
      await client.prime({ subject, keep: true });
      const before = watched.live().length;
      expect(before).toBeGreaterThanOrEqual(5);
      await client.subjects.erase(nameOf(subject_id));
      await arrivals(5);
      expect(watched.live()).toHaveLength(2);
      const asked = service.requests.length;
      await client.decrypt(nobody);
      // The next data key of `prime({ keep: true })` is refused, by the client itself if it knows the name of the person.
      await vi.advanceTimersByTimeAsync(120_000);
      await arrivals(20);
      await vi.advanceTimersByTimeAsync(600_000);
      await arrivals(20);
      expect(service.requests.slice(asked)).toMatchObject(asks);
      await client.close();
    },
  );
});
