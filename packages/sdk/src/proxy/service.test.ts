import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problem } from '@eaas/protocol/wire';
import { describe, expect, onTestFinished, test } from 'vitest';
import { apiKey, dek, key, setUp, wrapPath, wrapped } from '../../../../test/sdk/proxied.ts';

describe('what the service says', () => {
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
    'not_found',
    'key_state',
    'wrapped_key_unauthentic',
    'audit_unwritten',
    'internal',
  ] as const)('%s of a call passes on', async (code) => {
    const { post } = setUp({}, answering(code));
    const answer = await post(wrapPath, { dek });
    expect(answer.json).toEqual(problem(code, 'What to do next.'));
    expect(answer.status).toBe(problem(code, '').status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('x-request-id')).toBe('r-1');
  });

  test.each(['unauthorized', 'permission_missing', 'origin_refused', 'quota_exceeded', 'conflict'] as const)(
    '%s is for the operator: the browser learns that the service cannot be used',
    async (code) => {
      const { post, events } = setUp({}, answering(code, 'Send a valid API key as eaas_sk_….'));
      const answer = await post(wrapPath, { dek });
      expect(answer).toMatchObject({ status: 502, json: { code: 'unavailable', status: 502 } });
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(answer.text).not.toMatch(/API key|eaas_sk_/);
      expect(events).toEqual([{ type: 'api_key_refused', code, requestId: 'r-1' }]);
    },
  );

  test('a service that is not ready is 503, and why stays with it', async () => {
    const { post } = setUp({}, answering('unavailable', 'See `eaas audit verify`.'));
    const answer = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect(answer.text).not.toContain('verify');
    expect(answer.headers.get('retry-after')).toBe('1');
  });

  test('no API key passes on in a detail', async () => {
    const { post } = setUp({}, answering('bad_request', `Unknown field \`${apiKey}\`.`));
    expect((await post(wrapPath, { dek })).text).not.toContain(apiKey);
  });

  test.each([
    ['no JSON', () => new Response('<html>')],
    ['another answer', () => Response.json({ dek })],
    ['a redirect', () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } })],
    ['an error that is no problem', () => Response.json({ error: apiKey }, { status: 500 })],
    ['another status', () => Response.json(wrapped, { status: 202 })],
  ])('%s is 502, and the operator is told', async (_, answer) => {
    const { post, events } = setUp({}, answer);
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 502, json: { code: 'unavailable' } });
    expect(events).toEqual([{ type: 'service_failed', reason: 'invalid_response', requestId: undefined }]);
  });

  test('a service that cannot be reached is 502, and what was thrown stays here', async () => {
    const { post, events } = setUp({
      fetch: () => Promise.reject(new TypeError(`no route with Bearer ${apiKey}`)),
    });
    const answer = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status: 502, json: { code: 'unavailable' } });
    expect(answer.text + JSON.stringify(events)).not.toContain('eaas_sk_');
    expect(events).toMatchObject([{ type: 'service_failed', reason: 'network' }]);
  });

  test('an API key that is not found is 502, and the operator is told why', async () => {
    const error = new Error('the vault is sealed');
    const { post, events, sent } = setUp({ apiKey: () => Promise.reject(error) });
    const answer = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status: 502, json: { code: 'unavailable' } });
    expect(answer.text).not.toContain('vault');
    expect({ events, sent }).toEqual({ events: [{ type: 'failed', error }], sent: [] });
  });

  test('a redirect is not followed: the API key goes nowhere else', async () => {
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

  test('a service that does not answer is 504 when the time is over', async () => {
    const { post, events } = setUp({ fetch: never, timeout: 20 });
    expect(await post(wrapPath, { dek })).toMatchObject({
      status: 504,
      json: { code: 'unavailable', status: 504 },
    });
    expect(events).toMatchObject([{ type: 'service_failed', reason: 'timeout' }]);
  });

  const deaf = () => new Promise<never>(() => {});
  const endless = () => new ReadableStream({ pull: deaf });

  test.each([
    ['the function that answers the API key', { apiKey: deaf }],
    ['a `fetch` that does not listen to its signal', { fetch: deaf }],
    ['an answer that never ends', { fetch: async () => new Response(endless()) }],
  ])('%s holds nobody up for longer than that', async (_, options) => {
    const { post, events } = setUp({ ...options, timeout: 20 });
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 504 });
    expect(events).toMatchObject([{ type: 'service_failed', reason: 'timeout' }]);
  });

  test('a browser that goes away takes its call along, which is no event', async () => {
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
    ['breaking a promise, nor end the process', () => Promise.reject(new Error('full disk'))],
  ])('whoever listens cannot change the answer by %s', async (_, onEvent: () => unknown) => {
    const { post } = setUp({ onEvent }, answering('unauthorized'));
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 502 });
  });
});
