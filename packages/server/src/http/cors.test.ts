import { expect, it } from 'vitest';
import { listen } from './testing/listen.ts';
import { listedOrigin } from './testing/memory-service.ts';

const preflight = (origin: string) => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST', authorization: '' },
});

it('the preflight of any origin succeeds, because it has no API key, without Access-Control-Allow-Credentials', async () => {
  const { fetch, service } = await listen();
  const response = await fetch('/v1/keys', preflight('https://other.example'));
  expect(response.status).toBe(204);
  expect(response.headers.get('access-control-allow-origin')).toBe('https://other.example');
  expect(response.headers.get('access-control-allow-methods')).toBe('POST, GET');
  expect(response.headers.get('access-control-allow-headers')).toBe(
    'Authorization, Content-Type, Eaas-Issuer',
  );
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  expect(response.headers.get('vary')).toBe('Origin');
  expect(service.arrivals).toEqual([]);
});

it('a page of a listed origin can read responses and problems, including 401', async () => {
  const { fetch, post } = await listen();
  const from = { headers: { origin: listedOrigin } };
  const answers = [
    await fetch('/v1/keys', from),
    await post('/v1/hash', {}, from),
    await fetch('/v1/keys', { headers: { origin: listedOrigin, authorization: 'Bearer expired' } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 401]);
  for (const { headers } of answers) {
    expect(headers.get('access-control-allow-origin')).toBe(listedOrigin);
    expect(headers.get('access-control-expose-headers')).toMatch(
      /X-Request-Id.*Eaas-Entry|Eaas-Entry.*X-Request-Id/,
    );
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  }
});

it('a page of another origin cannot read any response', async () => {
  const { fetch } = await listen();
  const response = await fetch('/v1/keys', { headers: { origin: 'https://evil.example' } });
  expect([response.status, await response.json()]).toMatchObject([403, { code: 'origin_refused' }]);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});
