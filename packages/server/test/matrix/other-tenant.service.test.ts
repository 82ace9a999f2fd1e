import type { Route } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { newTenant, ok, type Tenant, unknownId } from '@eaas/test-kit/fixture';
import { call, calls, type Material, materialFor, routesWithId } from '@eaas/test-kit/calls';
import { comparable } from './comparable.ts';

const mine = await newTenant();
const theirs = await newTenant();

const notFound = routesWithId.filter((route) => calls[route].subject !== 'none' && route !== 'GET /v1/audit');

async function head(tenant: Tenant): Promise<object> {
  const { head: end, checked, valid } = ok(await tenant.api.get('/v1/audit/verify'));
  return { end, checked, valid };
}

async function both(route: Route): Promise<{ foreign: Material; unknown: Material }> {
  const [theirOwn, ours] = [await materialFor(theirs, route), await materialFor(mine, route)];
  return { foreign: { ...ours, id: theirOwn.id }, unknown: { ...ours, id: unknownId() } };
}

describe("another tenant's id", () => {
  test.for(routesWithId)(
    '%s responds equally to an id of another tenant and an unknown id',
    async (route) => {
      const { foreign, unknown } = await both(route);
      const before = [await head(mine), await head(theirs)];
      const answer = await call(mine.api, route, foreign);
      const reference = await call(mine.api, route, unknown);
      expect(comparable(answer, foreign.id)).toStrictEqual(comparable(reference, unknown.id));
      expect([await head(mine), await head(theirs)]).toStrictEqual(before);
    },
  );

  test.for(notFound)("%s with another tenant's id returns 404", async (route) => {
    const { foreign } = await both(route);
    const { text } = await call(mine.api, route, foreign);
    expect(text).toContain('"code":"not_found"');
    expect(text).toContain('"status":404');
  });

  test.for(notFound)('%s with what is no id returns 404 and writes no entry', async (route) => {
    const { unknown } = await both(route);
    const before = await head(mine);
    const { id } = unknown;
    for (const text of ['a-name', id.replaceAll('-', ''), `${id}0`, '0', 'null'])
      expect((await call(mine.api, route, { ...unknown, id: text })).text).toContain('"code":"not_found"');
    expect(await head(mine)).toStrictEqual(before);
  });

  test.for(['POST', 'PATCH'] as const)(
    "%s refuses to limit an API key to another tenant's key",
    async (method) => {
      const { record } = await mine.issue({ permissions: ['encrypt'] });
      const foreign = (await theirs.newKey()).key_id;
      const before = [await head(mine), await head(theirs)];
      const limited = (id: string) => {
        const fields = { key_ids: [id], permissions: ['encrypt'] };
        return method === 'POST'
          ? mine.api.post('/v1/api-keys', { name: 'x', ...fields })
          : mine.api.patch(`/v1/api-keys/${record.api_key_id}`, fields);
      };
      const unknown = unknownId();
      const answer = await limited(foreign);
      expect(answer).toBeProblem('not_found');
      expect(comparable(answer, foreign)).toStrictEqual(comparable(await limited(unknown), unknown));
      expect([await head(mine), await head(theirs)]).toStrictEqual(before);
    },
  );
});
