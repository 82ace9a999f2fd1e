import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from './client.ts';
import { covers } from './covers.ts';
import { clientOf, expectNothingRecorded, newTenant, type Tenant } from './fixture.ts';

const origin = 'https://app.example';
let tenant: Tenant;
let browser: Client;

beforeAll(async () => {
  tenant = await newTenant('--envelope-only', 'true');
  const allowed_origins = [origin, 'http://localhost:5173', 'https://app.example:8443'];
  browser = (await tenant.issue({ permissions: ['encrypt', 'keys.read'], allowed_origins })).api;
});

const from = (value: string) => ({ headers: { origin: value } });

describe('a request with an Origin', () => {
  test.for([origin, 'http://localhost:5173', 'https://app.example:8443'])(
    'is answered when the API key lists it, and the browser may read the answer: %s',
    covers(
      'contract: A request with an `Origin` is refused 403 `origin_refused` unless the API key lists that origin.',
    ),
    async (listed) => {
      const answer = await browser.get('/v1/keys', from(listed));
      expect(answer).toHaveStatus(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(listed);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

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
  ])(
    'is refused from %s',
    covers(
      'contract: A request with an `Origin` is refused 403 `origin_refused` unless the API key lists that origin.',
      'contract: Origins are exact serialised origins, else 400 when set: no `*`, path or trailing slash; `null` never matches.',
    ),
    async (other) => {
      await expectNothingRecorded(tenant, async () => {
        expect(await browser.get('/v1/keys', from(other))).toBeProblem('origin_refused');
      });
    },
  );

  test(
    'is refused when the API key lists none; without an Origin both kinds work',
    covers(
      'contract: A request with an `Origin` is refused 403 `origin_refused` unless the API key lists that origin.',
    ),
    async () => {
      expect(await tenant.api.get('/v1/keys', from(origin))).toBeProblem('origin_refused');
      expect(await tenant.api.get('/v1/keys')).toHaveStatus(200);
      expect(await browser.get('/v1/keys')).toHaveStatus(200);
    },
  );
});

describe('preflights', () => {
  test.for([
    ['GET', '/v1/keys'],
    ['POST', '/v1/encrypt'],
    ['PUT', '/v1/keys/00000000-0000-4000-8000-000000000001/rotation-policy'],
    ['PATCH', '/v1/api-keys/00000000-0000-4000-8000-000000000001'],
    ['DELETE', '/v1/keys/00000000-0000-4000-8000-000000000001'],
  ] as const)(
    'get 204 with the origin, the method and the headers, without credentials: %s %s',
    covers('contract: Preflights get 204 echoing the origin, without credentials.'),
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

  test(
    'write nothing and say nothing about API keys: an origin that nobody lists gets the same',
    covers('contract: Preflights get 204 echoing the origin, without credentials.'),
    async () => {
      const anonymous = await clientOf();
      await expectNothingRecorded(tenant, async () => {
        const answer = await anonymous.send('OPTIONS', '/v1/encrypt', undefined, {
          origin: 'https://unlisted.example',
          'access-control-request-method': 'POST',
        });
        expect(answer).toHaveStatus(204);
        expect(answer.headers.get('access-control-allow-origin')).toBe('https://unlisted.example');
      });
    },
  );
});

describe('allowed_origins', () => {
  test.for([
    [origin],
    ['http://localhost:3000'],
    ['http://127.0.0.1:3000'],
    ['https://xn--bcher-kva.example'],
    ['http://[::1]:3000'],
  ] as const)(
    'takes %s',
    covers(
      'contract: Origins are exact serialised origins, else 400 when set: no `*`, path or trailing slash; `null` never matches.',
    ),
    async (allowed_origins) => {
      const { record } = await tenant.issue({ permissions: ['encrypt'], allowed_origins });
      expect(record.allowed_origins).toStrictEqual(allowed_origins);
    },
  );

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
  ])(
    'refuses %j',
    covers(
      'contract: Origins are exact serialised origins, else 400 when set: no `*`, path or trailing slash; `null` never matches.',
    ),
    async (text) => {
      const body = { name: 'browser', permissions: ['encrypt'], allowed_origins: [text] };
      expect(await tenant.api.post('/v1/api-keys', body)).toBeProblem('bad_request', /allowed_origins/);
    },
  );

  test.for([
    ['empty', []],
    ['one twice', [origin, origin]],
    ['a text', origin],
    ['a number', [5]],
  ] as const)(
    'refuses a list that is no list of origins: %s',
    covers(
      'contract: Origins are exact serialised origins, else 400 when set: no `*`, path or trailing slash; `null` never matches.',
    ),
    async ([, allowed_origins]) => {
      const body = { name: 'browser', permissions: ['encrypt'], allowed_origins };
      expect(await tenant.api.post('/v1/api-keys', body)).toBeProblem('bad_request', /allowed_origins/);
    },
  );

  test.for(['keys.manage', 'api_keys.manage', 'keys.destroy', 'keys.export'])(
    'and %s do not go together, on creation or later',
    covers(
      'contract: An API key with `allowed_origins` cannot hold `*.manage`, `keys.destroy` or `keys.export` (400).',
    ),
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
    'and %s do',
    covers(
      'contract: An API key with `allowed_origins` cannot hold `*.manage`, `keys.destroy` or `keys.export` (400).',
    ),
    async (permission) => {
      const body = { name: 'browser', permissions: [permission], allowed_origins: [origin] };
      expect(await tenant.api.post('/v1/api-keys', body)).toHaveStatus(201);
    },
  );
});
