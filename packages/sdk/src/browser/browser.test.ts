import { inspect } from 'node:util';
import { problem } from '@eaas/protocol/wire';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { EaasBrowserClient, type EaasBrowserClientOptions, EaasError, InputError } from './browser.ts';

const keyId = '00000000-0000-4000-8000-00000000000a';
const proxyUrl = 'https://app.example/api/eaas';
const secret = `eaas_sk_${'0'.repeat(49)}`;
const hash = 'ab'.repeat(32);

/** A client, and what it sends to a proxy of one answer. */
function setUp(
  options: EaasBrowserClientOptions = {},
  answer: () => Response = () => Response.json({ hash, key_id: keyId }),
) {
  const sent: Request[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    sent.push(new Request(input, init));
    return answer();
  };
  return { sent, client: new EaasBrowserClient({ proxyUrl, keyId, fetch, retries: 0, ...options }) };
}

/** What a call throws. */
async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Whether it is the refusal of a key, and shows none. */
function isRefusal(error: unknown): boolean {
  const shown = inspect(error, { depth: 9, showHidden: true });
  return error instanceof InputError && !shown.includes('eaas_sk_');
}

afterEach(() => vi.unstubAllGlobals());

describe('a call', () => {
  test("goes to the app's proxy, with the visitor's session and nothing that names the service", async () => {
    const { client, sent } = setUp();
    expect(await client.hash('Ada')).toBe(hash);
    const [request] = sent;
    expect(request?.url).toBe('https://app.example/api/eaas/v1/hash');
    expect(await request?.json()).toEqual({ key_id: keyId, value: 'Ada' });
    expect(request?.credentials).toBe('same-origin');
    expect(request?.redirect).toBe('manual');
    expect(request?.headers.get('authorization')).toBeNull();
  });

  test('goes to /api/eaas of the page where nothing else is said, in a worker made from a blob too', async () => {
    vi.stubGlobal('location', { href: 'blob:https://app.example/1-2-3', origin: 'https://app.example' });
    const { client, sent } = setUp({ proxyUrl: undefined });
    await client.hash('Ada');
    expect(sent[0]?.url).toBe('https://app.example/api/eaas/v1/hash');
  });

  test.each([
    ['an object', { 'X-CSRF-Token': 'one' }],
    ['a function', () => ({ 'X-CSRF-Token': 'one' })],
    ['a function that has to ask', async () => ({ 'x-csrf-token': 'one' })],
  ])('takes along the headers of %s', async (_, headers) => {
    const { client, sent } = setUp({ headers });
    await client.hash('Ada');
    expect(sent[0]?.headers.get('x-csrf-token')).toBe('one');
    expect(sent[0]?.headers.get('content-type')).toBe('application/json');
  });

  test('that the proxy refuses keeps its code and its advice', async () => {
    const refusal = problem('permission_missing', 'The app does not let this session do this.');
    const { client } = setUp({}, () => Response.json(refusal, { status: 403 }));
    const error = await thrownBy(client.hash('Ada'));
    expect(error).toBeInstanceOf(EaasError);
    expect(error).toMatchObject({ code: 'permission_missing', status: 403, message: refusal.detail });
  });
});

describe('an API key is refused, and not shown,', () => {
  const anyOption = (option: object) => () => new EaasBrowserClient({ proxyUrl, ...option });

  test.each<[string, object]>([
    ['in the address', { proxyUrl: `https://app.example/${secret}` }],
    ['in a path', { proxyUrl: `/api/${secret}` }],
    ['as the id of a key', { keyId: secret }],
    ['in a header', { headers: { authorization: `Bearer ${secret}` } }],
    ['in a header that cannot be sent', { headers: { authorization: `Bearer ${secret}\n` } }],
    ['as the name of a header', { headers: { [secret]: '1' } }],
    ['in Headers', { headers: new Headers({ authorization: secret }) }],
    ['as `apiKey`', { apiKey: secret }],
    ['as the name of an option', { [secret]: 1 }],
    ['as the preset of the cache', { cache: secret }],
  ])('%s', (_, option) => {
    let error: unknown;
    try {
      anyOption(option)();
    } catch (thrown) {
      error = thrown;
    }
    expect(isRefusal(error)).toBe(true);
  });

  test('in the place of all options', () => {
    expect(() => new EaasBrowserClient(secret as never)).toThrow(InputError);
  });

  test.each([
    ['answers', async () => ({ 'x-token': secret })],
    ['answers and cannot send', () => ({ 'x-token': `${secret}\n` })],
  ])('in the headers that a function %s', async (_, headers) => {
    const { client, sent } = setUp({ headers });
    expect(isRefusal(await thrownBy(client.hash('Ada')))).toBe(true);
    expect(sent).toEqual([]);
  });

  test('in what is sent', async () => {
    const { client, sent } = setUp();
    expect(isRefusal(await thrownBy(client.hash(`key: ${secret}`)))).toBe(true);
    expect(isRefusal(await thrownBy(client.hash('Ada', { keyId: secret })))).toBe(true);
    expect(isRefusal(await thrownBy(client.encrypt('Ada', { wrapContext: { [secret]: '' } })))).toBe(true);
    expect(sent).toEqual([]);
  });

  test('in an answer', async () => {
    const { client } = setUp({}, () => Response.json({ hash: secret, key_id: keyId }));
    expect(isRefusal(await thrownBy(client.hash('Ada')))).toBe(true);
    const refusal = problem('bad_request', `Unknown field \`${secret}\`.`);
    const refused = setUp({}, () => Response.json(refusal, { status: 400 }));
    expect(isRefusal(await thrownBy(refused.client.hash('Ada')))).toBe(true);
  });
});

test('there is no option for an API key, nor any that is not known', () => {
  // @ts-expect-error a browser has no API key
  const make = () => new EaasBrowserClient({ proxyUrl, apiKey: () => 'anything' });
  expect(make).toThrow(InputError);
  expect(() => new EaasBrowserClient({ proxyUrl, keyID: keyId } as never)).toThrow('`keyID`');
});

test.each([
  '/api/eaas',
  '',
  'https://app.example/api?a=1',
  'https://app.example/#a',
  'https://user:pass@app.example/',
  'data:,x',
])('outside of a page, %j is no address', (address) => {
  expect(() => new EaasBrowserClient({ proxyUrl: address })).toThrow(InputError);
});
