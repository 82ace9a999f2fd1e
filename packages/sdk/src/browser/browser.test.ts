import { inspect } from 'node:util';
import { problem } from '@eaas/protocol/wire';
import { failureOf } from '@eaas/test-kit/failure-of';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type BrowserClientOptions, createBrowserClient, InputError } from './browser.ts';

const keyId = '00000000-0000-4000-8000-00000000000a';
const proxyUrl = 'https://app.example/api/eaas';
const secret = `eaas_sk_${'0'.repeat(49)}`;
const hash = 'ab'.repeat(32);

function setUp(
  options: BrowserClientOptions = {},
  answer: () => Response = () => Response.json({ hash, key_id: keyId }),
) {
  const sent: Request[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    sent.push(new Request(input, init));
    return answer();
  };
  return { sent, client: createBrowserClient({ proxyUrl, keyId, fetch, retries: 0, ...options }) };
}

function isRefusal(error: unknown): boolean {
  const shown = inspect(error, { depth: 9, showHidden: true });
  return error instanceof InputError && !shown.includes('eaas_sk_');
}

afterEach(() => vi.unstubAllGlobals());

describe('calls of the browser client', () => {
  test("the browser client sends a call to the app's proxy with the visitor's session", async () => {
    const { client, sent } = setUp();
    expect(await client.hash('Ada')).toBe(hash);
    const [request] = sent;
    expect(request?.url).toBe('https://app.example/api/eaas/v1/hash');
    expect(await request?.json()).toEqual({ key_id: keyId, value: 'Ada' });
    expect(request?.credentials).toBe('same-origin');
    expect(request?.redirect).toBe('manual');
    expect(request?.headers.get('authorization')).toBeNull();
  });

  test('the browser client calls /api/eaas at the origin of the page, also in a Blob worker', async () => {
    vi.stubGlobal('location', { href: 'blob:https://app.example/1-2-3', origin: 'https://app.example' });
    const { client, sent } = setUp({ proxyUrl: undefined });
    await client.hash('Ada');
    expect(sent[0]?.url).toBe('https://app.example/api/eaas/v1/hash');
  });

  test.each([
    ['an object', { 'X-CSRF-Token': 'one' }],
    ['a function', () => ({ 'X-CSRF-Token': 'one' })],
    ['an asynchronous function', async () => ({ 'x-csrf-token': 'one' })],
  ])('a call has the headers that %s sets', async (_, headers) => {
    const { client, sent } = setUp({ headers });
    await client.hash('Ada');
    expect(sent[0]?.headers.get('x-csrf-token')).toBe('one');
    expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  });
});

describe('API keys in a browser', () => {
  const refused = problem('permission_missing', 'The app does not let this session do this.');

  test.each<[string, object]>([
    ['in the URL of the proxy', { proxyUrl: `https://app.example/${secret}` }],
    ['in a header', { headers: { authorization: `Bearer ${secret}` } }],
    ['as the name of a header', { headers: { [secret]: '1' } }],
    ['in a Headers object', { headers: new Headers({ authorization: secret }) }],
    ['as the name of an option', { [secret]: 1 }],
  ])('an API key %s is refused and not shown', async (_, option) => {
    const creating = async () => createBrowserClient({ proxyUrl, ...option });
    expect(isRefusal(await failureOf(creating()))).toBe(true);
  });

  test.each([
    ['returns', async () => ({ 'x-token': secret })],
    ['returns with a line end', () => ({ 'x-token': `${secret}\n` })],
  ])('an API key in headers that `headers` %s is refused and not shown', async (_, headers) => {
    const { client, sent } = setUp({ headers });
    expect(isRefusal(await failureOf(client.hash('Ada')))).toBe(true);
    expect(sent).toEqual([]);
  });

  test('a response that only speaks of API keys is what it is', async () => {
    const refusal = problem('unauthorized', 'Send a valid API key as `Authorization: Bearer eaas_sk_…`.');
    const { client } = setUp({}, () => Response.json(refusal, { status: 401 }));
    expect(await failureOf(client.hash('Ada'))).toMatchObject({ code: 'unauthorized', status: 401 });
  });

  test('the browser client does not send a request that contains an API key', async () => {
    const { client, sent } = setUp();
    expect(isRefusal(await failureOf(client.hash(`key: ${secret}`)))).toBe(true);
    expect(isRefusal(await failureOf(client.hash('Ada', { keyId: secret })))).toBe(true);
    expect(isRefusal(await failureOf(client.encrypt('Ada', { wrapContext: { [secret]: '' } })))).toBe(true);
    expect(sent).toEqual([]);
  });

  test.each<[string, Response]>([
    ['in an unknown member of a result', Response.json({ hash, key_id: keyId, debug: { token: secret } })],
    [
      'in a header',
      Response.json({ hash, key_id: keyId }, { headers: { 'x-upstream': `Bearer ${secret}` } }),
    ],
    ['in the code of a refusal', Response.json({ ...refused, code: secret }, { status: 403 })],
    [
      'in a header of a refusal',
      Response.json(refused, { status: 403, headers: { 'x-request-id': secret } }),
    ],
    ['in a header of an empty response', new Response(null, { status: 204, headers: { 'x-token': secret } })],
  ])(
    'a response that contains an API key %s is refused, and no event or log line shows it',
    async (_, response) => {
      const shown: unknown[] = [];
      const observe = (...what: unknown[]): void => void shown.push(...what);
      const options = { onEvent: observe, logger: { debug: observe, warn: observe } };
      const { client } = setUp(options, () => response.clone());
      expect(isRefusal(await failureOf(client.hash('Ada')))).toBe(true);
      expect(shown).toContainEqual(expect.objectContaining({ code: 'input' }));
      expect(inspect(shown, { depth: 9, showHidden: true })).not.toContain('eaas_sk_');
    },
  );

  test('the browser client refuses an API key in a response that it would repeat, and does not repeat it', async () => {
    let attempts = 0;
    const { client } = setUp({ retries: 1 }, () =>
      attempts++ === 0
        ? new Response(secret, { status: 503, headers: { 'retry-after': '0' } })
        : Response.json({ hash, key_id: keyId }),
    );
    expect(isRefusal(await failureOf(client.hash('Ada')))).toBe(true);
    expect(attempts).toBe(1);
  });
});

test('the browser client refuses the option `apiKey`, unknown options, and a text', () => {
  // @ts-expect-error: a client in a browser has no option for an API key
  const make = () => createBrowserClient({ proxyUrl, apiKey: () => 'anything' });
  expect(make).toThrow(InputError);
  expect(() => createBrowserClient(secret as never)).toThrow(InputError);
  expect(() => createBrowserClient({ proxyUrl, keyID: keyId } as never)).toThrow('`keyID`');
});

test.each(['/api/eaas', 'https://app.example/api?a=1', 'https://user:pass@app.example/'])(
  'outside a web page, the constructor refuses the `proxyUrl` %j',
  (address) => {
    const make = () => createBrowserClient({ proxyUrl: address });
    expect(make).toThrow(InputError);
    expect(make).toThrow('create the client in the page');
  },
);
