import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problem } from '@eaas/protocol/wire';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { apiKey, dek, key, setUp, wrapPath } from '../../test/proxied.ts';

describe('failures of the service', () => {
  const answering = (code: Parameters<typeof problem>[0], detail = 'What to do next.') => {
    const body = problem(code, detail);
    return () =>
      Response.json(body, {
        status: body.status,
        headers: { 'x-request-id': 'r-1', 'www-authenticate': 'Bearer' },
      });
  };

  test.each([
    'bad_request',
    'too_large',
    'not_found',
    'key_state',
    'wrapped_key_unauthentic',
    'audit_unwritten',
    'internal',
  ] as const)('a failure of the service with the code %s is passed on to the browser', async (code) => {
    const { post } = setUp({}, answering(code));
    const answer = await post(wrapPath, { dek });
    expect(answer.json).toEqual(problem(code, 'What to do next.'));
    expect(answer.status).toBe(problem(code, '').status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-request-id')).toBe('r-1');
  });

  test.each(['unauthorized', 'permission_missing', 'origin_refused', 'quota_exceeded', 'conflict'] as const)(
    'a service failure with code %s gives the browser only a generic error',
    async (code) => {
      const { post, events } = setUp({}, answering(code, 'Send a valid API key as eaas_sk_….'));
      const answer = await post(wrapPath, { dek });
      expect(answer).toMatchObject({ status: 502, json: { code: 'unavailable', status: 502 } });
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(answer.text).not.toMatch(/API key|eaas_sk_/);
      expect(events).toEqual([{ type: 'api_key_refused', code, requestId: 'r-1' }]);
    },
  );

  test('the proxy responds with 503 without details if the service is not ready', async () => {
    const { post, events } = setUp({}, answering('unavailable', 'See `eaas audit verify`.'));
    const answer = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect(answer.text).not.toContain('verify');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(events).toEqual([{ type: 'service_failed', reason: 'unavailable', requestId: 'r-1' }]);
  });

  test('the proxy removes an API key from the detail of a failure', async () => {
    const { post } = setUp({}, answering('bad_request', `Unknown field \`${apiKey}\`.`));
    expect((await post(wrapPath, { dek })).text).not.toContain(apiKey);
  });

  test.each([
    ['a body that is not JSON', () => new Response('<html>')],
    ['the response of another call', () => Response.json({ dek })],
    ['a redirect', () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } })],
    ['an error that is not a problem document', () => Response.json({ error: apiKey }, { status: 500 })],
  ])('the response is 502 and an event is emitted if the service returns %s', async (_, answer) => {
    const { post, events } = setUp({}, answer);
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 502, json: { code: 'unavailable' } });
    expect(events).toEqual([{ type: 'service_failed', reason: 'invalid_response', requestId: undefined }]);
  });

  test.each(['x'.repeat(65), 'request 1', `id:${apiKey}`, apiKey, `id-${apiKey}`])(
    'the request id %j is not passed on',
    async (id) => {
      const answer = () => Response.json({ error: 'no' }, { status: 500, headers: { 'x-request-id': id } });
      const { post, events } = setUp({}, answer);
      expect((await post(wrapPath, { dek })).headers.get('x-request-id')).toBeNull();
      expect(events).toEqual([{ type: 'service_failed', reason: 'invalid_response', requestId: undefined }]);
    },
  );

  test('the proxy responds with 502 without details to a network failure', async () => {
    const { post, events } = setUp({
      fetch: () => Promise.reject(new TypeError(`cannot send the header Bearer ${apiKey}`)),
    });
    const answer = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status: 502, json: { code: 'unavailable' } });
    expect(answer.text + JSON.stringify(events)).not.toContain('eaas_sk_');
    expect(events).toMatchObject([{ type: 'service_failed', reason: 'network' }]);
  });

  test('if the function `apiKey` throws, the response is 502 and an event contains the error', async () => {
    const error = new Error('the vault is sealed');
    const { post, events, sent } = setUp({ apiKey: () => Promise.reject(error) });
    const answer = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status: 502, json: { code: 'unavailable' } });
    expect(answer.text).not.toContain('vault');
    expect({ events, sent }).toEqual({ events: [{ type: 'failed', error }], sent: [] });
  });

  test('the proxy responds with 502 to a redirect and does not follow it', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((req, res) => {
      seen.push(req.url);
      res.writeHead(307, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { post } = setUp({ baseUrl: `http://127.0.0.1:${port}`, fetch });
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 502 });
    expect(seen).toEqual([`/v1/keys/${key}/wrap`]);
  });

  const never: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });

  const deaf = () => new Promise<never>(() => {});
  const endless = () => new ReadableStream({ pull: deaf });

  test.each<[string, (asked: () => void) => Parameters<typeof setUp>[0]]>([
    ['a service that does not respond', (asked) => ({ fetch: (...all) => (asked(), never(...all)) })],
    ['a function `apiKey` that never returns', (asked) => ({ apiKey: () => (asked(), deaf()) })],
    ['a `fetch` that ignores its signal', (asked) => ({ fetch: () => (asked(), deaf()) })],
    ['a response that never ends', (asked) => ({ fetch: async () => (asked(), new Response(endless())) })],
  ])('the response is 504 after `timeout` with %s', async (_, optionsOf) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = (): void => undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    const { post, events } = setUp({ ...optionsOf(() => asked()), timeout: 20 });
    const answer = post(wrapPath, { dek });
    await reached;
    await vi.advanceTimersByTimeAsync(20);
    expect(await answer).toMatchObject({ status: 504, json: { code: 'unavailable', status: 504 } });
    expect(events).toMatchObject([{ type: 'service_failed', reason: 'timeout' }]);
  });

  test('no event is emitted for a failure if the browser closed the connection', async () => {
    let asked = (): void => undefined;
    const started = new Promise<void>((resolve) => (asked = resolve));
    const { proxy, events } = setUp({ fetch: (input, init) => (asked(), never(input, init)) });
    const leaving = new AbortController();
    const answer = proxy(
      new Request(`https://app.example${wrapPath}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ dek }),
        signal: leaving.signal,
      }),
    );
    await started;
    leaving.abort();
    await answer;
    expect(events).toEqual([]);
  });

  test.each([
    [
      'throwing',
      () => {
        throw new Error('full disk');
      },
    ],
    ['rejecting', () => Promise.reject(new Error('full disk'))],
  ])('the browser gets the response even if `onEvent` fails by %s', async (_, onEvent: () => unknown) => {
    const { post } = setUp({ onEvent }, answering('unauthorized'));
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 502 });
  });
});
