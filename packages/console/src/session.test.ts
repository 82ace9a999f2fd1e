import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestService } from '@eaas/local';
import { formatApiKey } from '@eaas/protocol/wire';
import { retryAtOnce } from '@eaas/test-kit/retry-at-once';
import {
  enterAgain,
  enterWithApiKey,
  enterWithCode,
  isAway,
  isEntering,
  leave,
  session,
  signedOut,
  takeCode,
} from './session.ts';

const code = 'a'.repeat(43);
const service = createTestService();
retryAtOnce();

function answerWith(answer: () => Promise<Response>): void {
  vi.stubGlobal('fetch', async (input: RequestInfo, init?: RequestInit) => {
    if (input === '/console/session') return answer();
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const response = await service.fetch(new Request(service.baseUrl + pathname + search, request));
    response.headers.delete('retry-after');
    return response;
  });
}

beforeEach(() => {
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:8080' });
  vi.useFakeTimers({ toFake: ['Date'] });
  answerWith(() => Promise.reject(new TypeError('Failed to fetch')));
});

afterEach(() => {
  leave('new');
  isAway.value = false;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const accepted = () =>
  Promise.resolve(
    Response.json(
      {
        api_key: service.apiKey,
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
        tenant: 'acme',
      },
      { status: 201 },
    ),
  );

test.each([
  [`#code=${code}`, code, true],
  ['#code=short', undefined, true],
  ['', undefined, false],
  ['#/audit', undefined, false],
])('the page removes only a valid sign-in code from the URL fragment: "%s"', (hash, expected, isRemoved) => {
  const replaceState = vi.fn();
  const address = { hash, pathname: '/console/', search: '' } as Location;
  expect(takeCode(address, { replaceState } as unknown as History)).toBe(expected);
  expect(replaceState.mock.calls).toEqual(isRemoved ? [[null, '', '/console/']] : []);
});

test('a sign-in code is exchanged for a session', async () => {
  answerWith(accepted);
  const entering = enterWithCode(code);
  expect(isEntering.value).toBe(true);
  await entering;
  expect(isEntering.value).toBe(false);
  expect(session.value).toMatchObject({ apiKey: service.apiKey, tenant: 'acme', isDevelopment: true });
});

test('the page reports a refused sign-in code and sends no second request', async () => {
  const refuse = vi.fn(() => Promise.resolve(Response.json({}, { status: 401 })));
  answerWith(refuse);
  await enterWithCode(code);
  expect(signedOut.value).toBe('code_refused');
  await enterWithCode();
  expect(refuse).toHaveBeenCalledTimes(1);
  expect(session.value).toBeUndefined();
});

test('a sign-in code can be sent again if there was no response', async () => {
  await enterWithCode(code);
  expect(signedOut.value).toBe('code_unanswered');
  answerWith(accepted);
  await enterWithCode();
  expect(session.value?.tenant).toBe('acme');
});

test('an API key can sign in even without the permission to list keys', async () => {
  const { api_key } = await service.createApiKey({ permissions: ['encrypt'] });
  await enterWithApiKey(`${api_key}\n`);
  expect(session.value?.apiKey).toBe(api_key);
});

test('the page refuses to sign in with an unknown API key', async () => {
  const unknown = formatApiKey(new Uint8Array(32));
  await expect(enterWithApiKey(unknown)).rejects.toMatchObject({ code: 'unauthorized' });
  expect(session.value).toBeUndefined();
});

test('after the API key was revoked, the next call ends the session', async () => {
  const { api_key, api_key_id } = await service.createApiKey({ permissions: ['keys.read'] });
  await enterWithApiKey(api_key);
  const client = session.value?.client;
  answerWith(accepted);
  await enterWithApiKey(service.apiKey);
  await session.value?.client.apiKeys.revoke(api_key_id);
  await expect(client?.keys.page()).rejects.toMatchObject({ code: 'unauthorized' });
  expect(session.value).toBeUndefined();
  expect(signedOut.value).toBe('expired');
});

test('a session ends when its API key expires', async () => {
  vi.useRealTimers();
  vi.useFakeTimers();
  answerWith(accepted);
  await enterWithCode(code);
  expect(session.value).toBeDefined();
  vi.advanceTimersByTime(86_400_000);
  expect(session.value).toBeUndefined();
  expect(signedOut.value).toBe('expired');
});

describe('the storage of the tab', () => {
  let items: Map<string, string>;

  beforeEach(async () => {
    items = new Map();
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => items.get(name) ?? null,
      setItem: (name: string, value: string) => items.set(name, value),
      removeItem: (name: string) => items.delete(name),
    });
    answerWith(accepted);
    await enterWithCode(code);
  });

  test('keeps the session of a sign-in code over a reload, until its API key expires', () => {
    expect(items.size).toBe(1);
    session.value = undefined; // as after a reload
    expect(enterAgain()).toBe(true);
    expect(session.value).toMatchObject({ apiKey: service.apiKey, tenant: 'acme', isDevelopment: true });
    session.value = undefined;
    vi.setSystemTime(Date.now() + 86_400_000);
    expect([enterAgain(), session.value]).toEqual([false, undefined]);
  });

  test('forgets it when the user signs out', () => {
    leave('left');
    expect([items.size, enterAgain()]).toEqual([0, false]);
  });

  test('never keeps an API key that a user pasted', async () => {
    await enterWithApiKey(service.apiKey);
    expect(session.value?.isDevelopment).toBe(false);
    expect([items.size, enterAgain()]).toEqual([0, false]);
  });

  test('keeps it when a used sign-in URL is opened in a tab that is signed in', async () => {
    answerWith(() => Promise.resolve(Response.json({}, { status: 401 })));
    for (const before of [session.value, undefined]) {
      session.value = before;
      await enterWithCode(code);
      expect(session.value?.apiKey).toBe(service.apiKey);
    }
  });

  test.each(['{', '{}', 'null', '[]', '"text"'])('is ignored if it is damaged: %s', (text) => {
    leave('left');
    items.set('eaas-dev-session', text);
    expect([enterAgain(), session.value]).toEqual([false, undefined]);
  });
});

test('the page removes the notice about an unresponsive service after a successful call', async () => {
  await enterWithApiKey(service.apiKey);
  service.failNext('unavailable', { times: 2 });
  await expect(session.value?.client.keys.page()).rejects.toMatchObject({ code: 'unavailable' });
  expect(isAway.value).toBe(true);
  await session.value?.client.keys.page();
  expect(isAway.value).toBe(false);
});
