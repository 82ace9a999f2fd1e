import { endpoints } from '@eaas/protocol/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from './client.ts';
import { covers } from './covers.ts';
import { clientOf, newTenant, ok, type Tenant } from './fixture.ts';

let tenant: Tenant;
let anonymous: Client;

beforeAll(async () => {
  tenant = await newTenant();
  anonymous = await clientOf();
  ok(await tenant.api.post('/v1/hash', { key_id: (await tenant.newKey()).key_id, value: 'x' }));
});

test.for(['/healthz', '/readyz'])(
  '%s answers 200 without an API key',
  covers('contract: Outside `/v1`: `/healthz`, `/readyz`.'),
  async (path) => {
    expect(await anonymous.get(path)).toHaveStatus(200);
  },
);

test.for(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'])(
  '%s answers only GET',
  covers('contract: 405 with `Allow`.'),
  async (path) => {
    const answer = await anonymous.send('POST', path);
    expect(answer).toBeProblem('method_not_allowed');
    expect(answer.headers.get('allow')).toMatch(/\bGET\b/);
  },
);

describe('/metrics', () => {
  test(
    'is the text that Prometheus reads',
    covers('contract: `/metrics` (Prometheus, no tenant in a label).'),
    async () => {
      const answer = await anonymous.get('/metrics');
      expect(answer).toHaveStatus(200);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
      const lines = answer.text.split('\n').filter((line) => line !== '');
      const sample =
        /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_]\w*="(?:[^"\\]|\\.)*",?)*\})? (NaN|[+-]?Inf|[-+0-9.e]+)( \d+)?$/;
      expect(lines.filter((line) => !/^# (HELP|TYPE) /.test(line) && !sample.test(line))).toStrictEqual([]);
      expect(lines.filter((line) => sample.test(line)).length).toBeGreaterThan(5);
    },
  );

  test(
    'names no tenant, no key and no API key',
    covers('contract: `/metrics` (Prometheus, no tenant in a label).'),
    async () => {
      const { text } = await anonymous.get('/metrics');
      expect(text).not.toMatch(/tenant="|tenant_id=/);
      expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/);
    },
  );
});

describe('/openapi.json', () => {
  test(
    'describes every endpoint, its permission holder and its problems',
    covers('contract: `/openapi.json`, `/docs`.'),
    async () => {
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
    },
  );
});

test('/docs is a page for people', covers('contract: `/openapi.json`, `/docs`.'), async () => {
  const answer = await anonymous.get('/docs');
  expect(answer).toHaveStatus(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
  expect(answer.text).toContain('/v1/encrypt');
});

test(
  'field names are snake_case in every answer',
  covers(
    'contract: Everything under `/v1`; JSON in, JSON out; field names snake_case.',
    'interface: Requests and responses are JSON.',
    'interface: The service is a REST JSON API over HTTPS.',
  ),
  async () => {
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
  },
);
