import { endpoints } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { clientOf, newTenant, ok } from '@eaas/test-kit/fixture';

const tenant = await newTenant();
const anonymous = await clientOf();
ok(await tenant.api.post('/v1/hash', { key_id: (await tenant.newKey()).key_id, value: 'x' }));

test.for(['/healthz', '/readyz'])('%s returns 200 without an API key', async (path) => {
  expect(await anonymous.get(path)).toHaveStatus(200);
});

test.for(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'])(
  '%s allows GET only',
  async (path) => {
    const answer = await anonymous.send('POST', path);
    expect(answer).toBeProblem('method_not_allowed');
    expect(answer.headers.get('allow')).toMatch(/\bGET\b/);
  },
);

describe('/metrics', () => {
  test('/metrics is in the format of Prometheus', async () => {
    const answer = await anonymous.get('/metrics');
    expect(answer).toHaveStatus(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    const lines = answer.text.split('\n').filter((line) => line !== '');
    const sample =
      /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)*\})? (NaN|[+-]?Inf|[-+0-9.e]+)( \d+)?$/;
    expect(lines.filter((line) => !/^# (HELP|TYPE) /.test(line) && !sample.test(line))).toStrictEqual([]);
    expect(lines.filter((line) => sample.test(line)).length).toBeGreaterThan(5);
  });

  test('/metrics contains no ids or names of tenants, keys and API keys', async () => {
    const { text } = await anonymous.get('/metrics');
    expect(text).not.toMatch(/tenant="|tenant_id=/);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/);
  });
});

describe('/openapi.json', () => {
  test('/openapi.json describes every endpoint', async () => {
    const answer = await anonymous.get('/openapi.json');
    expect(answer).toHaveStatus(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/(json|vnd\.oai\.openapi\+json)/);
    const { openapi, paths } = answer.body as {
      openapi: string;
      paths: Record<string, Record<string, object>>;
    };
    expect(openapi).toMatch(/^3\.[01]\./);
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, ':')}`),
    );
    const expected = Object.keys(endpoints).map((route) => route.replace(/:\w+/g, ':'));
    expect(described).toEqual(expect.arrayContaining(expected));
  });
});

test('/docs is an HTML page', async () => {
  const answer = await anonymous.get('/docs');
  expect(answer).toHaveStatus(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
  expect(answer.text).toContain('/v1/encrypt');
});

test('field names of responses are snake_case', async () => {
  const paths = [
    '/v1/keys',
    '/v1/audit',
    '/v1/audit/verify',
    '/v1/audit/checkpoint',
    '/v1/api-keys',
    '/v1/usage',
  ];
  for (const path of paths) {
    const answer = await tenant.api.get(path);
    expect(answer).toHaveStatus(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
    const names = Array.from(answer.text.matchAll(/"([^"\\]+)":/g), ([, name]) => name ?? '');
    expect(
      names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name) && !/^key\.(un)?wrap$/.test(name)),
    ).toStrictEqual([]);
  }
});
