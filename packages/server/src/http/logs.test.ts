import postgres from 'postgres';
import { expect, it } from 'vitest';
import { Refusal } from '@eaas/service';
import { Explained } from '../base/explained.ts';
import { describeError } from './problems.ts';
import { apiKeyId, dek, keyId, tenantId, token } from '@eaas/protocol/internal-reference';
import { listen } from './testing/listen.ts';
import { memoryService } from './testing/memory-service.ts';

const plaintext = 'the very secret diagnosis';
const secrets = [token, dek, plaintext, encodeURIComponent(dek), plaintext.replaceAll(' ', '+')];

class LeaseLost extends Explained {
  override readonly name = 'LeaseLost';
}

const indiscreet = (input: unknown) => {
  const cause = Object.assign(new Error(`Key (value)=(${JSON.stringify(input)}) already exists`), {
    code: '23505',
  });
  throw Object.assign(new TypeError(`cannot use ${JSON.stringify(input)}\n    at ${plaintext}`, { cause }), {
    input,
  });
};

it('each request has one log line, with only the documented fields', async () => {
  const { fetch, log } = await listen();
  const response = await fetch(`/v1/keys/${keyId}`);
  await expect.poll(() => log.length).toBe(2);
  expect(JSON.parse(log[1] ?? '')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    request_id: response.headers.get('x-request-id'),
    method: 'GET',
    route: '/v1/keys/:key_id',
    status: 200,
    duration_ms: expect.any(Number) as number,
    actor: apiKeyId,
    tenant_id: tenantId,
    msg: 'request',
  });
});

it('the log shows the name, code and stack of an error and of its causes', async () => {
  const { post, log } = await listen(memoryService({}, { 'POST /v1/hash': indiscreet }));
  const response = await post('/v1/hash', { value: plaintext, key_id: keyId });
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'internal' }]);
  const line = JSON.parse(log.find((one) => one.includes('request failed')) ?? '{}') as { error: object };
  expect(line.error).toMatchObject({ name: 'TypeError', cause: { name: 'Error', code: '23505' } });
  expect(JSON.stringify(line.error)).toContain('logs.test.ts');
});

it('the log shows why a job failed, without the messages of libraries', () => {
  const library = new Error(`password authentication failed for ${plaintext}`);
  const cause = new LeaseLost('the job runs elsewhere now');
  const described = describeError(new AggregateError([cause, library], '2 of 2 failed', { cause }));
  expect(described).toMatchObject({
    name: 'AggregateError',
    cause: { name: 'LeaseLost', message: cause.message },
  });
  expect(JSON.stringify(describeError(library))).not.toContain(plaintext);
});

it('the log shows what to do about a fault of the database, and nothing about other faults', () => {
  const full = Object.assign(Object.create(postgres.PostgresError.prototype) as Error, {
    code: '53100',
    message: plaintext,
  });
  const message =
    'the database cannot be reached or used (53100): the disk of the database is full: extend its volume, and delete nothing in pg_wal';
  expect(describeError(full)).toEqual({ name: 'Error', message, code: '53100' });
  const elsewhere = Object.assign(new Error(plaintext), { code: 'ECONNREFUSED' });
  expect(describeError(elsewhere)).not.toHaveProperty('message');
});

it('a secret in a request appears in no response and no log', async () => {
  const failing = memoryService(
    { metrics: async () => '' },
    {
      'POST /v1/encrypt': indiscreet,
      'POST /v1/keys/:key_id/wrap': indiscreet,
      'POST /v1/batch/hash': indiscreet,
    },
  );
  const { fetch, post, exchange, log } = await listen(failing, { logLevel: 'trace' });
  const answers: string[] = [];
  const keep = async (response: Promise<Response>) => {
    const { headers, text } = await response.then(async (one) => ({
      headers: one.headers,
      text: await one.text(),
    }));
    answers.push(text, JSON.stringify(Array.from(headers)));
  };
  const sendEverywhere = async (secret: string) => {
    await keep(post('/v1/encrypt', { plaintext: secret, key_id: secret, context: { table: secret } }));
    await keep(post('/v1/encrypt', { plaintext: [secret], key_id: secret }));
    await keep(post('/v1/encrypt', { plaintext: '', key_id: { secret } }));
    await keep(post('/v1/encrypt', secret));
    await keep(post('/v1/encrypt', `{"plaintext":"${secret}"`));
    await keep(post('/v1/hash', { value: secret, key_id: secret, x: secret }));
    await keep(post(`/v1/keys/${encodeURIComponent(secret)}/wrap`, { dek: secret }));
    await keep(post(`/v1/keys/${keyId}/wrap`, { dek, context: { a: `${secret}\0` } }));
    await keep(post('/v1/keys', { name: `${secret}\n`, exportable: secret }));
    await keep(post('/v1/api-keys', { name: 'x', permissions: [secret], expires_at: secret }));
    await keep(post(`/v1/keys/${keyId}/export`, { public_key: { kty: secret, n: secret, e: secret } }));
    await keep(post('/v1/batch/hash', { items: [{ value: secret, key_id: secret, reference: '' }, secret] }));
    await keep(post('/v1/hash', { value: '', key_id: '' }, { headers: { 'content-type': secret } }));
    await keep(
      fetch(`/v1/audit?key_id=${encodeURIComponent(secret)}&date_from=${encodeURIComponent(secret)}`),
    );
    await keep(fetch(`/v1/keys?limit=${encodeURIComponent(secret)}`));
    await keep(fetch(`/v1/${encodeURIComponent(secret)}`));
    await keep(fetch(`/v1/keys/%zz${encodeURIComponent(secret)}`));
    await keep(
      fetch('/v1/keys', { headers: { authorization: `Bearer ${secret}x`, 'x-request-id': secret } }),
    );
    await keep(fetch('/v1/keys', { headers: { authorization: secret, origin: secret, cookie: secret } }));
    await keep(fetch('/v1/keys', { method: 'PUT', body: secret }));
    answers.push(await exchange(`${secret} / HTTP/1.1\r\n\r\n`));
    answers.push(await exchange(`GET / HTTP/1.1\r\n${secret}: ${secret}\r\n\r\n`, 20, 'x\r\n\r\n'));
  };
  await Promise.all(secrets.map(sendEverywhere));
  await keep(post('/v1/hash', { value: '', key_id: '', [token]: 1 }));
  await keep(fetch(`/v1/keys?${token}=1`));
  await keep(fetch('/metrics'));
  for (const secret of secrets) {
    expect(answers.filter((text) => text.includes(secret))).toEqual([]);
    expect(log.filter((line) => line.includes(secret))).toEqual([]);
  }
  expect(log.filter((line) => line.includes('request failed')).length).toBeGreaterThan(5);
});

it('a refusal’s detail is not logged', async () => {
  const { fetch, log, service } = await listen();
  service.refusal = new Refusal('unauthorized', 'something about the caller');
  await fetch('/v1/keys');
  await expect.poll(() => log.join('')).toContain('"code":"unauthorized"');
  expect(log.join('')).not.toContain('something about');
});
