import { endpoints } from '@eaas/protocol/wire';
import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from '../conformance/covers.ts';
import {
  allPermissions,
  expectNothingRecorded,
  newTenant,
  type Tenant,
  unknownId,
} from '../conformance/fixture.ts';
import { call, calls, materialFor, routes, routesWithId } from './calls.ts';
import { comparable } from './comparable.ts';

let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant();
});

describe.for(routes)('%s', (route) => {
  const { permission } = calls[route];

  test(
    'refuses an API key that holds all but its permission, and writes nothing',
    covers(
      'contract: Each endpoint needs the permission that the contract lists for it, and no other.',
      'interface: A key without the permission required gives 403. POST /v1/hash requires the permission encrypt.',
      'interface: 403 Forbidden: missing permission',
    ),
    async () => {
      const { api } = await tenant.issue({ permissions: allPermissions.filter((one) => one !== permission) });
      const material = await materialFor(tenant, route);
      await expectNothingRecorded(tenant, async () => {
        expect(await call(api, route, material)).toBeProblem('permission_missing');
      });
    },
  );

  test(
    'answers an API key that holds nothing else',
    covers('contract: Each endpoint needs the permission that the contract lists for it, and no other.'),
    async () => {
      const { api } = await tenant.issue({ permissions: [permission] });
      const answer = await call(api, route, await materialFor(tenant, route));
      const status = { 'POST /v1/keys': 201, 'POST /v1/api-keys': 201, 'DELETE /v1/keys/:key_id': 202 };
      expect(answer).toHaveStatus((status as Record<string, number>)[route] ?? 200);
      expect(endpoints[route].permission).toBe(permission);
    },
  );

  test(
    'refuses an Origin that the API key does not list, and writes nothing',
    covers(
      'contract: A request with an `Origin` is refused 403 `origin_refused` unless the API key lists that origin.',
    ),
    async () => {
      const material = await materialFor(tenant, route);
      await expectNothingRecorded(tenant, async () => {
        const answer = await call(tenant.api, route, material, {
          headers: { origin: 'https://evil.example' },
        });
        expect(answer).toBeProblem('origin_refused');
      });
    },
  );
});

const scoped = routesWithId.filter((route) =>
  ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'keys.destroy', 'keys.export'].includes(
    calls[route].permission,
  ),
);

test.for(scoped)(
  '%s: an API key limited to one key works with that, and sees no other',
  covers('contract: An API key with `key_ids` is limited to those keys: any other is 404 to it.'),
  async (route) => {
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
  },
);
