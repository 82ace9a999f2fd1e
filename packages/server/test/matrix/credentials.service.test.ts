import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { tokenOf } from '@eaas/test-kit/decoder';
import { clientOf, expiredClient, newTenant, ok } from '@eaas/test-kit/fixture';
import { call, materialFor, routes } from '@eaas/test-kit/calls';

const tenant = await newTenant();
const revoked = await tenant.issue();
ok(await tenant.api.delete(`/v1/api-keys/${revoked.record.api_key_id}`));
const token = tenant.api.token ?? '';
const checksum = token.endsWith('0') ? '1' : '0';
const without = new Map([
  ['no API key', await clientOf()],
  ['a malformed token', await clientOf('eaas_sk_short')],
  ['a wrong checksum', await clientOf(token.slice(0, -1) + checksum)],
  ['an unknown token', await clientOf(tokenOf(randomBytes(32)))],
]);
const ended = [await expiredClient(tenant), revoked.api];

test.for(routes)('%s with an invalid API key returns 401 and writes no entry', async (route) => {
  const material = await materialFor(tenant, route);
  const before = await tenant.auditTotal();
  const texts = new Set<string>();
  for (const api of without.values()) {
    const answer = await call(api, route, material);
    expect(answer).toBeProblem('unauthorized');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    texts.add(answer.text);
  }
  expect(texts.size).toBe(1);
  for (const api of ended)
    expect(await call(api, route, material)).toBeProblem('unauthorized', /(expired|was revoked) at \d{4}-/);
  expect(await tenant.auditTotal()).toBe(before);
});
