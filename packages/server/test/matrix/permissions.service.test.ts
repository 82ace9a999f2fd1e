import { endpoints } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { allPermissions, expectNothingRecorded, newTenant, unknownId } from '@eaas/test-kit/fixture';
import { call, calls, materialFor, routes, routesWithId } from '@eaas/test-kit/calls';
import { comparable } from './comparable.ts';

const tenant = await newTenant();

describe.for(routes)('%s', (route) => {
  const { permission } = calls[route];

  test('a call is refused if the API key has all permissions except the one that the call needs', async () => {
    const { api } = await tenant.issue({ permissions: allPermissions.filter((one) => one !== permission) });
    const material = await materialFor(tenant, route);
    await expectNothingRecorded(tenant, async () => {
      expect(await call(api, route, material)).toBeProblem('permission_missing');
    });
  });

  test('a call is accepted if the API key has only the permission that the call needs', async () => {
    // An issuer gets only rights that its creator has.
    const granted = route === 'POST /v1/issuers' ? ['encrypt', 'decrypt'] : [];
    const { api } = await tenant.issue({ permissions: [permission, ...granted] });
    const answer = await call(api, route, await materialFor(tenant, route));
    const status = {
      'POST /v1/keys': 201,
      'POST /v1/api-keys': 201,
      'POST /v1/issuers': 201,
      'DELETE /v1/keys/:key_id': 202,
      // The public log is off.
      'GET /v1/audit/proof': 404,
    };
    expect(answer).toHaveStatus((status as Record<string, number>)[route] ?? 200);
    expect(endpoints[route].permission).toBe(permission);
  });

  test('a call is refused if the API key does not allow the Origin header', async () => {
    const material = await materialFor(tenant, route);
    await expectNothingRecorded(tenant, async () => {
      const answer = await call(tenant.api, route, material, {
        headers: { origin: 'https://evil.example' },
      });
      expect(answer).toBeProblem('origin_refused');
    });
  });
});

const scoped = routesWithId.filter((route) =>
  ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'keys.destroy', 'keys.export'].includes(
    calls[route].permission,
  ),
);

test.for(scoped)('%s with an API key limited to one key returns 404 for other keys', async (route) => {
  const [own, other] = [await materialFor(tenant, route), await materialFor(tenant, route)];
  const { api } = await tenant.issue({ permissions: [calls[route].permission], key_ids: [own.id] });
  await expectNothingRecorded(tenant, async () => {
    const hidden = await call(api, route, other);
    const unknown = { ...other, id: unknownId() };
    expect(comparable(hidden, other.id)).toStrictEqual(
      comparable(await call(api, route, unknown), unknown.id),
    );
    expect(hidden.text).toContain('"not_found"');
  });
  const answer = await call(api, route, own);
  expect(answer).toHaveStatus(route === 'DELETE /v1/keys/:key_id' ? 202 : 200);
  expect(answer.text).not.toContain('"error"');
});
