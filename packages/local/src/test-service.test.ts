import { fromBase64, toBase64 } from '@eaas/protocol/base64';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { afterEach, expect, test, vi } from 'vitest';
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
  const answer = await service.fetch(`${service.baseUrl}/v1/hash`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key_id: keyId, value: 'x' }),
  });
  expect(answer.status).toBe(200);
});

test('an endless loop of calls to a test service does not starve timers', async () => {
  const service = createTestService();
  const bell = new AbortController();
  setTimeout(() => bell.abort(), 1);
  while (!bell.signal.aborted) await service.fetch(`${service.baseUrl}/v1/keys`);
  expect(service.requests.every(({ status }) => status === 401)).toBe(true);
});

test('the test service unwraps a data key that was wrapped with the public key of an intake key', async () => {
  const service = createTestService();
  const { key_id } = service.createKey('contact form', { intake: true });
  const other = service.createKey('no intake').key_id;
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
    const sent = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    const response = await service.fetch(`${service.baseUrl}/v1/keys/${path}`, { headers, ...sent });
    return (await response.json()) as Record<string, unknown>;
  };
  const { intake_public_key } = await ask(`${key_id}/public-key`);
  expect(await ask(`${other}/public-key`)).toMatchObject({ intake_public_key: null });
  const dek = new Uint8Array(32).fill(7);
  const { wrappedKey } = await wrapForIntake(parsePublicKey(String(intake_public_key)), dek);
  const wrapped_key = toBase64(wrappedKey);
  const opened = { dek: toBase64(dek), key_id, key_version: 1 };
  expect(await ask(`${key_id}/unwrap`, { wrapped_key })).toEqual(opened);
  expect(await ask(`${other}/unwrap`, { wrapped_key })).toMatchObject({ code: 'wrapped_key_unauthentic' });
  const rewrapped = await ask(`${key_id}/rewrap`, { wrapped_key });
  expect(rewrapped).toMatchObject({ rewrapped: true });
  expect(await ask(`${key_id}/unwrap`, { wrapped_key: rewrapped['wrapped_key'] })).toEqual(opened);
});

test('the test service returns 404 for a path that is not percent-encoded UTF-8', async () => {
  const service = createTestService();
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const response = await service.fetch(`${service.baseUrl}/v1/keys/100%`, { headers });
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }]);
});

test('the audit log of a test service finds the entries of a person, and counts up to 10,000', async () => {
  const service = createTestService();
  const { key_id } = service.createKey('a');
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
  const call = async (path: string, body?: object) => {
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const response = await service.fetch(`${service.baseUrl}${path}`, init);
    return (await response.json()) as Record<string, unknown>;
  };
  const dek = toBase64(new Uint8Array(32));
  const wrap = (subject: string, count: number) =>
    call('/v1/batch/wrap', {
      items: Array.from({ length: count }, () => ({ key_id, dek, subject })),
      user: '7',
    });
  await wrap('other', 1);
  for (let batch = 0; batch < 10; batch++) await wrap('42', 1_000);
  const { subject_id } = (await call('/v1/subjects/show', { subject: '42' })) as { subject_id: string };
  const page = { count: 1, limit: 1, offset: 0 };
  const whole = await call(`/v1/audit?limit=1&subject_id=${subject_id}`);
  expect(whole).toStrictEqual({ logs: [expect.any(Object)], ...page, total: 10_000 });
  const [entry] = whole['logs'] as { metadata: { user: string } }[];
  expect(await call('/v1/usage')).toMatchObject({ subjects: 2 });
  await call('/v1/subjects/erase', { subject_id });
  expect(await call('/v1/usage')).toMatchObject({ subjects: 1 });
  for (const filter of [`subject_id=${subject_id.slice(0, 32)}`, `user_id=${entry?.metadata.user}`])
    expect(await call(`/v1/audit?limit=1&${filter}`)).toMatchObject({ total: null, total_at_least: 10_000 });
  const erasures = await call(`/v1/audit?action=subject.erase&subject_id=${subject_id.slice(0, 32)}`);
  expect(erasures).toMatchObject({ count: 1, total: 1 });
});

test('the test service exports the subjects that are not erased, and the key of their ids', async () => {
  const service = createTestService();
  const { key_id } = service.createKey('a', { exportable: true });
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await service.fetch(`${service.baseUrl}/v1/${path}`, init);
    return (await response.json()) as Record<string, unknown>;
  };
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const publicExponent = Uint8Array.of(1, 0, 1);
  const pair = await crypto.subtle.generateKey({ ...algorithm, modulusLength: 3_072, publicExponent }, true, [
    'encrypt',
    'decrypt',
  ]);
  const { kty, n, e } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const body = { public_key: { kty, n, e } };
  const dek = toBase64(new Uint8Array(32));
  for (const subject of ['42', '43']) await post(`keys/${key_id}/wrap`, { dek, subject });
  await post('subjects/erase', { subject: '43' });
  const { subject_id } = await post('subjects/show', { subject: '42' });

  const exported = await post(`keys/${key_id}/export`, { ...body, subjects: true });
  expect(exported).toMatchObject({
    subjects: [{ subject_id, encrypted: expect.any(String) }],
    next_subject: null,
  });
  const encrypted = fromBase64(String(exported['subjects_key']));
  const bytes = await crypto.subtle.decrypt(algorithm, pair.privateKey, encrypted);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign']);
  const id = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('42'));
  expect(Buffer.from(id).toString('hex')).toBe(subject_id);
  expect(await post(`keys/${key_id}/export`, body)).not.toHaveProperty('subjects');
});
