// Who may make which call: each route with every credential, permission and id that do not suffice.
import { randomBytes } from 'node:crypto';
import { endpoints, type Route } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import type { Answer } from '@eaas/test-kit/api';
import { call, calls, type Material, materialFor, routes, routesWithId } from '@eaas/test-kit/calls';
import { tokenOf } from '@eaas/test-kit/decoder';
import {
  allPermissions,
  clientOf,
  expectNothingRecorded,
  expiredClient,
  newestEntry,
  newTenant,
  ok,
  unknownId,
} from '@eaas/test-kit/fixture';

const tenant = await newTenant();
const theirs = await newTenant();

const revoked = await tenant.issue();
ok(await tenant.api.delete(`/v1/api-keys/${revoked.record.api_key_id}`));
const ended = [await expiredClient(tenant), revoked.api];
const token = tenant.api.token ?? '';
const checksum = token.endsWith('0') ? '1' : '0';
const without = await Promise.all([
  clientOf(),
  clientOf('eaas_sk_short'),
  clientOf(token.slice(0, -1) + checksum),
  clientOf(tokenOf(randomBytes(32))),
]);

describe.for(routes)('%s', (route) => {
  const { permission } = calls[route];

  test('a call with an invalid API key returns 401 and writes no entry', async () => {
    const material = await materialFor(tenant, route);
    await expectNothingRecorded(tenant, async () => {
      const texts = new Set<string>();
      for (const api of without) {
        const answer = await call(api, route, material);
        expect(answer).toBeProblem('unauthorized');
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        texts.add(answer.text);
      }
      expect(texts.size).toBe(1);
      for (const api of ended) {
        expect(await call(api, route, material)).toBeProblem(
          'unauthorized',
          /(expired|was revoked) at \d{4}-/,
        );
      }
    });
  });

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
      const headers = { origin: 'https://evil.example' };
      expect(await call(tenant.api, route, material, { headers })).toBeProblem('origin_refused');
    });
  });
});

function comparable({ status, headers, text }: Answer, id: string): object {
  const own = new Set(['x-request-id', 'date']);
  const others = Array.from(headers).filter(([name]) => !own.has(name));
  return { status, headers: others, text: text.replaceAll(id, '<id>') };
}

const scoped = routesWithId.filter((route) => /^(en|de)crypt|^keys/.test(calls[route].permission));

test.for(scoped)('%s with an API key limited to one key returns 404 for other keys', async (route) => {
  const [own, other] = [await materialFor(tenant, route), await materialFor(tenant, route)];
  const { api } = await tenant.issue({ permissions: [calls[route].permission], key_ids: [own.id] });
  await expectNothingRecorded(tenant, async () => {
    const hidden = await call(api, route, other);
    const unknown = { ...other, id: unknownId() };
    const reference = await call(api, route, unknown);
    expect(comparable(hidden, other.id)).toStrictEqual(comparable(reference, unknown.id));
    expect(hidden.text).toContain('"not_found"');
  });
  const answer = await call(api, route, own);
  expect(answer).toHaveStatus(route === 'DELETE /v1/keys/:key_id' ? 202 : 200);
  expect(answer.text).not.toContain('"error"');
});

describe("another tenant's id", () => {
  const heads = () => Promise.all([tenant, theirs].map(newestEntry));
  const both = async (route: Route): Promise<{ foreign: Material; unknown: Material }> => {
    const [theirOwn, ours] = [await materialFor(theirs, route), await materialFor(tenant, route)];
    return { foreign: { ...ours, id: theirOwn.id }, unknown: { ...ours, id: unknownId() } };
  };

  test.for(routesWithId)('%s answers it like an unknown id, and what is no id with 404', async (route) => {
    const { foreign, unknown } = await both(route);
    const { id } = unknown;
    const before = await heads();
    const reference = await call(tenant.api, route, unknown);
    const answer = await call(tenant.api, route, foreign);
    expect(comparable(answer, foreign.id)).toStrictEqual(comparable(reference, id));
    // A list of entries about a key that nobody knows is empty.
    expect(answer.text.includes('"code":"not_found"')).toBe(route !== 'GET /v1/audit');
    for (const text of ['a-name', id.replaceAll('-', ''), `${id}0`, '0', 'null']) {
      const refused = await call(tenant.api, route, { ...unknown, id: text });
      expect(refused.text).toContain('"code":"not_found"');
    }
    expect(await heads()).toStrictEqual(before);
  });

  test.for(['POST', 'PATCH'] as const)(
    "%s refuses to limit an API key to another tenant's key",
    async (method) => {
      const { record } = await tenant.issue({ permissions: ['encrypt'] });
      const foreign = (await theirs.newKey()).key_id;
      const before = await heads();
      const limited = (id: string) => {
        const fields = { key_ids: [id], permissions: ['encrypt'] };
        return method === 'POST'
          ? tenant.api.post('/v1/api-keys', { name: 'x', ...fields })
          : tenant.api.patch(`/v1/api-keys/${record.api_key_id}`, fields);
      };
      const unknown = unknownId();
      const answer = await limited(foreign);
      expect(answer).toBeProblem('not_found');
      expect(comparable(answer, foreign)).toStrictEqual(comparable(await limited(unknown), unknown));
      expect(await heads()).toStrictEqual(before);
    },
  );
});
