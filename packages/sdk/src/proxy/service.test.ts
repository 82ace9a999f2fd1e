import { problem } from '@eaas/protocol/wire';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { apiKey, dek, setUp, wrapPath } from '../../test/proxied.ts';

describe('failures of the service', () => {
  const answering = (code: Parameters<typeof problem>[0], detail = 'What to do next.') => {
    const body = problem(code, detail);
    return () =>
      Response.json(body, {
        status: body.status,
        headers: { 'x-request-id': 'r-1', 'www-authenticate': 'Bearer' },
      });
  };

  test.each(['bad_request', 'key_state', 'audit_unwritten'] as const)(
    'a failure of the service with the code %s is passed on to the browser',
    async (code) => {
      const { post } = setUp({}, answering(code));
      const answer = await post(wrapPath, { dek });
      expect(answer.json).toEqual(problem(code, 'What to do next.'));
      expect(answer.status).toBe(problem(code, '').status);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(answer.headers.get('x-request-id')).toBe('r-1');
    },
  );

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

  test('a request id with an API key is not passed on', async () => {
    const headers = { 'x-request-id': `id-${apiKey}` };
    const { post, events } = setUp({}, () => Response.json({ error: 'no' }, { status: 500, headers }));
    expect((await post(wrapPath, { dek })).headers.get('x-request-id')).toBeNull();
    expect(events).toEqual([{ type: 'service_failed', reason: 'invalid_response', requestId: undefined }]);
  });

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

  test('the response is 504 after `timeout` if the service does not respond', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = (): void => undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    const silent = () => (asked(), new Promise<never>(() => undefined));
    const { post, events } = setUp({ fetch: silent, timeout: 20 });
    const answer = post(wrapPath, { dek });
    await reached;
    await vi.advanceTimersByTimeAsync(20);
    expect(await answer).toMatchObject({ status: 504, json: { code: 'unavailable', status: 504 } });
    expect(events).toMatchObject([{ type: 'service_failed', reason: 'timeout' }]);
  });

  test('the browser gets the response even if `onEvent` throws', async () => {
    const onEvent = (): never => {
      throw new Error('full disk');
    };
    const { post } = setUp({ onEvent }, answering('unauthorized'));
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 502 });
  });
});
