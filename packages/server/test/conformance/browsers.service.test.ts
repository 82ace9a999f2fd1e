import { describe, expect, test } from 'vitest';
import { clientOf, expectNothingRecorded, newDek, newTenant } from '@eaas/test-kit/fixture';

const origin = 'https://app.example';
const tenant = await newTenant('--envelope-only', 'true');
const allowed_origins = [origin, 'http://localhost:5173', 'https://app.example:8443'];
const browser = (await tenant.issue({ permissions: ['encrypt', 'keys.read'], allowed_origins })).api;

const from = (value: string) => ({ headers: { origin: value } });

describe('a request with an Origin', () => {
  test.for([origin, 'http://localhost:5173', 'https://app.example:8443'])(
    'a request from a listed origin succeeds and has CORS headers: %s',
    async (listed) => {
      const answer = await browser.get('/v1/keys', from(listed));
      expect(answer).toHaveStatus(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(listed);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  test('a page can read the id of its request and the receipt', async () => {
    const key = await tenant.newKey();
    const dek = newDek();
    const answer = await browser.post(`/v1/keys/${key.key_id}/wrap`, { dek }, from(origin));
    expect(answer.headers.get('eaas-entry')).toMatch(/^\d+ [\da-f]{64}$/);
    expect(answer.headers.get('access-control-expose-headers')?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['x-request-id', 'eaas-entry']),
    );
  });

  test.for([
    'https://evil.example',
    'http://app.example',
    'https://app.example:444',
    'https://app.example.evil.example',
    'https://sub.app.example',
    'https://app.example/',
    'HTTPS://APP.EXAMPLE',
    'null',
    '*',
    'garbage',
  ])('a request with the Origin %s is refused', async (other) => {
    await expectNothingRecorded(tenant, async () => {
      expect(await browser.get('/v1/keys', from(other))).toBeProblem('origin_refused');
    });
  });

  test('an API key without allowed origins works only for requests without an `Origin` header', async () => {
    expect(await tenant.api.get('/v1/keys', from(origin))).toBeProblem('origin_refused');
    expect(await tenant.api.get('/v1/keys')).toHaveStatus(200);
    expect(await browser.get('/v1/keys')).toHaveStatus(200);
  });
});

describe('preflights', () => {
  test.for([
    ['GET', '/v1/keys'],
    ['POST', '/v1/encrypt'],
    ['PUT', '/v1/keys/00000000-0000-4000-8000-000000000001/rotation-policy'],
    ['PATCH', '/v1/api-keys/00000000-0000-4000-8000-000000000001'],
    ['DELETE', '/v1/keys/00000000-0000-4000-8000-000000000001'],
  ] as const)(
    'a preflight returns 204 with the origin, method and headers: %s %s',
    async ([method, path]) => {
      const anonymous = await clientOf();
      const answer = await anonymous.send('OPTIONS', path, undefined, {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      });
      expect(answer).toHaveStatus(204);
      expect(answer.text).toBe('');
      const allowed = (name: string) =>
        (answer.headers.get(`access-control-allow-${name}`) ?? '').toLowerCase();
      expect(allowed('origin')).toBe(origin);
      expect(allowed('credentials')).toBe('');
      expect(allowed('methods').split(/, */)).toContain(method.toLowerCase());
      expect(allowed('headers').split(/, */)).toEqual(
        expect.arrayContaining(['authorization', 'content-type']),
      );
    },
  );

  test('a preflight request succeeds for every origin and writes no audit entry', async () => {
    const anonymous = await clientOf();
    await expectNothingRecorded(tenant, async () => {
      const answer = await anonymous.send('OPTIONS', '/v1/encrypt', undefined, {
        origin: 'https://unlisted.example',
        'access-control-request-method': 'POST',
      });
      expect(answer).toHaveStatus(204);
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://unlisted.example');
    });
  });
});

describe('allowed_origins', () => {
  test.for([
    [origin],
    ['http://localhost:3000'],
    ['http://127.0.0.1:3000'],
    ['https://xn--bcher-kva.example'],
    ['http://[::1]:3000'],
  ] as const)('allowed_origins can contain %s', async (allowed_origins) => {
    const { record } = await tenant.issue({ permissions: ['encrypt'], allowed_origins });
    expect(record.allowed_origins).toStrictEqual(allowed_origins);
  });

  test.for([
    '*',
    'null',
    'https://*.example',
    'https://app.example/',
    'https://app.example/path',
    'https://app.example?x',
    'https://app.example:443',
    'http://app.example:80',
    'HTTPS://app.example',
    'https://App.example',
    'https://user@app.example',
    'https://bücher.example',
    'app.example',
    '//app.example',
    'https://',
    ' https://app.example',
    'https://app.example https://b.example',
    '',
  ])('allowed_origins cannot contain %j', async (text) => {
    const body = { name: 'browser', permissions: ['encrypt'], allowed_origins: [text] };
    expect(await tenant.api.post('/v1/api-keys', body)).toBeProblem('bad_request', /allowed_origins/);
  });

  test.for([
    ['empty', []],
    ['one twice', [origin, origin]],
    ['a text', origin],
    ['a number', [5]],
  ] as const)('an invalid list of allowed_origins is refused: %s', async ([, allowed_origins]) => {
    const body = { name: 'browser', permissions: ['encrypt'], allowed_origins };
    expect(await tenant.api.post('/v1/api-keys', body)).toBeProblem('bad_request', /allowed_origins/);
  });

  test.for(['keys.manage', 'api_keys.manage', 'keys.destroy', 'keys.export'])(
    'allowed_origins cannot be combined with %s, on creation or later',
    async (permission) => {
      const body = { name: 'browser', permissions: ['encrypt', permission], allowed_origins: [origin] };
      expect(await tenant.api.post('/v1/api-keys', body)).toBeProblem('bad_request');
      const serving = await tenant.issue({ permissions: [permission] });
      const path = `/v1/api-keys/${serving.record.api_key_id}` as const;
      expect(await tenant.api.patch(path, { allowed_origins: [origin] })).toBeProblem('bad_request');
      const browsing = await tenant.issue({ permissions: ['encrypt'], allowed_origins: [origin] });
      const other = `/v1/api-keys/${browsing.record.api_key_id}` as const;
      expect(await tenant.api.patch(other, { permissions: [permission] })).toBeProblem('bad_request');
    },
  );

  test.for(['encrypt', 'decrypt', 'keys.read', 'audit.read', 'usage.read'])(
    'allowed_origins can be combined with %s',
    async (permission) => {
      const body = { name: 'browser', permissions: [permission], allowed_origins: [origin] };
      expect(await tenant.api.post('/v1/api-keys', body)).toHaveStatus(201);
    },
  );
});
