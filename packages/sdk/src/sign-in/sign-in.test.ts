import { inspect } from 'node:util';
import { createTestService } from '@eaas/local';
import { problem } from '@eaas/protocol/wire';
import { failureOf } from '@eaas/test-kit/failure-of';
import { describe, expect, test, vi } from 'vitest';
import { type BrowserClientOptions, createBrowserClient } from '../browser/browser.ts';
import { arrivals, valuesOf } from '../../test/observed-client.ts';
import { EaasClient, type EaasEvent, type EnvelopeClient, type SignInOptions } from '../index.ts';
import { decryptBlob, encryptBlob } from '../stream/stream.ts';
const issuer = '00000000-0000-4000-8000-0000000000aa';
const baseUrl = 'https://eaas.example';

const textOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
let tokens = 0;

/** A token with a signature that is different each time. */
function tokenOf(sub: unknown, more: object = {}): string {
  const iat = Math.floor(Date.now() / 1_000);
  const times = { iat, exp: iat + 600 };
  const claims = { iss: 'https://sign-in.example', aud: 'https://app.example', sub, ...times, ...more };
  return `${textOf({ alg: 'ES256', kid: 'k2' })}.${textOf(claims)}.signature${tokens++}`;
}

const claimsIn = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as { sub: string };

const kinds = {
  EaasClient: (options: BrowserClientOptions): EnvelopeClient => new EaasClient(options),
  createBrowserClient,
};
type Kind = keyof typeof kinds;

/** A service that accepts tokens, and clients of it. `signedIn.token` is what the app's sign-in returns. */
async function setUp(kind: Kind = 'createBrowserClient') {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('people');
  const sent: { jwt: string; url: string; headers: string; body: Record<string, unknown> }[] = [];
  const refused = new Set<string>();
  const events: EaasEvent[] = [];
  const signedIn = { token: tokenOf('ann') as unknown, asked: 0 };
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const jwt = (request.headers.get('authorization') ?? '').replace('Bearer ', '');
    const text = await request.text();
    const headers = inspect([...request.headers]);
    const body = JSON.parse(text) as Record<string, unknown>;
    sent.push({ jwt, url: request.url, headers, body });
    const isOwn = ({ subject }: { subject?: string }): boolean => subject === claimsIn(jwt).sub;
    const items = (body['items'] ?? [body]) as { subject?: string }[];
    const isStaff = claimsIn(jwt).sub.startsWith('staff');
    if (request.headers.get('eaas-issuer') !== issuer || refused.has(jwt)) return answer('unauthorized');
    if (!isStaff && !items.every(isOwn)) return answer('permission_missing');
    const url = request.url.replace(baseUrl, service.baseUrl);
    const own = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
    return service.fetch(new Request(url, { method: request.method, headers: own, body: text }));
  };
  const options = {
    baseUrl,
    issuer,
    keyId,
    fetch,
    retries: 0,
    token: async () => {
      signedIn.asked++;
      return signedIn.token as string;
    },
    onEvent: (event: EaasEvent) => void events.push(event),
  };
  const make = (more: SignInOptions & Record<string, unknown> = {}): EnvelopeClient =>
    kinds[kind]({ ...options, ...more });
  const reader = (user: unknown) => make({ token: () => tokenOf(user) });
  return { service, keyId, sent, fetch, refused, events, signedIn, make, reader, client: make() };
}

function answer(code: 'unauthorized' | 'permission_missing'): Response {
  const body = problem(code, 'Send another token.');
  return Response.json(body, { status: body.status });
}

const failure = failureOf<Error & { code?: string }>;

describe.each(['EaasClient', 'createBrowserClient'] as const)('%s with the app’s sign-in', (kind) => {
  test('encrypts and decrypts for the signed-in user, and for nobody else', async () => {
    const { client, sent, reader } = await setUp(kind);
    const ciphertext = await client.encrypt('penicillin');
    expect(sent[0]?.body['subject']).toBe('ann');
    expect(sent[0]?.headers).not.toContain('eaas_sk_');
    expect(await client.decrypt(ciphertext, { as: 'text' })).toBe('penicillin');
    expect(await reader('ann').decrypt(ciphertext, { as: 'text' })).toBe('penicillin');
    await expect(reader('ben').decrypt(ciphertext)).rejects.toMatchObject({ code: 'decryption' });
    await expect(reader('ben').decrypt(ciphertext, { subject: 'ann' })).rejects.toMatchObject({
      code: 'permission_missing',
    });
  });
});

