import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { asJson } from '@eaas/test-kit/api';
import { runs } from '@eaas/test-kit/cases';
import { newTenant, unknownId } from '@eaas/test-kit/fixture';
import { call, calls, fields, lineOf, materialFor, routes } from '@eaas/test-kit/calls';

const tenant = await newTenant();

const some = { numRuns: runs(40) };
const withBody = routes.filter((route) => lineOf(route, '').takesBody);
const percentEncoded = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));

describe.for(withBody)('%s', (route) => {
  test('random JSON and random bytes are refused and not recorded', async () => {
    const before = await tenant.auditTotal();
    const { method, path } = lineOf(route, unknownId());
    const body = fc.oneof(fc.json({ maxDepth: 12 }), fc.uint8Array({ minLength: 1, maxLength: 300 }));
    await fc.assert(
      fc.asyncProperty(body, async (random) => {
        expect(await tenant.api.send(method, path, random, asJson)).toBeSomeRefusal();
      }),
      { numRuns: runs(80) },
    );
    expect(await tenant.auditTotal()).toBe(before);
  });

  test('a request with a random field value succeeds or gets a documented problem', async () => {
    const material = { ...(await materialFor(tenant, route)), id: unknownId() };
    const valid = calls[route].body?.(material) ?? {};
    const { method, path } = lineOf(route, material.id);
    const names = [...Object.keys(fields[route]), ...Object.keys(valid), 'extra'];
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: anyCharacter }), fc.double(), fc.constant(null));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), value, async (name, random) => {
        const body = JSON.stringify({ ...valid, [name]: random });
        expect(await tenant.api.send(method, path, body, asJson)).toBeSoundAnswer();
      }),
      some,
    );
  });
});

test.for(routes.filter((route) => route.includes(':')))(
  '%s refuses any random id and writes no audit entry',
  async (route) => {
    const material = await materialFor(tenant, route);
    const before = await tenant.auditTotal();
    await fc.assert(
      fc.asyncProperty(percentEncoded, async (id) => {
        expect(await call(tenant.api, route, { ...material, id })).toBeSomeRefusal();
      }),
      some,
    );
    expect(await tenant.auditTotal()).toBe(before);
  },
);

test.for(routes.filter((route) => route.startsWith('GET')))('%s refuses any random query', async (route) => {
  const { id } = await materialFor(tenant, route);
  const { method, path } = lineOf(route, id);
  const parameter = fc.tuple(percentEncoded, percentEncoded).map((pair) => pair.join('='));
  await fc.assert(
    fc.asyncProperty(fc.array(parameter, { minLength: 1, maxLength: 5 }), async (parameters) => {
      expect(await tenant.api.send(method, `${path}?${parameters.join('&')}`)).toBeSomeRefusal();
    }),
    some,
  );
});
