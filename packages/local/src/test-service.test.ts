import { afterEach, expect, test, vi } from 'vitest';
import { ask } from '../test/ask.ts';
import { createTestService } from './test-service.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('`failNext` throws InputError for an unknown failure or route', () => {
  const service = createTestService();
  expect(() => service.failNext('unavailible' as 'unavailable')).toThrow('unknown failure `unavailible`');
  expect(() => service.failNext('network', { route: 'POST /v1/wrap' as 'POST /v1/hash' })).toThrow(
    'unknown route `POST /v1/wrap`',
  );
});

test('a test service does not receive a request with an aborted signal', async () => {
  const service = createTestService();
  const sent = service.fetch(`${service.baseUrl}/v1/keys`, { signal: AbortSignal.abort() });
  await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
  expect(service.requests).toStrictEqual([]);
});

test('the `fetch` of a test service fails for a URL outside its `baseUrl`', async () => {
  const service = createTestService();
  for (const address of [
    'https://example.com/v1/keys',
    'https://eaas.test.example.com/v1/keys',
    'http://eaas.test/',
  ]) {
    await expect(service.fetch(address)).rejects.toThrow(TypeError);
  }
});

test('the test service responds even if a test has replaced the timers', async () => {
  vi.useFakeTimers();
  const service = createTestService();
  const { key_id: keyId } = service.createKey('customers');
  const answer = await ask(service, 'POST /v1/hash', { key_id: keyId, value: 'x' });
  expect(answer).toMatchObject({ status: 200 });
});

test('the test service returns 404 for a path that is not percent-encoded UTF-8', async () => {
  const service = createTestService();
  expect(await ask(service, 'GET /v1/keys/100%')).toMatchObject({ status: 404, code: 'not_found' });
});
