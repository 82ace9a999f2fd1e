import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { asJson } from '@eaas/test-kit/api';
import { runs } from '@eaas/test-kit/cases';
import { newTenant, unknownId } from '@eaas/test-kit/fixture';
import { calls, fields, lineOf, materialFor, routes } from '@eaas/test-kit/calls';

const tenant = await newTenant();

const numRuns = runs(60);
const percentEncoded = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
const anyValue = fc.oneof(fc.jsonValue(), fc.string({ unit: anyCharacter }), fc.double(), fc.constant(null));
const anyBody = fc.oneof(fc.json({ maxDepth: 12 }), fc.uint8Array({ minLength: 1, maxLength: 300 }));

test.for(routes.filter((route) => lineOf(route, '').takesBody))(
  '%s refuses random bodies and records none, and answers a random field as documented',
  async (route) => {
    const material = { ...(await materialFor(tenant, route)), id: unknownId() };
    const before = await tenant.auditTotal();
    const valid = calls[route].body?.(material) ?? {};
    const { method, path } = lineOf(route, material.id);
    const send = (body: BodyInit) => tenant.api.send(method, path, body, asJson);
    const refused = fc.asyncProperty(anyBody, async (random) => {
      expect(await send(random)).toBeSomeRefusal();
    });
    await fc.assert(refused, { numRuns });
    expect(await tenant.auditTotal()).toBe(before);
    const names = [...Object.keys(fields[route]), ...Object.keys(valid), 'extra'];
    const answered = fc.asyncProperty(fc.constantFrom(...names), anyValue, async (name, random) => {
      expect(await send(JSON.stringify({ ...valid, [name]: random }))).toBeSoundAnswer();
    });
    await fc.assert(answered, { numRuns });
  },
);

test.for(routes.filter((route) => route.startsWith('GET')))(
  '%s refuses any random id and any random query',
  async (route) => {
    const { id } = await materialFor(tenant, route);
    const parameter = fc.tuple(percentEncoded, percentEncoded).map((pair) => pair.join('='));
    const parameters = fc.array(parameter, { minLength: 1, maxLength: 5 }).map((list) => list.join('&'));
    const refused = fc.asyncProperty(percentEncoded, parameters, async (random, query) => {
      const { method, path } = lineOf(route, id);
      expect(await tenant.api.send(method, `${path}?${query}`)).toBeSomeRefusal();
      if (!route.includes(':')) return;
      expect(await tenant.api.send(method, lineOf(route, random).path)).toBeSomeRefusal();
    });
    await fc.assert(refused, { numRuns });
  },
);