describe('a token that the service refuses', () => {
  test('is replaced once', async () => {
    const { make, refused, sent } = await setUp();
    const [old, fresh] = [tokenOf('ann'), tokenOf('ann')];
    refused.add(old);
    const given = [old, old, fresh];
    const ciphertext = await make({ token: () => given.shift() }).encrypt('x');
    expect(ciphertext).toMatch(/^eaasA/);
    expect(sent.map(({ jwt }) => jwt)).toEqual([old, fresh]);
  });

  test.each([
    ['the same token', 1, (token: string) => [token, token, token]],
    ['another one that is refused too', 2, (token: string) => [token, token, tokenOf('ann'), tokenOf('ann')]],
  ])('is an error if `token` returns %s', async (_, requests, listOf) => {
    const { make, refused, sent } = await setUp();
    const given = listOf(tokenOf('ann'));
    for (const token of given) refused.add(token);
    const error = await failure(make({ token: () => given.shift() }).encrypt('x'));
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(error.message).toContain(
      "the sign-in's token was refused (`iss` https://sign-in.example, `aud` https://app.example, `kid` k2, lifetime 600 s): " +
        `compare with \`eaas issuer show ${issuer}\`, which also has the keys in \`jwks\`: is this \`kid\` among them?`,
    );
    expect(sent).toHaveLength(requests);
  });

  test('is called expired if it is', async () => {
    const { make, refused } = await setUp();
    const token = tokenOf('ann', { exp: Math.floor(Date.now() / 1_000) - 90 });
    refused.add(token);
    const { message } = await failure(make({ token: () => token }).encrypt('x'));
    expect(message).toMatch(/it expired 9\d s ago by this clock, so `token` must return a fresh one/);
  });

  test('does not show claims that could name a person', async () => {
    const { make, refused } = await setUp();
    const token = tokenOf('ann', { aud: 'Ann Smith, 7 Church Lane' });
    refused.add(token);
    const { message } = await failure(make({ token: () => token }).encrypt('x'));
    expect(message).toContain('`aud` unusual');
    expect(message).not.toContain('Church');
  });

  test('is not replaced by the token of another user, for whom the value would be encrypted', async () => {
    const { make, refused, sent } = await setUp();
    const [ann, ben] = [tokenOf('ann'), tokenOf('ben')];
    const given = [ann, ann, ben];
    refused.add(ann);
    const error = await failure(make({ token: () => given.shift() }).encrypt('x'));
    expect(error.message).toContain('another user has signed in since this call: call again');
    expect(sent).toHaveLength(1);
  });
});

