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

  test('the proxy removes an API key from the detail of a failure', async () => {
    const { post } = setUp({}, answering('bad_request', `Unknown field \`${apiKey}\`.`));
    expect((await post(wrapPath, { dek })).text).not.toContain(apiKey);
  });

  const failed = (reason: string, requestId?: string) => ({ type: 'service_failed', reason, requestId });
  const invalid = failed('invalid_response');
  const sealed = new Error('the vault is sealed');
  const unsealed = { type: 'failed', error: sealed };
  const leaking = { 'x-request-id': `id-${apiKey}` };
  const evil = { location: 'https://evil.example' };
  const unreachable = () => Promise.reject(new TypeError(`cannot send the header Bearer ${apiKey}`));

  test.each<[string, Parameters<typeof setUp>, number, { error?: Error; requestId?: string | undefined }]>([
    ['it is not ready', [{}, answering('unavailable', 'See the vault.')], 503, failed('unavailable', 'r-1')],
    ['a body is not JSON', [{}, () => new Response('<html>')], 502, invalid],
    ['it gives the response of another call', [{}, () => Response.json({ dek })], 502, invalid],
    ['it redirects', [{}, () => new Response(null, { status: 307, headers: evil })], 502, invalid],
    ['an error is no problem document', [{}, () => Response.json({}, { status: 500 })], 502, invalid],
    ['an id has an API key', [{}, () => new Response('', { status: 500, headers: leaking })], 502, invalid],
    ['nothing is reached', [{ fetch: unreachable }], 502, failed('network')],
    ['`apiKey` throws', [{ apiKey: () => Promise.reject(sealed) }], 502, unsealed],
  ])('if %s, the response has no details, and an event has them', async (_, service, status, event) => {
    const { post, events } = setUp(...service);
    const { text, headers, ...answer } = await post(wrapPath, { dek });
    expect(answer).toMatchObject({ status, json: { code: 'unavailable' } });
    expect(text + JSON.stringify(events)).not.toMatch(/vault|eaas_sk_/);
    expect(headers.get('x-request-id')).toBe(event.requestId ?? null);
    expect(headers.get('retry-after')).toBe(status === 503 ? '1' : null);
    expect(events).toEqual([event]);
  });

  test('the response is 504 after `timeout` if the service does not respond', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let asked = (): void => undefined;
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
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