describe('the token of another user', () => {
  test.each<[string, (client: EnvelopeClient) => Promise<string>]>([
    ['encrypt', async (client) => await client.encrypt('x')],
    ['encryptMany', async (client) => valuesOf(await client.encryptMany(['x']))[0] ?? ''],
    ['prime', (client) => client.prime().then(() => client.encryptSync('x'))],
  ])('counts before %s writes under a data key of the first', async (_, write) => {
    const { make, reader } = await setUp();
    let user = 'ann';
    const tokens: Record<string, string> = { ann: tokenOf('ann'), ben: tokenOf('ben') };
    const named = vi.fn(({ sub = '' }: { sub?: string }) => sub);
    const client = make({ token: () => tokens[user], subject: named });
    const open = (of: EnvelopeClient, ciphertext: string) => of.decrypt(ciphertext, { as: 'text' });
    const first = await write(client);
    expect(await open(client, first)).toBe('x');
    user = 'ben';
    await expect(open(client, first)).rejects.toMatchObject({ code: 'decryption' });
    const second = await write(client);
    expect(await open(reader('ben'), second)).toBe('x');
    await expect(open(reader('ann'), second)).rejects.toMatchObject({ code: 'decryption' });
    user = 'nobody';
    for (const call of [() => open(client, second), () => write(client)]) {
      await expect(call()).rejects.toMatchObject({ code: 'unauthorized' });
    }
    expect(named).toHaveBeenCalledTimes(2);
  });

  test('arrives while a call has its value, which the caller can already change', async () => {
    const { client, signedIn } = await setUp();
    const [value, context] = [new Uint8Array([1, 2, 3]), { row: '1' }];
    const [call, many] = [client.encrypt(value, { context }), client.encryptMany([{ value, context }])];
    value.fill(0);
    context.row = '2';
    for (const ciphertext of [await call, ...valuesOf(await many)]) {
      expect(await client.decrypt(ciphertext, { context: { row: '1' } })).toEqual(new Uint8Array([1, 2, 3]));
    }
    const ciphertext = await call;
    signedIn.token = undefined;
    await expect(client.decryptMany([ciphertext], { context: { row: '1' } })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    await client.close();
    await expect(client.encrypt('x')).rejects.toMatchObject({ code: 'closed' });
  });

  test('is not overtaken by a late token of the first', async () => {
    const { make, service, sent } = await setUp();
    const waiting: ((token: string) => void)[] = [];
    const client = make({ token: () => new Promise<string>((resolve) => waiting.push(resolve)) });
    const asked = async (count: number) => {
      while (waiting.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const late = client.encrypt('x', { wrapContext: { n: '1' } });
    await asked(1);
    const next = client.encrypt('y', { wrapContext: { n: '2' }, as: 'bundle' });
    await asked(2);
    waiting[1]?.(tokenOf('ben'));
    await asked(3);
    waiting[2]?.(tokenOf('ben'));
    await next;
    waiting[0]?.(tokenOf('ann'));
    await expect(late).rejects.toThrow(/another user has signed in since this call: call again/);
    expect(sent.map(({ body }) => body['subject'])).toEqual(['ben']);
    const again = client.encrypt('y', { wrapContext: { n: '2' }, as: 'bundle' });
    await asked(4);
    waiting[3]?.(tokenOf('ben'));
    expect((await again).key_id).toBe((await next).key_id);
    expect(service.requests).toHaveLength(1);
  });

  test('removes data keys that are still on their way', async () => {
    const { make, sent, fetch } = await setUp();
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let user = 'ann';
    let isHeld = false;
    const held: typeof fetch = async (...request) => {
      const isLate = isHeld;
      isHeld = false;
      const response = await fetch(...request);
      if (isLate) await gate;
      return response;
    };
    const client = make({ fetch: held, token: () => tokenOf(user) });
    const ciphertext = await client.encrypt('x');
    isHeld = true;
    const late = client.decrypt(ciphertext, { as: 'text' });
    while (sent.length < 2) await new Promise((resolve) => setImmediate(resolve));
    user = 'ben';
    await client.encrypt('y', { wrapContext: { n: '2' } });
    const ofBen = client.decrypt(ciphertext).catch((error: unknown) => error);
    await arrivals();
    release();
    await expect(late).rejects.toThrow(/another user has signed in since this call/);
    for (const call of [ofBen, client.decrypt(ciphertext).catch((error: unknown) => error)]) {
      expect(await call).toMatchObject({ code: 'decryption' });
    }
    expect(sent.at(-1)?.body['subject']).toBe('ben');
  });

  test('also removes them when somebody signs out, and when only `subject` differs', async () => {
    const { make, sent } = await setUp();
    let given: string | null = tokenOf('staff:1', { of: 'a' });
    const client = make({ token: () => given, subject: ({ sub, of }) => `${sub}${String(of)}` });
    const ciphertext = await client.encrypt('x');
    await client.decrypt(ciphertext);
    given = tokenOf('staff:1', { of: 'b' });
    await client.encrypt('y', { wrapContext: { n: '2' } });
    await expect(client.decrypt(ciphertext)).rejects.toMatchObject({ code: 'decryption' });
    given = null;
    await expect(client.encrypt('z', { wrapContext: { n: '3' } })).rejects.toMatchObject({
      code: 'unauthorized',
    });
    const before = sent.length;
    given = tokenOf('staff:1', { of: 'b' });
    await client.encrypt('y', { wrapContext: { n: '2' } });
    expect(sent).toHaveLength(before + 1);
  });
});

test.each(['EaasClient', 'createBrowserClient'] as const)(
  '%s of a workload names people as with an API key',
  async (kind) => {
    const { make, sent } = await setUp(kind);
    const held = { token: tokenOf('staff of the shop') };
    const shop = make({ subject: null, token: () => held.token, requireUser: true });
    expect((await failure(shop.encrypt('x'))).message).toMatch(/`requireUser` is set/);
    const client = shop.as('7');
    const ciphertext = await client.encrypt('of nobody');
    expect(await client.decrypt(ciphertext, { as: 'text' })).toBe('of nobody');
    const ofAnn = await client.encrypt('of ann', { subject: 'ann' });
    held.token = tokenOf('staff of the shop');
    expect(await client.decrypt(ofAnn, { as: 'text', subject: 'ann' })).toBe('of ann');
    expect((await failure(client.decrypt(ofAnn))).message).toMatch(/belongs to a person: pass `subject`/);
    expect(sent.map(({ body }) => [body['subject'], body['user']])).toEqual([
      [undefined, '7'],
      [undefined, '7'],
      ['ann', '7'],
      ['ann', '7'],
    ]);
    expect(sent.at(-1)?.jwt).toBe(held.token);
  },
);

test('a stream is for the signed-in user', async () => {
  const { client, reader } = await setUp();
  const file = await new Response((await encryptBlob(client, new Blob(['x']))).stream).blob();
  const open = async (of: EnvelopeClient) => new Response((await decryptBlob(of, file)).stream).text();
  expect(await open(reader('ann'))).toBe('x');
  await expect(open(reader('ben'))).rejects.toMatchObject({ code: 'decryption' });
});

test('the subject of a user is a UUID in lower case, as the service reads it', async () => {
  const { make, sent } = await setUp();
  const id = '5b7c6e3a-1f0d-4c2b-9a8e-0123456789ab';
  await make({ token: () => tokenOf('staff:1'), subject: () => id.toUpperCase() }).encrypt('x');
  expect(sent[0]?.body['subject']).toBe(id);
});

test('staff name the person, and a value of nobody gets no subject', async () => {
  const { reader, service, keyId, sent } = await setUp();
  const staff = reader('staff:7');
  const ciphertext = await staff.encrypt('x', { subject: 'ann' });
  expect(await staff.decrypt(ciphertext, { subject: 'ann', as: 'text' })).toBe('x');
  await using plain = new EaasClient({ ...service, keyId });
  const old = await plain.encrypt('from before');
  expect(await staff.decrypt(old, { as: 'text' })).toBe('from before');
  expect(sent.map(({ body }) => body['subject'])).toEqual(['ann', 'ann', undefined]);
});

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /`token` returned no token: nobody is signed in/],
  ['an opaque token', 'ya29.a0AfH6SMBx', /must return a signed JWT with claims \(got another string\)/],
  ['a token without JSON', 'a.b.c', /must return a signed JWT/],
  ['a number', 7, /must return a signed JWT with claims \(got a number\)/],
  ['an API key', `eaas_sk_${'0'.repeat(49)}`, /got an API key\)?: pass it as `apiKey`/],
  ['a token without a subject', tokenOf(undefined), /has no claim `sub`: pass `subject: \(claims\) => …`/],
])('%s instead of a token is an error before any request', async (_, token, message) => {
  const { make, sent } = await setUp();
  expect((await failure(make({ token: () => token as string }).encrypt('x'))).message).toMatch(message);
  expect(sent).toEqual([]);
});

test('no token is in an error, an event or a URL, also if `token` throws one', async () => {
  const { make, refused, events, sent } = await setUp();
  const token = tokenOf('ann');
  refused.add(token);
  const errors = [
    await failure(make({ token: () => token }).encrypt('x')),
    await failure(make({ token: () => Promise.reject(new Error(`of ${token}`)) }).encrypt('x')),
    await failure(make({ token: () => `${token}.more` }).encrypt('x')),
    await failure(make({ token: () => tokenOf('ben') }).encrypt('x', { subject: 'ann' })),
  ];
  const shown = inspect([errors, events, sent.map(({ url }) => url)], { depth: 9, showHidden: true });
  expect(errors[1]?.message).toContain('the function that was passed as `token` threw an error');
  for (const part of token.split('.')) expect(shown).not.toContain(part);
});

describe.each(['EaasClient', 'createBrowserClient'] as const)('wrong options of %s', (kind) => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['an issuer alone', { token: undefined }, /a sign-in needs `issuer` and `token` \(got no `token`\)/],
    ['a token alone', { issuer: undefined }, /a sign-in needs `issuer` and `token` \(got no `issuer`\)/],
    [
      'an issuer that is no UUID',
      { issuer: 'https://sign-in.example' },
      /the UUID that `eaas issuer add` printed/,
    ],
    ['a token that is no function', { token: tokenOf('ann') }, /`?token`?/],
    ['requireUser', { requireUser: true }, /pass either `token` or `requireUser`/],
    kind === 'EaasClient'
      ? ['an API key', { apiKey: () => 'x' }, /pass either `token` or `apiKey`/]
      : ['a proxy', { proxyUrl: '/api/eaas' }, /pass either `token` or `proxyUrl`/],
  ])('%s', async (_, options, message) => {
    const { make } = await setUp(kind);
    expect(() => make(options)).toThrow(message);
  });

  test('`as`, because the token names the user', async () => {
    const { client } = await setUp(kind);
    expect(() => client.as('7')).toThrow('the token names the user: do not call `as`');
  });
});
